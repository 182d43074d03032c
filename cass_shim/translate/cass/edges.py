"""Parts of a kernel joined: the frame of each lane in its own memory, and the order in which parts run.

In: the bodies of a kernel's parts (`parts.py`), whoever wrote them. Out: the body of the whole. Accesses of shared
memory from `parts.FRAME` on become scratch accesses at the lane's own words. All lanes whose NEXT is the lowest run
that part together: so lanes that a branch parted meet again where the code does, as on NVIDIA's hardware. Each part
begins as a kernel does, with the registers that the hardware fills (AMDGPUUsage, "Initial Kernel Execution State").
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Iterator, Mapping, Sequence

from cass_shim.model.errors import Rejected
from cass_shim.translate.cass.answer import Body
from cass_shim.translate.cass.parts import FRAME, ITEM, MOST_WORDS, NEXT

_SAVED = 96  # s96, s97: kernarg pointer; s98 to s100: workgroup ids; s101: the wave's lanes. No part may name them
_LANES = _SAVED + 5
_IDS_END = 16  # on gfx11 the workgroup ids are the last of the first 16 scalar registers
_AXES = "xyz"
_ITEM_BITS = (0x3FF, 0xFFFFF)  # v0 of a kernel that asked for one or two workitem ids: ten bits each
_OTHER_INPUTS = ("dispatch_ptr", "queue_ptr", "dispatch_id", "private_segment_size")
_LABEL = re.compile(r"^([\w.$]+):$")
_COUNTS = re.compile(r"\b(vmcnt|lgkmcnt)\(\d+\)")  # of LDS accesses that are none now
_WORD = re.compile(r"[\w.$]+")
_ACCESS = re.compile(r"^\tds_(load|store)_(2addr_)?b(32|64|96|128)\s+(.*)$")
_OFFSET = re.compile(r"offset([01])?:(0x[0-9a-f]+|\d+)")
_CONSTANT = re.compile(
    r"^\tv_(?:dual_)?(mov_b|add_nc_u|or_b|lshl_add_u|mad_u)32(?:_u24)?(?:_e32|_e64)?\s+v\d+,\s*(.*)$"
)
_SINGLE = re.compile(r"v(\d+)|(-?(?:0x[0-9a-f]+|\d+))")
_IN_IR = re.compile(r"^  (%\S+) = inttoptr i32 (\d+) to ptr addrspace\(3\)$", re.MULTILINE)
_LOCAL_ACCESS = "getelementptr i8, ptr addrspace(5) %frame,"
_ALLOCATED = re.compile(r"^  %frame = alloca .*$", re.MULTILINE)
_FIRST = re.compile(r"^\t\w+\s+v(?:(\d+)|\[(\d+):(\d+)\])")
_PAIR = re.compile(r"\s::\s")

Known = Mapping[int, int]


def _number(text: str) -> int:
    return int(text, 0) & 0xFFFFFFFF


def _value(line: str, state: Known) -> int | None:
    """The constant that an instruction writes; of a sum with something unknown, the frame's address in it."""
    found = _CONSTANT.match(line)
    if found is None:
        return None
    values = []
    for text in found[2].split(","):
        operand = _SINGLE.fullmatch(text.strip())
        values.append(None if operand is None else state.get(int(operand[1])) if operand[1] else _number(operand[2]))
    known = [value for value in values if value is not None]
    if found[1] in ("mov_b", "add_nc_u", "or_b") and len(known) == len(values):
        return (sum(known) if found[1] == "add_nc_u" else functools.reduce(operator.or_, known)) & 0xFFFFFFFF
    return next((value for value in known if FRAME <= value < FRAME + 4 * MOST_WORDS), None)


