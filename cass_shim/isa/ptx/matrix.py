"""Matrix multiplication and fragments. Source: PTX ISA 9.0 §9.7.14 (wmma, mma, ldmatrix, stmatrix, movmatrix).

Products are added in order of k with one rounding each, as the reference interpreter of the SASS does; NVIDIA does
not define the order. The fragments of wmma are opaque in PTX: here they are those of mma, block by block.
"""

from __future__ import annotations

import re

from cass_shim.isa.ptx.memory import access_space
from cass_shim.isa.ptx.spec import Use, Writer, items_of, memory, ptx
from cass_shim.isa.ptx.syntax import Operand, Vector
from cass_shim.isa.ptx.types import TYPES

# Element type → (C++ description in prelude/matrix.hip, elements in one register of the fragment).
_ELEMENTS = {
    "f16": ("PtxF16", 2), "bf16": ("PtxBf16", 2), "tf32": ("PtxTf32", 1), "f64": ("PtxF64", 1), "s8": ("PtxInt8", 4),
    "u8": ("PtxInt8", 4), "s4": ("PtxInt4", 8), "u4": ("PtxInt4", 8), "b1": ("PtxBits", 32), "e4m3": ("PtxFp8", 4),
    "e5m2": ("PtxFp8", 4),
}  # fmt: skip
_INPUTS = "f16|bf16|tf32|f64|s8|u8|s4|u4|b1|e4m3|e5m2"
_MMA_SHAPES = "m16n8k4|m16n8k8|m16n8k16|m16n8k32|m16n8k64|m16n8k128|m16n8k256|m8n8k4|m8n8k16|m8n8k32|m8n8k128"
_WMMA_SHAPES = "m16n16k16|m8n32k16|m32n8k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128"


def _description(a: str, b: str, operation: str = "") -> str:
    """The C++ type that multiplies elements of a with elements of b."""
    name = _ELEMENTS[a][0]
    if name in ("PtxInt8", "PtxInt4"):
        return f"{name}<{str(a[0] == 's').lower()}, {str(b[0] == 's').lower()}>"
    if name == "PtxFp8":
        return f"{name}<{int(a == 'e5m2')}, {int(b == 'e5m2')}>"
    return f"PtxBits<{str(operation == 'and').lower()}>" if name == "PtxBits" else name


def _geometry(shape: str, a: str, i: Use) -> tuple[int, int, int]:
    """Row blocks of 8, column blocks of 8, k groups: how many fragments of each matrix there are."""
    found = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", shape)
    assert found is not None
    m, n, k = (int(part) for part in found.groups())
    per_group = 4 * _ELEMENTS[a][1]
    if k % per_group:
        raise i.unsupported(f"{shape} of {a}")
    return m // 8, n // 8, k // per_group


def _registers(w: Writer, operand: Operand, count: int, type_name: str, i: Use) -> str:
    """`count` registers of a fragment as a C++ initialiser; wmma lists some of them twice, those are ignored."""
    items = operand.items if isinstance(operand, Vector) else (operand,)
    if len(items) < count:
        raise i.unsupported(f"{len(items)} registers, expected {count}")
    return ", ".join(w.get(item, type_name) for item in items[:count])


