"""Sums with +0 that code generation would take for negations.

LLVM's selection for AMDGPU (22 and before: `SelectVOP3ModsImpl`) folds `fsub ±0, x` into a source's sign, where +0 - x
is +0 for x = +0 and the sign's change is -0; its combiner makes that subtraction of every +0 + y whose y it sees to be
a negation. Of 9,425 generated kernels one (5605) got a wrong sign by it and three (4987, 8217, 8528) were refused. A
constrained operation is another node, which no fold reads, and becomes the same instruction.

In: optimised IR as text. Out: the same text with such sums constrained, or None where there are none.
"""

from __future__ import annotations

import re
from functools import partial

_INTRINSICS = {"half": "f16", "float": "f32", "double": "f64"}
_TYPE = r"(?P<type>half|float|double)"
_ZERO = r"(?:0\.0+e\+00|0xH0000)"
_VALUE = r"(?P<value>%[\w.]+)"
_SUMS = {
    "fsub": re.compile(rf"= fsub {_TYPE} {_ZERO}, {_VALUE}"),
    "fadd": re.compile(rf"= fadd {_TYPE} (?:{_ZERO}, (?P<second>%[\w.]+)|{_VALUE}, {_ZERO}(?![\w.]))"),
}
# The same thing to the later combiner: x times -1 plus +0.
_PRODUCT = re.compile(
    rf"= (?:tail )?call {_TYPE} @llvm\.fma\.f\d+\((?P=type) {_VALUE}, "
    rf"(?P=type) (?:-1\.0+e\+00|0xHBC00), (?P=type) {_ZERO}\)"
)


def constrained(text: str) -> str | None:
    """The module with every `+0 - x` and `x + 0` as a constrained operation to nearest; None where it has none."""
    if not any(pattern.search(text) for pattern in (*_SUMS.values(), _PRODUCT)):
        return None
    used: set[tuple[str, str]] = set()

    def replaced(operation: str, found: re.Match[str]) -> str:
        kind = found["type"]
        used.add((operation, kind))
        value = found["value"] or found["second"]
        zero = f"{kind} {'0xH0000' if kind == 'half' else '0.0'}"
        return (
            f"= call {kind} {_name(operation, kind)}({zero}, {kind} {value}, "
            'metadata !"round.tonearest", metadata !"fpexcept.ignore")'
        )

    for operation, pattern in _SUMS.items():
        text = pattern.sub(partial(replaced, operation), text)
    text = _PRODUCT.sub(partial(replaced, "fsub"), text)
    declared = (f"declare {kind} {_name(op, kind)}({kind}, {kind}, metadata, metadata)" for op, kind in sorted(used))
    return "\n".join([text, *(line for line in declared if line not in text), ""])


def _name(operation: str, kind: str) -> str:
    return f"@llvm.experimental.constrained.{operation}.{_INTRINSICS[kind]}"