class Constants:
    """Which vector registers hold a constant before each line of a body, on every path."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.labels = {found[1]: number for number, line in enumerate(lines) if (found := _LABEL.match(line))}
        self.before: list[dict[int, int] | None] = [None] * len(lines)
        self.before[0] = {}
        work = [0]
        while work:
            number = work.pop()
            state = self._after(number)
            for target in self._follow(number):
                old = self.before[target]
                new = state if old is None else {one: value for one, value in old.items() if state.get(one) == value}
                if new != old:
                    self.before[target] = dict(new)
                    work.append(target)

    def _follow(self, number: int) -> Iterator[int]:
        line = self.lines[number].strip()
        if line.startswith(("s_branch", "s_cbranch")):
            yield self.labels.get(line.split()[-1], number)
        if not line.startswith(("s_branch", "s_endpgm", "s_setpc")) and number + 1 < len(self.lines):
            yield number + 1

    def _after(self, number: int) -> dict[int, int]:
        state = dict(self.before[number] or {})
        for part in _PAIR.split(self.lines[number]):
            line = f"\t{part.strip()}"
            found = _FIRST.match(line)
            if found is None or re.match(r"\t(?:\w+_store|v_cmpx?)_", line):
                continue
            if line.startswith("\tv_swap"):
                return {}
            low, high = (found[1], found[1]) if found[1] else (found[2], found[3])
            constant = _value(line, state)
            for register in range(int(low), int(high) + 1):
                state.pop(register, None)
            if constant is not None:
                state[int(low)] = constant
        return state


def framed_accesses(lines: Sequence[str], base: int) -> list[str]:
    """The lines with scratch accesses for those of the frame. base: of the frame in the lane's memory.

    Raises Rejected for an access of the frame that is none of whole words.
    """
    constants = Constants(lines)
    made: list[str] = []
    for number, line in enumerate(lines):
        found = _ACCESS.match(line)
        known = constants.before[number]
        if found is None or known is None:
            made.append(line)
            continue
        operands = [one.strip() for one in re.split(r",", _OFFSET.sub("", found[4]))]
        address = operands[1] if found[1] == "load" else operands[0]
        start = known.get(int(address[1:])) if re.fullmatch(r"v\d+", address) else None
        offsets = {one[1]: _number(one[2]) for one in _OFFSET.finditer(found[4])}
        if (start or 0) + max([0, *offsets.values()]) < FRAME:
            made.append(line)
            continue
        made += _scratch(found, operands, start or 0, offsets, base)
    return made


def _scratch(
    found: re.Match[str], operands: Sequence[str], start: int, offsets: Mapping[str | None, int], base: int
) -> Iterator[str]:
    """The scratch accesses that one access of the frame becomes."""
    load, double, bits = found[1] == "load", found[2] is not None, int(found[3])
    step = bits // 8 if double else 1
    places = [start + offsets.get(which, 0) * step for which in (("0", "1") if double else (None,))]
    values = _halves(operands[0], bits // 32) if load and double else [operands[0]] if load else operands[1:]
    for place, value in zip(places, values, strict=True):
        word, rest = divmod(place - FRAME, 4)
        if rest or not 0 <= word <= MOST_WORDS - bits // 32:
            raise Rejected(f"an access of the edges at {place:#x}, where no word is: {found[0].strip()}")
        offset = f" offset:{base + 4 * word}"
        if load:
            yield f"\tscratch_load_b{bits} {value}, off, off{offset}"
        else:
            yield f"\tscratch_store_b{bits} off, {value}, off{offset}"
    if load:
        yield "\ts_waitcnt vmcnt(0)"  # the part waits for LDS, which has another counter


def _halves(registers: str, each: int) -> list[str]:
    """A range of registers as two."""
    found = re.fullmatch(r"v\[(\d+):(\d+)\]", registers)
    if found is None or int(found[2]) - int(found[1]) + 1 != 2 * each:
        raise Rejected(f"two words in {registers}")
    low = int(found[1])
    return [f"v{at}" if each == 1 else f"v[{at}:{at + each - 1}]" for at in (low, low + each)]


def _axes(body: Body) -> list[str]:
    """The workgroup ids that a body gets."""
    return [axis for axis in _AXES if body.descriptor.get(f"system_sgpr_workgroup_id_{axis}", int(axis == "x"))]


def _items(body: Body) -> int:
    return body.descriptor.get("system_vgpr_workitem_id", 0)


def _check(body: Body) -> None:
    """Raises Rejected for a part that cannot stand beside others."""
    stated = body.descriptor
    for name in _OTHER_INPUTS:
        if stated.get(f"user_sgpr_{name}", 0):
            raise Rejected(f"a part that wants .amdhsa_user_sgpr_{name}", kernel=body.name)
    for line in body.lines:
        for single, last in re.findall(r"\bs(?:(\d+)|\[\d+:(\d+)\])", line):
            if int(single or last) >= _SAVED:
                raise Rejected(f"a part that uses s{single or last}, which the edges need", kernel=body.name)


def _begin(body: Body, axes: Sequence[str], items: int, base: int) -> Iterator[str]:
    """The registers as a kernel finds them."""
    yield f"\tv_mov_b32 v1, 0\n\tscratch_store_b32 off, v1, off offset:{base + 4 * NEXT}"
    yield f"\tscratch_load_b32 v0, off, off offset:{base + 4 * ITEM}"
    yield f"\ts_mov_b64 s[0:1], s[{_SAVED}:{_SAVED + 1}]"
    own = _axes(body)
    at = body.descriptor.get("user_sgpr_count", _IDS_END - len(own))
    for position, axis in enumerate(own):
        if axis in axes:
            yield f"\ts_mov_b32 s{at + position}, s{_SAVED + 2 + _AXES.index(axis)}"
    yield "\ts_waitcnt vmcnt(0)"
    if _items(body) < items:
        yield f"\tv_and_b32 v0, {_ITEM_BITS[_items(body)]:#x}, v0"


def _own(number: int, body: Body, base: int) -> Iterator[str]:
    """A part's lines: labels of its own, its ends leading to the next part."""
    lines = framed_accesses(body.lines, base)
    labels = {found[1] for line in lines if (found := _LABEL.match(line))}

    def renamed(found: re.Match[str]) -> str:
        return f".Lpart{number}_{found[0].lstrip('.')}" if found[0] in labels else found[0]

    for line in lines:
        if line.startswith("\ts_endpgm"):
            yield f"\ts_branch .Lend{number}"
        elif not line.startswith(("\ts_sendmsg", "\ts_code_end")):  # registers stay: other parts want them
            yield _COUNTS.sub(r"\1(0)", _WORD.sub(renamed, line))
    yield f".Lend{number}:"
    yield "\ts_waitcnt vmcnt(0) lgkmcnt(0)\n\ts_waitcnt_vscnt null, 0x0"  # nothing is under way between parts
    yield "\ts_branch .Lnext"


