"""Loads and stores of every space, constants, and asynchronous copies. Source: sass.md §5.5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import (
    V,
    address32,
    address64,
    constant,
    immediate,
    predicate,
    put32,
    put64,
    put_predicate,
    registers,
    unwanted,
)
from cass_shim.isa.spec import Effect, sass, unsupported
from cass_shim.model.instruction import Const, Instruction, Mem, Operand, Pred

_WIDTHS = "U8 S8 U16 S16 32 64 128 256 U"
# Cache hints: which level keeps the line, and how much of it to fetch. None changes a value.
_HINTS = "E EF EL LU NA EU EFL2 ENL2 ELL2 LTC64B LTC128B LTC256B CONSTANT PRIVATE"
_STRENGTH = "STRONG WEAK CTA SM GPU SYS"
_SPACES = {"G": "global", "S": "shared", "L": "local", "": "generic"}


def shape(i: Instruction) -> tuple[int, bool, int]:
    """(bits of an element, signed, registers) of an access."""
    for name in ("U8", "S8", "U16", "S16"):
        if i.has(name):
            return int(name[1:]), name[0] == "S", 1
    return 32, False, 4 if i.has("128") else 2 if i.has("64") else 1


def scope(i: Instruction) -> str:
    """The scope that a strong operation names, device-wide when it names none."""
    if i.has("SYS"):
        return "sys"
    return "cta" if i.has("SM", "CTA") else "gpu"


def order(i: Instruction) -> str:
    """ "weak", or the scope of a strong access."""
    return scope(i) if i.has("STRONG") else "weak"


def address(e: Emitter[V], space: str, operand: Operand) -> V:
    """The address operand of an access to a space."""
    if space not in ("global", "generic"):
        return address32(e, operand)
    if isinstance(operand, Mem) and operand.uniform is None and operand.base is not None:
        # .E prints [R2] for a pair to which nothing uniform is added (recorded: PTX's atom.cas.b16)
        return address64(e, operand, wide="U32" not in operand.base.suffix)
    return address64(e, operand)


@sass("LDG", "LD", "LDS", "LDL", modifiers=f"{_WIDTHS} {_HINTS} {_STRENGTH}", effect=Effect.MEMORY)
def load(e: Emitter[V], i: Instruction) -> None:
    """dst = memory; 64 and 128 bits fill consecutive registers."""
    operands = [o for o in i.operands if not isinstance(o, Pred)]
    if any(not unwanted(o) for o in i.operands if isinstance(o, Pred)):
        raise unsupported(i, "predicate result")
    if i.has("256"):
        _load_wide(e, i, operands)
        return
    if len(operands) != 2:
        raise unsupported(i, "predicate result")
    dst, where = operands
    space = _SPACES[i.mnemonic[2:]]
    bits, signed, count = shape(i)
    values = e.load(space, address(e, space, where), bits, count, signed, order(i))
    for part, value in enumerate(values):
        put32(e, dst, value, part)


def _wide_address(e: Emitter[V], i: Instruction, where: Operand) -> list[V]:
    """Both halves of 32 bytes."""
    if i.mnemonic not in ("LDG", "STG"):
        raise unsupported(i)
    low = address(e, "global", where)
    return [low, e.add(low, e.const(16, 64))]


def _load_wide(e: Emitter[V], i: Instruction, operands: Sequence[Operand]) -> None:
    """32 bytes (sm_100 on): words 4 to 7, then 0 to 3; a mask names those that are wanted, packed in each half.

    Read off what ptxas 13.0 makes of ld.global.v8 whose results are used in part.
    """
    high, low, where, *rest = operands
    mask = immediate(rest[0]) if rest else 0xFF
    places = _wide_address(e, i, where)
    masks = mask & 0xF, mask >> 4
    loaded = [
        e.load("global", place, 32, 4, False, order(i)) if wanted else []
        for place, wanted in zip(places, masks, strict=True)
    ]
    for dst, words, wanted in zip((low, high), loaded, masks, strict=True):
        for part, word in enumerate(word for n, word in enumerate(words) if wanted >> n & 1):
            put32(e, dst, word, part)


@sass("STG", "ST", "STS", "STL", modifiers=f"{_WIDTHS} {_HINTS} {_STRENGTH}", effect=Effect.MEMORY)
def store(e: Emitter[V], i: Instruction) -> None:
    """Memory = the registers; of 32 bytes (sm_100 on) the lower half stands in front."""
    where, source, *upper = i.operands
    if i.has("256"):
        for place, register in zip(_wide_address(e, i, where), (source, *upper), strict=True):
            e.store("global", place, registers(e, register, 4), 32, order(i))
        return
    if upper:
        raise unsupported(i, "a second register")
    space = _SPACES[i.mnemonic[2:]]
    bits, _signed, count = shape(i)
    e.store(space, address(e, space, where), registers(e, source, count), bits, order(i))


@sass("LDC", "ULDC", "LDCU", modifiers="U8 S8 U16 S16 32 64 128", effect=Effect.MEMORY)
def ldc(e: Emitter[V], i: Instruction) -> None:
    """dst = constant bank, with an index register that is a byte offset."""
    dst, source = i.operands
    if not isinstance(source, Const):
        raise unsupported(i)
    bits, signed, count = shape(i)
    if bits < 32:
        value = constant(e, source, bits)
        put32(e, dst, e.sext(e.trunc(value, bits), 32) if signed else value)
    elif count == 1:
        put32(e, dst, constant(e, source, 32))
    elif count == 2:
        put64(e, dst, constant(e, source, 64))
    else:
        for half in range(2):
            value = constant(e, replace(source, offset=source.offset + 8 * half), 64)
            put32(e, dst, e.low(value), 2 * half)
            put32(e, dst, e.high(value), 2 * half + 1)


@sass("QSPC", modifiers="E G S L D")
def qspc(e: Emitter[V], i: Instruction) -> None:
    """P = the generic address lies in the space (PTX ISA, isspacep).

    .D, the shared memory of the cluster, has that of the block in it; clusters here have one block.
    """
    flag, dst, where = i.operands
    if not unwanted(dst):
        raise unsupported(i, "register result")
    space = "shared" if i.has("D") else next(name for letter, name in _SPACES.items() if letter in i.modifiers)
    put_predicate(e, flag, e.is_space(space, address64(e, where, wide=True)))


@sass("LDGSTS", modifiers=f"E BYPASS ACCESS ZFILL 64 128 {_HINTS}", effect=Effect.MEMORY)
def ldgsts(e: Emitter[V], i: Instruction) -> None:
    """Shared memory = global memory. The copy is done at once, so waiting for it has nothing to do.

    The predicate says whether the source is read; without it zeros are left. .ZFILL: as many bytes are zeros at the
    end as the address lies behind a multiple of the size (both recorded on an H200, cp.async in tests/vectors/ptx).
    """
    shared, source, *rest = i.operands
    if len(rest) > 1 or (rest and not isinstance(rest[0], Pred)):
        raise unsupported(i, "more operands")
    _bits, _signed, count = shape(i)
    always = not rest or (unwanted(rest[0]) and isinstance(rest[0], Pred) and not rest[0].negate)
    never = bool(rest) and not always and unwanted(rest[0])
    if never:
        values = [e.const(0, 32)] * count
    elif i.has("ZFILL"):
        reads = e.const(1, 1) if always else predicate(e, rest[0])
        values = _filled(e, address64(e, source), count, reads)
    elif always:
        values = e.load("global", address64(e, source), 32, count)
    else:
        values = e.load_where(predicate(e, rest[0]), address64(e, source), count)
    e.store("shared", address32(e, shared), values, 32)


def _filled(e: Emitter[V], where: V, count: int, reads: V) -> list[V]:
    """The words of a copy that ends in zeros; each is read only if some of its bytes are copied."""
    size = 4 * count
    absent = e.trunc(e.and_(where, e.const(size - 1, 64)), 32)
    present = e.sub(e.const(size, 32), absent)
    base = e.and_(where, e.const(-size & (1 << 64) - 1, 64))
    found = []
    for word in range(count):
        at = e.const(4 * word, 32)
        some = e.and_(reads, e.compare("ugt", present, at))
        (value,) = e.load_where(some, e.add(base, e.const(4 * word, 64)), 1)
        length = e.umin(e.sub(e.umax(present, at), at), e.const(4, 32))
        bits = e.zext(e.shl(length, e.const(3, 32)), 64)
        kept = e.sub(e.shl(e.const(1, 64), bits), e.const(1, 64))
        found.append(e.and_(value, e.trunc(kept, 32)))
    return found


@sass(
    "LDGDEPBAR", "DEPBAR", "CCTL", "CCTLL", "CCTLT", "ERRBAR", "CGAERRBAR", "PREEXIT", "PMTRIG", "ACQBULK",
    modifiers="LE E PF1 PF2 DML2 RML2 RS WB IV IVALL IVALLP C U D ALL",
)  # fmt: skip
def nothing(e: Emitter[V], i: Instruction) -> None:
    """Scheduling, prefetching and cache control that the memory model of the fences here already covers."""


@sass("NOP", "YIELD", "NANOSLEEP", modifiers="WARP SYNCS", effect=Effect.MEMORY)
def keep_order(e: Emitter[V], i: Instruction) -> None:
    """No data of their own, but accesses must not move across.

    NOP is what ptxas leaves of __syncwarp() where the warp is converged, and then other lanes' stores before it
    are seen after it; YIELD and NANOSLEEP stand in loops that wait for memory to change, often by plain LDS.
    """
    e.fence("warp")


@sass("MEMBAR", modifiers="SC ALL CTA GPU SYS VC", effect=Effect.MEMORY)
def membar(e: Emitter[V], i: Instruction) -> None:
    """Order this thread's accesses for the scope."""
    e.fence("cta" if i.has("CTA") else "sys" if i.has("SYS") else "gpu")