def _accumulate(w: Writer, i: Use, geometry: tuple[int, int, int], operation: str = "") -> None:
    """d = a b + c on fragments."""
    d, a, b, c = i.take(4)
    rows, columns, groups = geometry
    result, left, right = i["d"], i["a"], i["b"]
    if i["c"] != result:
        raise i.unsupported(f"accumulators of {i['c']} for a result of {result}")
    element = "b64" if left == "f64" else "b32"
    c_type = TYPES[element].c
    names = [w.fresh(name) for name in ("a", "b", "d")]
    count = 2 * rows * columns
    w.line(f"{c_type} {names[0]}[] = {{{_registers(w, a, rows * groups, element, i)}}}")
    w.line(f"{c_type} {names[1]}[] = {{{_registers(w, b, columns * groups, element, i)}}}")
    sums = "f32" if result == "f16" else result
    if result == "f16":
        parts = [w.get(item, "b32") for item in items_of(c, count // 2, i)]
        halves = [f"(f32)as<f16>((u16)({part}{shift}))" for part in parts for shift in ("", " >> 16")]
        w.line(f"f32 {names[2]}[] = {{{', '.join(halves)}}}")
    else:
        w.line(f"{TYPES[sums].c} {names[2]}[] = {{{_registers(w, c, count, sums, i)}}}")
    what = f"ptx_mma<{_description(left, right, operation)}, {rows}, {columns}, {groups}>"
    w.line(f"{what}({names[2]}, {names[0]}, {names[1]}, {str(bool(i['sat'])).lower()})")
    if result == "f16":
        for index, item in enumerate(items_of(d, count // 2, i)):
            low, high = (f"as<u16>((f16){names[2]}[{2 * index + half}])" for half in (0, 1))
            w.set(item, "b32", f"(u32){low} | (u32){high} << 16")
    else:
        for index, item in enumerate(items_of(d, count, i)):
            w.set(item, sums, f"{names[2]}[{index}]")


@ptx(
    f"mma.sync.aligned.{{shape:{_MMA_SHAPES}}}.row.col.{{sat:satfinite}}?.{{d:f16|f32|f64|s32}}.{{a:{_INPUTS}}}"
    f".{{b:{_INPUTS}}}.{{c:f16|f32|f64|s32}}.{{rn}}?",
    f"mma.sync.aligned.{{shape:{_MMA_SHAPES}}}.row.col.kind::f8f6f4.{{d:f16|f32}}.{{a:e4m3|e5m2}}.{{b:e4m3|e5m2}}"
    ".{c:f16|f32}",
)
def mma(w: Writer, i: Use) -> None:
    """d = a b + c."""
    if i["shape"] == "m8n8k4" and i["a"] != "f64":
        raise i.unsupported("the fragments of sm_70")
    _accumulate(w, i, _geometry(i["shape"], i["a"], i))


@ptx("mma.sync.aligned.{shape:m8n8k128|m16n8k128|m16n8k256}.row.col.{d:s32}.{a:b1}.{b:b1}.{c:s32}"
     ".{op:xor|and}.popc")  # fmt: skip
def mma_bits(w: Writer, i: Use) -> None:
    """d = popc(a op b) + c."""
    _accumulate(w, i, _geometry(i["shape"], "b1", i), i["op"])


@ptx(
    f"wmma.mma.sync.aligned.{{la:row|col}}.{{lb:row|col}}.{{shape:{_WMMA_SHAPES}}}.{{d:f16|f32|f64|s32}}"
    f".{{a:{_INPUTS}}}.{{b:{_INPUTS}}}.{{c:f16|f32|f64|s32}}.{{rn}}?.{{sat:satfinite}}?"
)
def wmma_mma(w: Writer, i: Use) -> None:
    """d = a b + c; the layouts say how the matrices lay in memory and change nothing for fragments."""
    _accumulate(w, i, _geometry(i["shape"], i["a"], i))


@ptx(f"wmma.mma.sync.aligned.{{la:row|col}}.{{lb:row|col}}.{{shape:{_WMMA_SHAPES}}}.{{d:f16|f32}}.{{c:f16|f32}}")
def wmma_mma_half(w: Writer, i: Use) -> None:
    """The f16 form, whose inputs go without saying; result and accumulators may differ."""
    fields = {**i.fields, "a": "f16", "b": "f16"}
    _accumulate(w, Use(i.instruction, fields), _geometry(i["shape"], "f16", i))


@ptx(
    "wmma.mma.{op:xor|and}.popc.sync.aligned.row.col.{shape:m8n8k128}.{d:s32}.{a:b1}.{b:b1}.{c:s32}",
)
def wmma_bits(w: Writer, i: Use) -> None:
    """d = popc(a op b) + c."""
    _accumulate(w, i, _geometry(i["shape"], "b1", i), i["op"])


@ptx(
    f"wmma.load.{{matrix:a|b|c}}.sync.aligned.{{layout:row|col}}.{{shape:{_WMMA_SHAPES}}}"
    f".{{space:global|shared|shared::cta}}?.{{t:f16|bf16|tf32|f32|f64|s8|u8|s32}}"
)
def wmma_load(w: Writer, i: Use) -> None:
    """A fragment from memory; the stride is in elements, by default the tight one."""
    r, address = i.take(2, 3)[:2]
    count, call, parts = _transfer(w, i, address, "load")
    name = w.fresh("fragment")
    w.line(f"{parts} {name}[{count}]")
    w.line(call.format(name))
    element = "b64" if i.t == "f64" else "b32"
    items = r.items if isinstance(r, Vector) else (r,)
    for index, item in enumerate(items):
        w.set(item, element, f"{name}[{index % count}]")


@ptx(
    f"wmma.store.d.sync.aligned.{{layout:row|col}}.{{shape:{_WMMA_SHAPES}}}"
    f".{{space:global|shared|shared::cta}}?.{{t:f16|f32|f64|s32}}"
)
def wmma_store(w: Writer, i: Use) -> None:
    """A fragment to memory."""
    address, r = i.take(2, 3)[:2]
    count, call, parts = _transfer(w, i, address, "store")
    element = "b64" if i.t == "f64" else "b32"
    name = w.fresh("fragment")
    w.line(f"{parts} {name}[] = {{{_registers(w, r, count, element, i)}}}")
    w.line(call.format(name))


def _transfer(w: Writer, i: Use, address: Operand, way: str) -> tuple[int, str, str]:
    """Registers of the fragment, the call with a place for its name, and the C++ type of a register."""
    matrix = i["matrix"] or "c"
    sample = i.t if matrix != "c" else "f16"
    found = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", i["shape"])
    assert found is not None
    m, n, k = (int(part) for part in found.groups())
    packed = {"f16": 2, "bf16": 2, "s8": 4, "u8": 4}.get(i.t, 1)
    size = {"f16": 2, "bf16": 2, "s8": 1, "u8": 1, "f64": 8}.get(i.t, 4)
    extents = {"a": (m, k), "b": (n, k), "c": (m, n)}[matrix]
    across = (i["layout"] == "row") == (matrix != "b")  # whether the fragment's second index is contiguous
    tight = extents[1] if across else extents[0]
    stride = w.get(i.operands[2], "u32") if len(i.operands) == 3 else str(tight)
    space = access_space(w, i, address)
    qualifier = {"": "", "global": "GLOBAL ", "shared": "SHARED "}[space]
    if matrix == "c":
        count = 2 * (m // 8) * (n // 8) // (2 if i.t == "f16" else 1)
        blocks = f"{m // 8}, {n // 8}"
    else:
        rows, columns, groups = _geometry(i["shape"], sample, i)
        count = (rows if matrix == "a" else columns) * groups
        blocks = f"{rows if matrix == 'a' else columns}, {groups}"
    kind = "accumulator" if matrix == "c" else "a" if matrix == "a" else "b"
    unit = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}[size]
    where = w.address(memory(address, i), space)
    pointer = f"({qualifier}{unit} *)({where})"
    call = f"ptx_wmma_{way}_{kind}<{blocks}, {packed}>({{}}, {pointer}, {stride}, {str(across).lower()})"
    return count, call, "u64" if i.t == "f64" else "u32"


@ptx("ldmatrix.sync.aligned.m8n8.{count:x1|x2|x4}.{trans}?.{space:shared|shared::cta}?.{t:b16}")
def ldmatrix(w: Writer, i: Use) -> None:
    """8×8 matrices of b16; lane 8 n + r gives the address of row r of matrix n."""
    d, a = i.take(2)
    count = int(i["count"][1])
    name, at = w.fresh("row"), w.address(memory(a, i), "shared")
    w.line(f"u32 {name} = {at}")
    trans = "_trans" if i["trans"] else ""
    for index, item in enumerate(items_of(d, count, i)):
        w.set(item, "b32", f"ptx_ldmatrix{trans}({name}, {index})")


@ptx("stmatrix.sync.aligned.m8n8.{count:x1|x2|x4}.{trans}?.{space:shared|shared::cta}?.{t:b16}")
def stmatrix(w: Writer, i: Use) -> None:
    """The inverse of ldmatrix."""
    a, r = i.take(2)
    count = int(i["count"][1])
    name, at = w.fresh("row"), w.address(memory(a, i), "shared")
    w.line(f"u32 {name} = {at}")
    trans = "_trans" if i["trans"] else ""
    for index, item in enumerate(items_of(r, count, i)):
        w.line(f"ptx_stmatrix{trans}({name}, {index}, {w.get(item, 'b32')})")


@ptx("movmatrix.sync.aligned.m8n8.trans.{t:b16}")
def movmatrix(w: Writer, i: Use) -> None:
    """The transpose of an 8×8 matrix of b16 held by the warp."""
    d, a = i.take(2)
    w.set(d, "b32", f"ptx_movmatrix({w.get(a, 'b32')})")
