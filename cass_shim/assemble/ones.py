"""64-bit ors of which one half is known to be all ones.

LLVM's `SIFoldOperands` makes a move of x out of `or x, -1` where it finds the -1 only then (22 and before;
llvm/llvm-project#189677, mended in March 2026 by #189655). The selector folds constants before, but looks at 64-bit
values as wholes: that `~zext(a)`, `zext(a) ^ -5` or a choice of two negative numbers has an upper half of -1 is seen
only after it has split the or. Generated kernel 6236 got the complement of a population count wrong by it. Here the
half that is not known becomes an or of 32 bits, and the other a constant of the IR.

In: optimised IR as text. Out: the same text with such ors rewritten, or None where there are none.
"""

from __future__ import annotations

import re

from cass_shim.assemble.ir_text import NAME, functions

ONES = 0xFFFFFFFF
Halves = tuple[int | None, int | None]  # low, high; None: not known
_UNKNOWN: Halves = (None, None)

_ONE = rf"(?:{NAME}|-?\d+)"
_DEFINED = re.compile(rf"^  (?P<name>{NAME}) = (?P<rest>.*)$")
_LOGIC = re.compile(rf"^(?P<op>and|or|xor) (?:disjoint )?i64 (?P<a>{_ONE}), (?P<b>{_ONE})")
_SHIFT = re.compile(rf"^(?P<op>shl|lshr|ashr) (?:nuw |nsw |exact )*i64 (?P<a>{_ONE}), (?P<n>\d+)(?!\w)")
_ZEXT = re.compile(rf"^zext (?:nneg )?i(?P<bits>[12]?\d|3[012]) (?P<a>{_ONE}) to i64")
_SAME = re.compile(rf"^(?:freeze i64|bitcast (?:<2 x i32>|i64)) (?P<a>{NAME})(?: to (?:i64|<2 x i32>))?(?:,|$)")
_TRUNC = re.compile(rf"^trunc (?:nuw |nsw )*i64 (?P<a>{NAME}) to i32")
_SELECT = re.compile(
    r"^select i1 [^,]+, (?P<type>i64|<2 x i32>) (?P<a><[^>]*>|[^,]+), (?P=type) (?P<b><[^>]*>|splat \(.*?\)|[^,\s]+)"
)
_INSERT = re.compile(r"^insertelement <2 x i32> (?P<a><[^>]*>|[^,]+), i32 (?P<v>[^,]+), i(?:32|64) (?P<at>[01])\b")
_COUNT = re.compile(r"call i64 @llvm\.(?:ctpop\.i64|ctlz\.i64|cttz\.i64|amdgcn\.ballot\.i64)\(")
_CHOICE = re.compile(rf"call i64 @llvm\.[su](?:min|max)\.i64\(i64 (?P<a>{_ONE}), i64 (?P<b>{_ONE})\)")
_TURN = re.compile(rf"call i64 @llvm\.fsh[lr]\.i64\(i64 (?P<a>{_ONE}), i64 (?P<b>{_ONE}), i64 32\)")
_FOLDED = frozenset({
    "and", "or", "xor", "shl", "lshr", "ashr", "zext", "freeze", "bitcast", "trunc", "call", "tail", "select",
    "insertelement",
})  # fmt: skip
_ATTRIBUTE = re.compile(r"(?:noundef|range\([^)]*\)) ")
_LANES = re.compile(r"<i32 (?P<low>-?\w+), i32 (?P<high>-?\w+)>")
_SPLAT = re.compile(r"splat \(i32 (-?\d+)\)")


def whole(text: str) -> str | None:
    """The module with the ors that could be lost rewritten; None where it has none."""
    lines = text.split("\n")
    written: dict[int, list[str]] = {}
    for start, end in functions(lines):
        wide = (at for at in range(start, end) if "i64" in lines[at] or "<2 x i32>" in lines[at])
        rows = [(at, d["name"], d["rest"]) for at in wide if (d := _DEFINED.match(lines[at]))]
        if not any(rest.startswith("or ") for _, _, rest in rows):
            continue
        known = _known(rows)
        for at, name, rest in rows:
            if (code := _rewritten(name, rest, known, len(written))) is not None:
                written[at] = code
    if not written:
        return None
    return "\n".join(one for at, line in enumerate(lines) for one in written.get(at, [line]))


def _known(rows: list[tuple[int, str, str]]) -> dict[str, Halves]:
    """Name → its halves that are constants. Blocks may stand before those they need: until nothing is new."""
    known: dict[str, Halves] = {}
    changed = True
    while changed:
        changed = False
        for _, name, rest in rows:
            halves = _halves(rest, known)
            if halves != known.get(name, _UNKNOWN):
                known[name] = halves
                changed = True
    return known