def joined(name: str, parts: Mapping[int, Body], words: int) -> Body:
    """One body of the bodies of parts, by their numbers. words: that the frame has. Raises Rejected."""
    if words > MOST_WORDS:
        raise Rejected(f"{words} values between parts, at most {MOST_WORDS} fit", kernel=name)
    bodies = [parts[number] for number in sorted(parts)]
    for body in bodies:
        _check(body)
    base = -(-max(body.descriptor.get("private_segment_fixed_size", 0) for body in bodies) // 16) * 16
    if base + 4 * words > 4096:
        raise Rejected(f"{base} bytes of a part's own and {words} words are beyond a scratch access", kernel=name)
    axes = [axis for axis in _AXES if any(axis in _axes(body) for body in bodies)]
    items = max(_items(body) for body in bodies)
    descriptor = _descriptor(bodies, axes, items, base + 4 * words)
    at = descriptor["user_sgpr_count"]
    lines = [f"\ts_mov_b64 s[{_SAVED}:{_SAVED + 1}], s[0:1]", f"\ts_mov_b32 s{_LANES}, exec_lo"]
    lines += [f"\ts_mov_b32 s{_SAVED + 2 + _AXES.index(axis)}, s{at + place}" for place, axis in enumerate(axes)]
    lines.append(f"\tscratch_store_b32 off, v0, off offset:{base + 4 * ITEM}")
    lines.append(f"\tv_mov_b32 v1, {min(parts)}\n\tscratch_store_b32 off, v1, off offset:{base + 4 * NEXT}")
    lines += [".Lnext:", f"\ts_mov_b32 exec_lo, s{_LANES}"]
    lines += [f"\tscratch_load_b32 v1, off, off offset:{base + 4 * NEXT}", "\ts_waitcnt vmcnt(0)"]
    for number in sorted(parts):
        lines.append(f"\tv_cmp_eq_u32 vcc_lo, {number}, v1\n\ts_cbranch_vccnz .Lpart{number}")
    lines.append("\ts_endpgm")
    for number in sorted(parts):
        lines += [f".Lpart{number}:", "\ts_mov_b32 exec_lo, vcc_lo"]
        lines += [*_begin(parts[number], axes, items, base), *_own(number, parts[number], base)]
    return Body(name, [one for line in lines for one in line.split("\n")], descriptor)


def _descriptor(bodies: Sequence[Body], axes: Sequence[str], items: int, private: int) -> dict[str, int]:
    """The values that all parts agree on, and what the frame needs. Raises Rejected where modes differ."""
    found: dict[str, int] = {}
    for body in bodies:
        for key, value in body.descriptor.items():
            if key.startswith(("float_", "dx10_clamp", "ieee_mode", "fp16_overflow")):
                if found.setdefault(key, value) != value:
                    raise Rejected(f"parts that want different {key}", kernel=body.name)
            elif key not in ("user_sgpr_count", "private_segment_fixed_size") and not key.startswith("system_"):
                found[key] = max(value, found.get(key, 0))
    found |= {f"system_sgpr_workgroup_id_{axis}": int(axis in axes) for axis in _AXES}
    found |= {"system_vgpr_workitem_id": items, "user_sgpr_count": _IDS_END - len(axes)}
    return found | {"private_segment_fixed_size": private, "enable_private_segment": 1}


def frame_kept(ir: str) -> str:
    """LLVM IR of a part whose local memory others wrote and will read: it is neither taken apart nor dropped."""
    if _LOCAL_ACCESS not in ir:
        return ir
    text = _ALLOCATED.sub(r'\g<0>\n  call void asm sideeffect "", "v,~{memory}"(ptr addrspace(5) %frame)', ir)
    return text.replace("\n  ret void", '\n  call void asm sideeffect "", "~{memory}"()\n  ret void')


def lanes_apart(ir: str) -> str:
    """LLVM IR of a part (`Part.plain`), its frame at addresses that LLVM takes to differ between lanes.

    It would hold what stands at one address to be the same for all lanes, and load one of two words where either is
    wanted. Source: LLVM's uniformity analysis, for which what inline assembly leaves in a vector register is divergent.
    """
    names: list[str] = []

    def opaque(found: re.Match[str]) -> str:
        address = int(found[2])
        if not FRAME <= address < FRAME + 4 * MOST_WORDS:
            return found[0]
        names.append(re.escape(found[1]))
        return (
            f'  {found[1]}.at = call i32 asm "v_mov_b32 $0, {address:#x}", "=v"()\n'
            f"  {found[1]} = inttoptr i32 {found[1]}.at to ptr addrspace(3)"
        )

    text = _IN_IR.sub(opaque, ir)
    if not names:
        return text
    return re.sub(rf"\bload (?=\w+, ptr addrspace\(3\) (?:{'|'.join(names)}),)", "load volatile ", text)
