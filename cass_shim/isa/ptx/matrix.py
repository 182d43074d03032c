"""Matrix multiplication and fragments. Source: PTX ISA 9.0 §9.7.14 (wmma, mma, ldmatrix, stmatrix, movmatrix).

Products are added in order of k with one rounding each, as the reference interpreter of the SASS does; NVIDIA does
not define the order. The fragments of wmma are opaque in PTX: here they are those of mma, block by block.
"""

from __future__ import annotations

import re

from cass_shim.isa.ptx.memory import access_space
from cass_shim.isa.ptx.spec import Use, Writer, items_of, memory, ptx
from cass_shim.isa.ptx.syntax import Integer, Operand, Vector
from cass_shim.isa.ptx.types import TYPES

# Element type → (C++ description in prelude/matrix.hip, elements in one register of the fragment).
_ELEMENTS = {
    "f16": ("PtxF16", 2), "bf16": ("PtxBf16", 2), "tf32": ("PtxTf32", 1), "f64": ("PtxF64", 1), "s8": ("PtxInt8", 4),
    "u8": ("PtxInt8", 4), "s4": ("PtxInt4", 8), "u4": ("PtxInt4", 8), "b1": ("PtxBits", 32), "e4m3": ("PtxFp8", 4),
    "e5m2": ("PtxFp8", 4),
}  # fmt: skip
# Description → shapes of mma, and types of its sums. Source: PTX ISA 9.0 §9.7.14.5.
_MMA_OF = {
    "PtxF16": "m16n8k8 m16n8k16", "PtxBf16": "m16n8k8 m16n8k16", "PtxTf32": "m16n8k4 m16n8k8",
    "PtxF64": "m8n8k4 m16n8k4 m16n8k8 m16n8k16", "PtxInt8": "m8n8k16 m16n8k16 m16n8k32", "PtxFp8": "m16n8k16 m16n8k32",
    "PtxInt4": "m8n8k32 m16n8k32 m16n8k64", "PtxBits": "m8n8k128 m16n8k128 m16n8k256",
}  # fmt: skip
_SUMS_OF = {"PtxF16": "f16 f32", "PtxFp8": "f16 f32", "PtxF64": "f64", "PtxInt8": "s32", "PtxInt4": "s32",
            "PtxBits": "s32", "PtxBf16": "f32", "PtxTf32": "f32"}  # fmt: skip
# Element type → shapes of wmma. Source: PTX ISA 9.0 §9.7.14.4.
_WMMA_OF = {
    **dict.fromkeys(("f16", "bf16", "s8", "u8"), "m16n16k16 m8n32k16 m32n8k16"), "tf32": "m16n16k8", "f64": "m8n8k4",
    **dict.fromkeys(("s4", "u4"), "m8n8k32"), "b1": "m8n8k128",
}  # fmt: skip
_INPUTS = "f16|bf16|tf32|f64|s8|u8|s4|u4|b1|e4m3|e5m2"
_MMA_SHAPES = "m16n8k4|m16n8k8|m16n8k16|m16n8k32|m16n8k64|m16n8k128|m16n8k256|m8n8k4|m8n8k16|m8n8k32|m8n8k128"
_WMMA_SHAPES = "m16n16k16|m8n32k16|m32n8k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128"


# Elements of less than a byte in a word.
_SMALLER = {"s4": 8, "u4": 8, "b1": 32}


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
    _modified(i)
    rows, columns, groups = geometry
    left, right = i["a"], i["b"]
    element = "b64" if left == "f64" else "b32"
    c_type = TYPES[element].c
    count = 2 * rows * columns
    sums = _sums(w, i, c, count)
    names = [w.fresh(name) for name in ("a", "b")]
    w.line(f"{c_type} {names[0]}[] = {{{_registers(w, a, rows * groups, element, i)}}}")
    w.line(f"{c_type} {names[1]}[] = {{{_registers(w, b, columns * groups, element, i)}}}")
    what = f"ptx_mma<{_description(left, right, operation)}, {rows}, {columns}, {groups}>"
    w.line(f"{what}({sums}, {names[0]}, {names[1]}, {str(bool(i['sat'])).lower()})")
    _give(w, i, d, sums, count)


def _modified(i: Use) -> None:
    """Only integers saturate, only f64 may name its rounding."""
    if (i["sat"] and i["d"] != "s32") or (i["rn"] and i["d"] != "f64"):
        raise i.unsupported(f"{'.satfinite' if i['sat'] else '.rn'} with sums of {i['d']}")


