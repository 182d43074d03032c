"""Probes of the matrix instructions. Values are small integers in the element's format, so that sums are exact in any
order: PTX leaves the order of a float accumulation open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from tools.ptxforms.probes import CELL_BYTES, Probe

_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "e4m3": 8,
         "e5m2": 8, "f32": 32, "s32": 32}  # fmt: skip
_SUMS = {"f16": ("f16", "f32"), "bf16": ("f32",), "tf32": ("f32",), "f64": ("f64",), "e4m3": ("f32", "f16"),
         "e5m2": ("f32", "f16")}  # fmt: skip
# Element type → shapes of mma, and of sparse mma. Source: PTX ISA 9.0 §9.7.14.5 and §9.7.14.6.
DENSE = {"f16": "m16n8k8 m16n8k16", "bf16": "m16n8k8 m16n8k16", "tf32": "m16n8k4 m16n8k8",
         "f64": "m8n8k4 m16n8k4 m16n8k8 m16n8k16", "s8": "m8n8k16 m16n8k16 m16n8k32", "s4": "m8n8k32 m16n8k32 m16n8k64",
         "b1": "m8n8k128 m16n8k128 m16n8k256", "e4m3": "m16n8k16 m16n8k32"}  # fmt: skip
SPARSE = {"f16": "m16n8k16 m16n8k32", "bf16": "m16n8k16 m16n8k32", "tf32": "m16n8k8 m16n8k16",
          "s8": "m16n8k32 m16n8k64", "s4": "m16n8k64 m16n8k128", "e4m3": "m16n8k64"}  # fmt: skip
_PAIRS = {"s8": ("s8", "u8"), "s4": ("s4", "u4"), "e4m3": ("e4m3", "e5m2")}


def extents(shape: str) -> tuple[int, int, int]:
    """m, n, k of "m16n8k8"."""
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def small(type_name: str, target: str, word: str) -> list[str]:
    """PTX that makes a fragment register of small values of a type out of a random word."""
    bits = _BITS[type_name]
    if type_name[0] in "sub" and type_name != "bf16":
        return [f"mov.b32 {target}, {word};"]
    if bits >= 32:
        kind = "f64" if bits == 64 else "f32"
        moved = f"mov.b{bits} {target}, %{kind}_90;"
        return [f"bfe.s32 %s32_90, {word}, 3, 3; cvt.rn.{kind}.s32 %{kind}_90, %s32_90; {moved}"]
    lines = [f"bfe.s32 %s32_90, {word}, 0, 3; cvt.rn.f32.s32 %f32_90, %s32_90;"
             f" bfe.s32 %s32_90, {word}, 5, 3; cvt.rn.f32.s32 %f32_91, %s32_90;"]  # fmt: skip
    if bits == 16:
        return [*lines, f"cvt.rn.{type_name}x2.f32 {target}, %f32_90, %f32_91;"]
    lines.append(f"cvt.rn.satfinite.{type_name}x2.f32 %b16_90, %f32_90, %f32_91;")
    lines.append(f"bfe.s32 %s32_90, {word}, 12, 3; cvt.rn.f32.s32 %f32_90, %s32_90;")
    lines.append(
        f"cvt.rn.satfinite.{type_name}x2.f32 %b16_91, %f32_91, %f32_90; mov.b32 {target}, {{%b16_90, %b16_91}};"
    )
    return lines


def _fragment(type_name: str, elements: int, first: int, salt: int) -> tuple[list[str], str]:
    """Registers of a fragment filled with small values, and the operand."""
    bits = _BITS[type_name]
    kind = {"f64": "f64", "f32": "f32", "s32": "s32"}.get(type_name, "b32")
    count = max(elements * min(bits, 64) // (64 if bits == 64 else 32), 1)
    lines, names = [], []
    for index in range(count):
        name = f"%{kind}_{first + index}"
        lines.append(f"ld.global.b32 %b32_89, [%at_in+{4 * ((first + index) % 20)}]; xor.b32 %b32_89, %b32_89, {salt};")
        if type_name == "s32":
            lines.append(f"and.b32 {name}, %b32_89, 0xffffff;")
        else:
            lines += small(type_name, name, "%b32_89")
        names.append(name)
    return lines, "{" + ", ".join(names) + "}"


def _result(type_name: str, elements: int, first: int) -> tuple[list[str], str]:
    """Stores of the result's registers to the cell, and the operand."""
    kind = {"f16": "b32"}.get(type_name, type_name)
    count = elements // 2 if type_name == "f16" else elements
    size = 8 if type_name == "f64" else 4
    names = [f"%{kind}_{first + index}" for index in range(count)]
    stores = [f"st.global.b{8 * size} [%at_cell+{size * k}], {name};" for k, name in enumerate(names)]
    return stores, "{" + ", ".join(names) + "}"