def _halves(rest: str, known: dict[str, Halves]) -> Halves:
    """What the halves of an instruction's result are, as far as folding of constants can show."""
    if rest.partition(" ")[0] not in _FOLDED:
        return _UNKNOWN
    if found := _LOGIC.match(rest):
        a, b = _value(found["a"], known), _value(found["b"], known)
        return _logic(found["op"], a[0], b[0]), _logic(found["op"], a[1], b[1])
    if found := _SHIFT.match(rest):
        return _shifted(found["op"], _value(found["a"], known), int(found["n"]))
    if found := _ZEXT.match(rest):
        return (_value(found["a"], known)[0] if found["bits"] == "32" else None), 0
    if found := _TRUNC.match(rest):
        return _value(found["a"], known)[0], None
    if found := _SAME.match(rest):
        return _value(found["a"], known)
    if rest.startswith(("call", "tail call")):
        return _called(_ATTRIBUTE.sub("", rest), known)
    if found := _SELECT.match(rest):
        return _either(_value(found["a"], known), _value(found["b"], known))
    if found := _INSERT.match(rest):
        (low, high), new = _value(found["a"], known), _value(found["v"], known)[0]
        return (new, high) if found["at"] == "0" else (low, new)
    return _UNKNOWN


def _called(rest: str, known: dict[str, Halves]) -> Halves:
    if found := _CHOICE.search(rest):
        return _either(_value(found["a"], known), _value(found["b"], known))
    if found := _TURN.search(rest):
        return _value(found["b"], known)[1], _value(found["a"], known)[0]
    return (None, 0) if _COUNT.search(rest) else _UNKNOWN


def _either(a: Halves, b: Halves) -> Halves:
    """What two values have in common."""
    return a[0] if a[0] == b[0] else None, a[1] if a[1] == b[1] else None


def _value(text: str, known: dict[str, Halves]) -> Halves:
    """The halves of an operand: a name, a number, or a vector of two."""
    if text.startswith("%"):
        return known.get(text, _UNKNOWN)
    if re.fullmatch(r"-?\d+", text):
        return int(text) & ONES, int(text) >> 32 & ONES
    if lanes := _LANES.fullmatch(text):
        return _number(lanes["low"]), _number(lanes["high"])
    if splat := _SPLAT.fullmatch(text):
        return _number(splat[1]), _number(splat[1])
    return (0, 0) if text == "zeroinitializer" else _UNKNOWN


def _number(text: str) -> int | None:
    return int(text) & ONES if re.fullmatch(r"-?\d+", text) else None  # else poison


def _logic(operation: str, a: int | None, b: int | None) -> int | None:
    if operation == "and":
        return 0 if 0 in (a, b) else None if a is None or b is None else a & b
    if operation == "or":
        return ONES if ONES in (a, b) else None if a is None or b is None else a | b
    return None if a is None or b is None else a ^ b


def _shifted(operation: str, value: Halves, by: int) -> Halves:
    low, high = value
    if low is not None and high is not None:
        number = high << 32 | low
        signed = number - (1 << 64) if operation == "ashr" and high >> 31 else number
        moved = number << by if operation == "shl" else signed >> by
        return moved & ONES, moved >> 32 & ONES
    if by < 32:
        return _UNKNOWN
    if operation == "shl":
        return 0, None if low is None else low << by - 32 & ONES
    if operation == "lshr":
        return None if high is None else high >> by - 32, 0
    return _UNKNOWN if high is None else _shifted("ashr", (0, high), by)


def _rewritten(name: str, rest: str, known: dict[str, Halves], number: int) -> list[str] | None:
    """An or of two values as code in which no half is or'ed with a -1 that only appears later; None to leave it."""
    found = _LOGIC.match(rest)
    low, high = known.get(name, _UNKNOWN)
    if not found or found["op"] != "or" or ONES not in (low, high):
        return None
    if not (found["a"].startswith("%") and found["b"].startswith("%")):  # the selector splits ors with constants
        return None
    if low == high:
        return [f"  {name} = or i64 -1, 0"]
    kept = f"%whole.{number}"
    code = []
    for side in "ab":
        value = found[side]
        if low == ONES:
            code.append(f"  {kept}.{side}.high = lshr i64 {value}, 32")
            value = f"{kept}.{side}.high"
        code.append(f"  {kept}.{side} = trunc i64 {value} to i32")
    code += [f"  {kept}.or = or i32 {kept}.a, {kept}.b", f"  {kept}.wide = zext i32 {kept}.or to i64"]
    if high == ONES:
        return [*code, f"  {name} = or i64 {kept}.wide, {-1 << 32}"]
    return [*code, f"  {kept}.up = shl i64 {kept}.wide, 32", f"  {name} = or i64 {kept}.up, {ONES}"]
