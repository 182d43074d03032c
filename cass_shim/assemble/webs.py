"""Large functions: values that meet from several blocks (phis) become pairs of halves, so that LLVM compiles in time.

In: optimised IR as text. Out: the same with `phi i32` as `phi <2 x i16>` between bitcasts, where a function is large.

For each i32 that leaves its block, AMDGPU's `hasCFUser` (LLVM 22, lib/Target/AMDGPU/SIISelLowering.cpp, asked by
`requiresUniformRegister`) goes through everything that is made of it and is an i32 too, as a mask of lanes might be in
a wave of 32; in loops that is most of the function, so it takes the square of its length: half of 8 s for a merge sort
of CUB. It stops at another type. A bitcast is no instruction, and the code has the same length within 1.5 %; small
functions are left as they are.
"""

from __future__ import annotations

import re

from cass_shim.assemble.ir_text import NAME, functions

LARGE = 1000  # lines of a function; below, the search is not felt
_PHI = re.compile(rf"  ({NAME}) = phi i32 (.*)$")
_COMING = re.compile(rf"\[ ([^,]+), ({NAME}) \]")
_PARAMETER = re.compile(rf"\bi32 (?:\w+(?:\([^()]*\))? )*({NAME})(?=[,)])")  # `range(i32 0, 2)` stands between, too
_PAIR = "<2 x i16>"
_UNDEFINED = ("undef", "poison")


def paired(text: str) -> str | None:
    """The module with the phis of its large functions rewritten; None where it has none."""
    lines = text.split("\n")
    large = [(first, last) for first, last in functions(lines) if last - first > LARGE]
    for first, last in reversed(large):
        lines[first : last + 1] = _rewritten(lines[first : last + 1])
    return "\n".join(lines) if large else None


def _rewritten(body: list[str]) -> list[str]:
    """One function. A phi's bitcast stands behind the last phi of its block, another value's behind the value."""
    found_phis = [found for line in body if " = phi i32 " in line and (found := _PHI.match(line))]
    phis = {found[1] for found in found_phis}
    coming = {value for found in found_phis for value, _ in _COMING.findall(found[2])}
    plain = {value for value in coming - phis if value.startswith("%")}
    done, waiting = [body[0]], [_to_pair(name) for name in _PARAMETER.findall(body[0]) if name in plain]
    for line in body[1:]:
        is_phi = " = phi " in line
        if waiting and not is_phi and line.startswith("  "):
            done += waiting
            waiting = []
        if is_phi and (found := _PHI.match(line)):
            done.append(f"  {_pair(found[1])} = phi {_PAIR} {_COMING.sub(_arrival, found[2])}")
            waiting.append(f"  {found[1]} = bitcast {_PAIR} {_pair(found[1])} to i32")
            continue
        done.append(line)
        if line.startswith("  %") and (name := line[2:].split(" = ", 1)[0]) in plain:
            (waiting if is_phi else done).append(_to_pair(name))
    return done


def _pair(name: str) -> str:
    """The name of a value's bitcast; `%7` has no name, and `%7.pair` would be none."""
    return f'%"{name[1:].strip(chr(34))}.pair"'


def _to_pair(name: str) -> str:
    return f"  {_pair(name)} = bitcast i32 {name} to {_PAIR}"


def _arrival(found: re.Match[str]) -> str:
    """`[ value, %block ]` of an i32 as one of a pair."""
    value, block = found[1], found[2]
    if value.startswith("%"):
        value = _pair(value)
    elif value not in _UNDEFINED:
        value = f"bitcast (i32 {value} to {_PAIR})"
    return f"[ {value}, {block} ]"