@sass("LDSM", modifiers="16 M88 MT88 2 4", effect=Effect.LANES)
def ldsm(e: Emitter[V], i: Instruction) -> None:
    """Load 8x8 matrices of 16-bit elements: lanes 8m to 8m + 7 hold the row addresses of matrix m.

    Lane l receives elements 2(l % 4) and 2(l % 4) + 1 of row l / 4, or of column l / 4 for .MT88 (PTX ISA,
    ldmatrix).
    """
    dst, where = i.operands
    if not i.has("16") or i.has("M88") == i.has("MT88"):
        raise unsupported(i)
    count = 4 if i.has("4") else 2 if i.has("2") else 1
    rows = address32(e, where)
    lane = e.special("SR_LANEID")
    quad, group = e.and_(lane, e.const(3, 32)), e.lshr(lane, e.const(2, 32))
    results = []
    for matrix in range(count):
        base = e.const(8 * matrix, 32)
        if i.has("M88"):
            row = _of_lane(e, rows, e.add(group, base))
            results += e.load("shared", e.add(row, e.shl(quad, e.const(2, 32))), 32, 1)
            continue
        halves = []
        for half in range(2):
            source = e.add(e.add(e.shl(quad, e.const(1, 32)), e.const(half, 32)), base)
            row = _of_lane(e, rows, source)
            halves += e.load("shared", e.add(row, e.shl(group, e.const(1, 32))), 16, 1)
        results.append(e.or_(halves[0], e.shl(halves[1], e.const(16, 32))))
    for part, value in enumerate(results):
        put32(e, dst, value, part)


