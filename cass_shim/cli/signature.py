"""What a mangled name tells about a kernel's parameters, beside them in HIP source that a person reads."""

from __future__ import annotations

import re


def parameter_types(readable: str) -> list[str]:
    """C++ types of the parameters in a demangled name: `void f<int>(float const*, Axpy<int>)` → two. [] if none."""
    if not readable.endswith(")"):
        return []
    depth, at = 0, len(readable)
    types = [""]
    while at:
        at -= 1
        character = readable[at]
        depth += {")": 1, ">": 1, "]": 1, "(": -1, "<": -1, "[": -1}.get(character, 0)
        if depth == 0:
            break
        if depth == 1 and character == ",":
            types.insert(0, "")
        elif at < len(readable) - 1:
            types[0] = character + types[0]
    told = [each.strip() for each in types]
    return [] if told in ([""], ["void"]) else told


def with_types(source: str, kernel: str, readable: str) -> str:
    """HIP source with each parameter's C++ type as a comment, where the kernel's head has them one a line."""
    head = re.search(rf"^.*\bvoid {re.escape(kernel)}\(\n((?:    .*,\n)+)", source, re.MULTILINE)
    types = parameter_types(readable)
    if head is None or len(lines := head[1].splitlines()) != len(types):
        return source
    told = "".join(f"{line}  // {each}\n" for line, each in zip(lines, types, strict=True))
    return source[: head.start(1)] + told + source[head.end(1) :]