def _sums(w: Writer, i: Use, c: Operand, count: int) -> str:
    """The accumulators as a C++ array; those of f16 are added up in f32."""
    if i["c"] != i["d"] and not _mixes(i):
        raise i.unsupported(f"accumulators of {i['c']} for a result of {i['d']}")
    name = w.fresh("d")
    if i["c"] == "f16":
        parts = [w.get(item, "b32") for item in items_of(c, count // 2, i)]
        halves = [f"(f32)as<f16>((u16)({part}{shift}))" for part in parts for shift in ("", " >> 16")]
        w.line(f"f32 {name}[] = {{{', '.join(halves)}}}")
    else:
        w.line(f"{TYPES[i['c']].c} {name}[] = {{{_registers(w, c, count, i['c'], i)}}}")
    return name


def _mixes(i: Use) -> bool:
    """Whether accumulators may be of another type than the result, in the same lanes: in wmma of f16."""
    return i.instruction.opcode == "wmma" and i["a"] == "f16" and {i["c"], i["d"]} == {"f16", "f32"}


def _give(w: Writer, i: Use, d: Operand, sums: str, count: int) -> None:
    """The array to the result's registers."""
    if i["d"] == "f16":
        for index, item in enumerate(items_of(d, count // 2, i)):
            low, high = (f"as<u16>((f16){sums}[{2 * index + half}])" for half in (0, 1))
            w.set(item, "b32", f"(u32){low} | (u32){high} << 16")
    else:
        for index, item in enumerate(items_of(d, count, i)):
            w.set(item, i["d"], f"{sums}[{index}]")


@ptx(
    f"mma.sync.aligned.{{shape:{_MMA_SHAPES}}}.row.col.{{sat:satfinite}}?.{{d:f16|f32|f64|s32}}.{{a:{_INPUTS}}}"
    f".{{b:{_INPUTS}}}.{{c:f16|f32|f64|s32}}.{{rn}}?",
    f"mma.sync.aligned.{{shape:{_MMA_SHAPES}}}.row.col.kind::f8f6f4.{{d:f16|f32}}.{{a:e4m3|e5m2}}.{{b:e4m3|e5m2}}"
    ".{c:f16|f32}",
    only={"m8n8k4": "f64"},
)
def mma(w: Writer, i: Use) -> None:
    """d = a b + c."""
    name = _ELEMENTS[i["a"]][0]
    if name != _ELEMENTS[i["b"]][0] or i["shape"] not in _MMA_OF[name].split() or i["d"] not in _SUMS_OF[name]:
        raise i.unsupported(f"{i['shape']} of {i['a']} and {i['b']} to {i['d']}")
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
    a, b = i["a"], i["b"]
    if a != b or a == "f16" or i["shape"] not in _WMMA_OF.get(a, "").split() or i["d"] not in _SUMS_OF[_ELEMENTS[a][0]]:
        raise i.unsupported(f"{i['shape']} of {a} and {b} to {i['d']}")
    if a in _SMALLER and (i["la"], i["lb"]) != ("row", "col"):
        raise i.unsupported(f"{a} across the rows of its layout")
    _accumulate(w, i, _geometry(i["shape"], i["a"], i))


@ptx(f"wmma.mma.sync.aligned.{{la:row|col}}.{{lb:row|col}}.{{shape:{_WMMA_SHAPES}}}.{{d:f16|f32}}.{{c:f16|f32}}")
def wmma_mma_half(w: Writer, i: Use) -> None:
    """The f16 form, whose inputs go without saying; result and accumulators may differ."""
    if i["shape"] not in _WMMA_OF["f16"].split():
        raise i.unsupported(f"{i['shape']} of f16")
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
    f".{{space:global|shared|shared::cta}}?.{{t:f16|bf16|tf32|f32|f64|s8|u8|s4|u4|b1|s32}}"
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
    _stored(i, matrix)
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
    if i.t in _SMALLER:  # whole words: rows of a and columns of b are contiguous
        if not across:
            raise i.unsupported(f"{i.t} across the rows of its layout")
        stride = f"({stride}) / {_SMALLER[i.t]}"
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


def _stored(i: Use, matrix: str) -> None:
    """A matrix of this type has this shape. Accumulators are of f16, f32, s32 or f64, and say nothing of the inputs."""
    if matrix == "c":
        inputs = [each for each in _WMMA_OF if i.t in _SUMS_OF[_ELEMENTS[each][0]].split()]
    else:
        inputs = [each for each in _WMMA_OF if each == i.t]
    if not any(i["shape"] in _WMMA_OF[each].split() for each in inputs):
        raise i.unsupported(f"a matrix {matrix} of {i.t} of {i['shape']}")


_SPARSE_SHAPES = "m16n8k8|m16n8k16|m16n8k32|m16n8k64|m16n8k128"
# Element type → bits of the unit that metadata place, and k of the shapes it has. Source: PTX ISA 9.0 §9.7.14.6.
_SPARSE = {"f16": (16, (16, 32)), "bf16": (16, (16, 32)), "tf32": (32, (8, 16)), "s8": (8, (32, 64)),
           "u8": (8, (32, 64)), "s4": (8, (64, 128)), "u4": (8, (64, 128)),
           "e4m3": (8, (64,)), "e5m2": (8, (64,))}  # fmt: skip


@ptx(
    *(
        f"mma.{sparse}.sync.aligned.{{shape:{_SPARSE_SHAPES}}}.row.col.{{sat:satfinite}}?"
        f".{{d:f16|f32|s32}}.{{a:{_INPUTS}}}.{{b:{_INPUTS}}}.{{c:f16|f32|s32}}"
        for sparse in ("sp", "sp::ordered_metadata")
    )
)
def mma_sparse(w: Writer, i: Use) -> None:
    """d = a b + c, where a has half its elements and the metadata say which columns they are of."""
    d, a, b, c, metadata, selector = i.take(6)
    _modified(i)
    k = int(i["shape"].split("k")[1])
    unit, depths = _SPARSE.get(i["a"], (0, ()))
    packed = _ELEMENTS[i["a"]][1]
    name = _ELEMENTS[i["a"]][0]
    if k not in depths or name != _ELEMENTS[i["b"]][0] or i["d"] not in _SUMS_OF[name]:
        raise i.unsupported(f"sparse {i['shape']} of {i['a']} and {i['b']}")
    chunks = _metadata_words(unit, k, packed)
    if not isinstance(selector, Integer) or not 0 <= selector.value < 4 // chunks:
        raise i.unsupported(f"a selector that is not a constant of 0 to {4 // chunks - 1}")
    stored = k // 2 // (4 * packed)
    prepared = _sums(w, i, c, 4)
    names = [w.fresh(name) for name in ("a", "b")]
    w.line(f"u32 {names[0]}[] = {{{_registers(w, a, 2 * stored, 'b32', i)}}}")
    w.line(f"u32 {names[1]}[] = {{{_registers(w, b, 2 * stored, 'b32', i)}}}")
    what = f"ptx_mma_sparse<{_description(i['a'], i['b'])}, {unit}, {2 * stored}, {chunks}>"
    first = selector.value * chunks
    sat = str(bool(i["sat"])).lower()
    w.line(f"{what}({prepared}, {names[0]}, {names[1]}, {w.get(metadata, 'b32')}, {first}, {sat})")
    _give(w, i, d, prepared, 4)


def _metadata_words(unit: int, k: int, packed: int) -> int:
    """Lanes of a quad whose metadata count: each word has four bits for four groups of two rows."""
    units = k * 32 // packed // unit
    return units // (2 if unit == 32 else 4) // 4


@ptx("mma.sync.aligned.m8n8k4.{la:row|col}.{lb:row|col}.{d:f16|f32}.{a:f16}.{b:f16}.{c:f16|f32}")
def mma_quads(w: Writer, i: Use) -> None:
    """Four multiplications of 8×4 and 4×8, one by each pair of quads: the fragments of sm_70."""
    d, a, b, c = i.take(4)
    if (i["c"], i["d"]) == ("f16", "f32"):  # in other lanes: recorded on an H200, as PTX ISA 9.0 §9.7.14.5.1 says
        words, prepared = w.fresh("c"), w.fresh("d")
        w.line(f"u32 {words}[] = {{{_registers(w, c, 4, 'b32', i)}}}")
        w.line(f"f32 {prepared}[8]")
        w.line(f"ptx_quad_sums({prepared}, {words})")
    else:
        prepared = _sums(w, i, c, 8)
    names = [w.fresh(name) for name in ("a", "b")]
    w.line(f"u32 {names[0]}[] = {{{_registers(w, a, 2, 'b32', i)}}}")
    w.line(f"u32 {names[1]}[] = {{{_registers(w, b, 2, 'b32', i)}}}")
    flags = ", ".join(str(flag).lower() for flag in (i["la"] == "row", i["lb"] == "row", i["d"] == "f16"))
    w.line(f"ptx_mma_quads<{flags}>({prepared}, {names[0]}, {names[1]})")
    _give(w, i, d, prepared, 8)


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