@sass("STSM", modifiers="16 M88 MT88 2 4", effect=Effect.LANES)
def stsm(e: Emitter[V], i: Instruction) -> None:
    """Store 8x8 matrices of 16-bit elements: the same placement as LDSM (PTX ISA, stmatrix)."""
    where, source = i.operands
    if not i.has("16") or i.has("M88") == i.has("MT88"):
        raise unsupported(i)
    count = 4 if i.has("4") else 2 if i.has("2") else 1
    rows = address32(e, where)
    lane = e.special("SR_LANEID")
    quad, group = e.and_(lane, e.const(3, 32)), e.lshr(lane, e.const(2, 32))
    for matrix, value in enumerate(registers(e, source, count)):
        base = e.const(8 * matrix, 32)
        if i.has("M88"):
            row = _of_lane(e, rows, e.add(group, base))
            e.store("shared", e.add(row, e.shl(quad, e.const(2, 32))), [value], 32)
            continue
        for half in range(2):
            row = _of_lane(e, rows, e.add(e.add(e.shl(quad, e.const(1, 32)), e.const(half, 32)), base))
            element = e.lshr(value, e.const(16 * half, 32))
            e.store("shared", e.add(row, e.shl(group, e.const(1, 32))), [element], 16)


@sass("MOVM", modifiers="16 MT88", effect=Effect.LANES)
def movm(e: Emitter[V], i: Instruction) -> None:
    """Transpose an 8x8 matrix of 16-bit elements across the warp (PTX ISA, movmatrix)."""
    dst, source = i.operands
    if not (i.has("16") and i.has("MT88")):
        raise unsupported(i)
    value = registers(e, source, 1)[0]
    lane = e.special("SR_LANEID")
    quad, group = e.and_(lane, e.const(3, 32)), e.lshr(lane, e.const(2, 32))
    odd = e.compare("ne", e.and_(group, e.const(1, 32)), e.const(0, 32))
    halves = []
    for half in range(2):  # element (group, 2 quad + half) comes from row 2 quad + half, column group
        row = e.add(e.shl(quad, e.const(1, 32)), e.const(half, 32))
        found = _of_lane(e, value, e.add(e.shl(row, e.const(2, 32)), e.lshr(group, e.const(1, 32))))
        halves.append(e.and_(e.select(odd, e.lshr(found, e.const(16, 32)), found), e.const(0xFFFF, 32)))
    put32(e, dst, e.or_(halves[0], e.shl(halves[1], e.const(16, 32))))


def _of_lane(e: Emitter[V], value: V, lane: V) -> V:
    return e.shuffle("idx", value, lane, e.const(0x1F, 32))[0]