def _multiply(head: str, shape: str, types: tuple[str, str, str], result: str = "", sparse: bool = False) -> Probe:
    """One mma: types of a, b and of the sums; result: the type of d, if it is another than that of c."""
    (m, n, k), (left, right, sums) = extents(shape), types
    quads = 4 if (m, n, k) == (8, 8, 4) and left == "f16" else 1  # four multiplications, one a quad pair
    a_lines, a = _fragment(left, m * k * quads // 32 // (2 if sparse else 1), 0, 0)
    b_lines, b = _fragment(right, n * k * quads // 32, 20, 0x5A5A5A5A)
    c_lines, c = _fragment(sums, m * n * quads // 32, 40, 0x1234567)
    stores, d = _result(result or sums, m * n * quads // 32, 60)
    metadata = _metadata(left) if sparse else []
    extra = ", %b32_88, 0" if sparse else ""
    text = f"{head} {d}, {a}, {b}, {c}{extra};"
    return Probe(head, (*a_lines, *b_lines, *c_lines, *metadata, text, *stores))


def _metadata(element: str) -> list[str]:
    """%b32_88: valid positions of the non-zero elements, chosen by the input's last word."""
    values = (0x04, 0x0E) if element == "tf32" else (0x04, 0x08, 0x0C, 0x09, 0x0D, 0x0E)
    table = sum(value << 8 * index for index, value in enumerate((values * 8)[:8]))
    lines = ["ld.global.b32 %b32_87, [%at_in+76]; mov.b32 %b32_88, 0;"]
    for nibble in range(8):
        lines.append(f"bfe.u32 %u32_90, %b32_87, {4 * nibble}, 3; shl.b32 %u32_90, %u32_90, 3;")
        lines.append(f"shr.b64 %b64_90, {table:#x}, %u32_90; cvt.u32.u64 %u32_91, %b64_90;")
        lines.append(f"bfi.b32 %b32_88, %u32_91, %b32_88, {4 * nibble}, 4;")
    return lines


def products() -> Iterator[Probe]:
    """mma and mma.sp of every shape and type."""
    for table, opcode, sparse in ((DENSE, "mma", False), (SPARSE, "mma.sp", True),
                                  (SPARSE, "mma.sp::ordered_metadata", True)):  # fmt: skip
        for element, shapes in table.items():
            for shape in shapes.split():
                pairs = product(_PAIRS.get(element, (element,)), repeat=2)
                possible = ("f32",) if sparse and element == "e4m3" else _SUMS.get(element, ("s32",))
                for (left, right), sums in product(pairs, possible):
                    saturating = ("", ".satfinite") if sums == "s32" and element != "b1" else ("",)
                    operations = (".xor.popc", ".and.popc") if element == "b1" else ("",)
                    for sat, operation in product(saturating, operations):
                        head = f"{opcode}.sync.aligned.{shape}.row.col{sat}.{sums}.{left}.{right}.{sums}{operation}"
                        yield _multiply(head, shape, (left, right, sums), sparse=sparse)
    for a, b, (result, sums) in product(("row", "col"), ("row", "col"), (("f16", "f16"), ("f32", "f32"),
                                                                        ("f32", "f16"))):  # fmt: skip
        head = f"mma.sync.aligned.m8n8k4.{a}.{b}.{result}.f16.f16.{sums}"
        yield _multiply(head, "m8n8k4", ("f16", "f16", sums), result=result)
    for shape in DENSE["f64"].split():
        yield _multiply(f"mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64.rn", shape, ("f64", "f64", "f64"))
    for left, right, sums in product(_PAIRS["e4m3"], _PAIRS["e4m3"], ("f16", "f32")):  # of sm_120: as without its kind
        typed = f"{sums}.{left}.{right}.{sums}"
        plain = _multiply(f"mma.sync.aligned.m16n8k32.row.col.{typed}", "m16n8k32", (left, right, sums))
        kind = _multiply(f"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.{typed}", "m16n8k32", (left, right, sums))
        yield replace(kind, stands=plain.body)


def moves() -> Iterator[Probe]:
    """ldmatrix, stmatrix, movmatrix. Each warp's rows are the cells of its own lanes, in shared memory."""
    row = ["mov.u32 %u32_90, %laneid; and.b32 %u32_91, %u32_90, 31;"]  # lane 8 n + r: row r of matrix n
    generic = "cvt.u64.u32 %u64_90, %at_shared; cvta.shared.u64 %b64_90, %u64_90;"
    for count, trans, space in product((1, 2, 4), ("", ".trans"), (".shared", ".shared::cta", "")):
        names = "{" + ", ".join(f"%b32_{k}" for k in range(count)) + "}"
        loads = [f"ld.global.b32 %b32_{k}, [%at_in+{4 * k}];" for k in range(count)]
        stores = [f"st.global.b32 [%at_out+{4 * k}], %b32_{k};" for k in range(count)]
        name = f"sync.aligned.m8n8.x{count}{trans}{space}.b16"
        at, first = ("[%at_shared]", row) if space else ("[%b64_90]", [*row, generic])
        barrier = "bar.sync 0;"
        needs = frozenset({"shared"})
        yield Probe(f"ldmatrix.{name}", (*first, barrier, f"ldmatrix.{name} {names}, {at};", *stores), needs)
        yield Probe(f"stmatrix.{name}", (*first, *loads, f"stmatrix.{name} {at}, {names};", barrier), needs)
    name = "movmatrix.sync.aligned.m8n8.trans.b16"
    yield Probe(
        name, ("ld.global.b32 %b32_0, [%at_in];", f"{name} %b32_1, %b32_0;", "st.global.b32 [%at_out], %b32_1;")
    )


WMMA = {
    "f16": "m16n16k16 m8n32k16 m32n8k16", "bf16": "m16n16k16 m8n32k16 m32n8k16", "tf32": "m16n16k8", "f64": "m8n8k4",
    "s8": "m16n16k16 m8n32k16 m32n8k16", "u8": "m16n16k16 m8n32k16 m32n8k16", "s4": "m8n8k32", "u4": "m8n8k32",
    "b1": "m8n8k128",
}  # fmt: skip
_A_AT, _B_AT, _C_AT = 0, 1024, 2048  # of the 4 KiB of a warp pair, whose even warp multiplies


def tiles() -> Iterator[Probe]:
    """wmma.load, wmma.mma and wmma.store together: fragments are opaque."""
    for element, shapes in WMMA.items():
        layouts = ("row", "col") if _BITS[element] >= 8 else ()
        pairs = list(product(layouts, layouts)) or [("row", "col")]
        for shape, (la, lb), sums in product(shapes.split(), pairs, _SUMS.get(element, ("s32",))):
            for operation in (".xor.popc", ".and.popc") if element == "b1" else ("",):
                for d in ("row", "col"):
                    yield _tile(Tile(element, shape, (la, lb, d), sums, operation))
            plain = Tile(element, shape, (la, lb, "row"), sums, ".xor.popc" if element == "b1" else "")
            yield from _variants(plain)


def _variants(plain: Tile) -> Iterator[Probe]:
    """The same from other memory, without strides, with other sums and modifiers."""
    la, lb, _ = plain.layouts
    for space, stride in product(("", ".shared", ".shared::cta"), (True, False)):
        for d in ("row", "col") if (la == lb or _BITS[plain.element] < 8) else ():
            yield _tile(replace(plain, layouts=(la, lb, d), space=space, stride=stride))
    yield _tile(replace(plain, stride=False))
    if plain.sums == "s32" and plain.element != "b1":
        yield _tile(replace(plain, last=".satfinite"))
    if plain.element == "f64":
        yield _tile(replace(plain, last=".rn"))
    if plain.element == "f16":
        yield _tile(replace(plain, result="f32" if plain.sums == "f16" else "f16"))


@dataclass(frozen=True)
class Tile:
    """One wmma. layouts: of a, b and the sums; result: the type of d, if not that of c; last: of ".rn", ".satfinite".

    stride: whether the loads and the store say one, or mean the tight one.
    """

    element: str
    shape: str
    layouts: tuple[str, str, str]
    sums: str
    operation: str = ""
    space: str = ".global"
    stride: bool = True
    result: str = ""
    last: str = ""

    @property
    def instruction(self) -> str:
        """wmma.mma with all its modifiers."""
        d = self.result or self.sums
        half = self.element == "f16"
        typed = f".{d}.{self.sums}" if half else f".{d}.{self.element}.{self.element}.{self.sums}"
        la, lb, _ = self.layouts
        return f"wmma.mma{self.operation}.sync.aligned.{la}.{lb}.{self.shape}{typed}{self.last}"

    @property
    def name(self) -> str:
        """Of the probe."""
        apart = "" if self.space == ".global" else f" {self.space or 'generic'}"
        return f"{self.instruction} {self.layouts[2]}{apart}{'' if self.stride else ' tight'}"


def _registers(matrix: str, element: str, shape: str) -> tuple[int, str]:
    """Registers of a wmma fragment and their class. Source: PTX ISA 9.0 §9.7.14.4.1."""
    m, n, k = extents(shape)
    if matrix == "c":
        return {"f16": m * n // 64, "f64": 2}.get(element, m * n // 32), {"f64": "f64", "f32": "f32"}.get(
            element, "b32"
        )
    if element == "f16":
        return 8, "b32"
    if element in ("f64", "s4", "u4", "b1"):
        return 1, "f64" if element == "f64" else "b32"
    rows = m if matrix == "a" else n
    return rows * k * _BITS[element] // 1024, "b32"


def _tile(tile: Tile) -> Probe:
    m, n, k = extents(tile.shape)
    la, lb, layout_d = tile.layouts
    tight = {"a": k if la == "row" else m, "b": n if lb == "row" else k, "c": n if layout_d == "row" else m}
    copied, base, back = _elsewhere(tile.space)
    operands, lines = {}, [*_warp_pair(tile.element, tile.sums), *copied]
    strides = {matrix: f", {count}" if tile.stride else "" for matrix, count in tight.items()}
    for matrix, at, first, layout in (("a", _A_AT, 0, la), ("b", _B_AT, 20, lb), ("c", _C_AT, 40, layout_d)):
        kind = tile.sums if matrix == "c" else tile.element
        count, letter = _registers(matrix, kind, tile.shape)
        operands[matrix] = "{" + ", ".join(f"%{letter}_{first + index}" for index in range(count)) + "}"
        name = f"wmma.load.{matrix}.sync.aligned.{layout}.{tile.shape}{tile.space}.{kind}"
        lines.append(f"{name} {operands[matrix]}, [{base}+{at}]{strides[matrix]};")
    d = tile.result or tile.sums
    count, letter = _registers("c", d, tile.shape)
    result = "{" + ", ".join(f"%{letter}_{60 + index}" for index in range(count)) + "}"
    lines.append(f"{tile.instruction} {result}, {operands['a']}, {operands['b']}, {operands['c']};")
    store = f"wmma.store.d.sync.aligned.{layout_d}.{tile.shape}{tile.space}.{d}"
    lines.append(f"{store} [{base}+{_C_AT}], {result}{strides['c']};")
    return Probe(tile.name, (*lines, *back))


def _elsewhere(space: str) -> tuple[list[str], str, list[str]]:
    """What copies the warp pair's cells to shared memory, where they lie then, and what copies them back."""
    if space == ".global":
        return [], "%at_cell", []
    lines = [".shared .align 128 .b8 tiles[16384];",
             "mov.u32 %u32_82, tiles; and.b32 %u32_83, %lane, 192; mad.lo.u32 %u32_82, %u32_83, 64, %u32_82;",
             "mad.lo.u32 %u32_84, %u32_81, 128, %u32_82;",
             "cvt.u64.u32 %u64_83, %u32_82; cvta.shared.u64 %b64_83, %u64_83;"]  # fmt: skip
    four, back = "{%b32_90, %b32_91, %b32_92, %b32_93}", ["bar.warp.sync 0xffffffff;"]
    for at in range(0, 2 * CELL_BYTES, 16):
        lines.append(f"ld.global.v4.b32 {four}, [%u64_81+{at}]; st.shared.v4.b32 [%u32_84+{at}], {four};")
        back.append(f"ld.shared.v4.b32 {four}, [%u32_84+{at}]; st.global.v4.b32 [%u64_81+{at}], {four};")
    lines.append("bar.warp.sync 0xffffffff;")
    return lines, "%u32_82" if space else "%b64_83", back


def _warp_pair(element: str, sums: str) -> list[str]:
    """Ends odd warps; an even one makes the pair's cells small values: a, b, then c and d; %at_cell their start."""
    half = CELL_BYTES * 2
    lines = ["and.b32 %u32_80, %lane, 32; setp.ne.u32 %pred_80, %u32_80, 0; @%pred_80 ret;",
             "and.b32 %u32_81, %lane, 31; cvt.u64.u32 %u64_80, %u32_81;"
             f" mul.lo.u64 %u64_80, %u64_80, {CELL_BYTES}; sub.u64 %at_cell, %at_cell, %u64_80;",
             "add.u64 %u64_81, %at_cell, %u64_80; add.u64 %u64_81, %u64_81, %u64_80;",
             "setp.ge.u32 %pred_81, %u32_81, 16;"]  # fmt: skip
    if element == "f64":
        for word in range(half // 8):
            lines += [f"ld.global.b32 %b32_85, [%u64_81+{8 * word}];", *small("f64", "%b64_86", "%b32_85")]
            lines.append(f"st.global.b64 [%u64_81+{8 * word}], %b64_86;")
    else:
        for word in range(half // 4):
            lines += [f"ld.global.b32 %b32_85, [%u64_81+{4 * word}];", *small(element, "%b32_86", "%b32_85")]
            lines += small(sums, "%b32_87", "%b32_85") if sums != "s32" else ["and.b32 %b32_87, %b32_85, 0xffffff;"]
            lines.append(f"selp.b32 %b32_86, %b32_87, %b32_86, %pred_81; st.global.b32 [%u64_81+{4 * word}], %b32_86;")
    return [*lines, "bar.warp.sync 0xffffffff;"]
