"""Loads, stores, atomics, constant loads."""

from __future__ import annotations

from collections.abc import Callable

from cass_shim.isa.encoding import text
from cass_shim.isa.encoding.grammar import BLACKWELL, Mod, Printed, Undescribed, Word, choice, flag, row
from cass_shim.isa.encoding.slots import is_true, predicate, read, register, reused
from cass_shim.model.instruction import RZ, Const, Imm, Mem, Reg

SIZE = choice(73, 3, "U8", "S8", "U16", "S16", "", "64", "128", "U.128")
EVICT = choice(84, 3, "EF", "", "EL", "LU", "EU", "NA")
LTC = choice(68, 2, "", "LTC64B", "LTC128B", "LTC256B")
EXTENDED = flag(72, "E")
AMPERE = (80, 86, 87, 89, 90, 100, 103, 110, 120, 121)
ORDER_AMPERE: dict[int, list[str]] = {
    0: [],
    4: ["CONSTANT"],
    5: ["STRONG", "SM"],
    7: ["STRONG", "GPU"],
    10: ["STRONG", "SYS"],
}
SCOPE_TURING = ("CTA", "SM", "GPU", "SYS")
ORDER_TURING: tuple[list[str], ...] = (["CONSTANT"], [], ["STRONG"], ["MMIO"])


def order(w: Word) -> list[str]:
    """Memory order and scope: one field of four bits since sm_80, two of two before."""
    if w.sm >= 80:
        value = w.bits(77, 4)
        if value not in ORDER_AMPERE:
            raise Undescribed(f"memory order {value}")
        return ORDER_AMPERE[value]
    return [*ORDER_TURING[w.bits(79, 2)], SCOPE_TURING[w.bits(77, 2)]]


def uniform(w: Word, position: int) -> Reg:
    """A six-bit uniform register inside a memory instruction (eight bits from sm_100 on)."""
    index = w.bits(position, 6 if w.sm < 100 else 8)
    return Reg(RZ if index == (63 if w.sm < 100 else 255) else index, True)


def printed(mem: Mem, hide_descriptor: bool) -> Printed:
    """The address as printed; nvdisasm hides descriptors before sm_90."""
    shown = Mem(mem.base, mem.offset, mem.uniform, mem.wide, mem.scale, None if hide_descriptor else mem.descriptor)
    base = shown.base
    if base is not None and base.index == RZ and (shown.offset or shown.uniform):
        shown = Mem(None, shown.offset, shown.uniform, False, 1, shown.descriptor)
    return shown, text.memory(shown)


def hides_descriptor(w: Word) -> bool:
    """Before sm_90 nvdisasm shows no descriptors up to the first that holds a cache policy (bit 101)."""
    policy = bool(w.bits(101, 1))
    return w.sm < 90 and not policy and not w.described


def atomic_offset(w: Word) -> int:
    """23 bits from sm_100 on; bit 63 goes with a descriptor."""
    w.bits(63, 1)
    return w.signed(40, 23)


def global_address(
    w: Word, uniform_at: int, described: Callable[[Word], bool], offset_at: int = 40, wide_always: bool = False
) -> list[Printed]:
    """[base + offset] with a uniform register as offset or as descriptor when bit 91 is set."""
    base = register(w, 24)
    if not w.bits(91, 1) and offset_at == 32:
        return [printed(Mem(base, w.signed(32, 32)), True)]
    if not w.bits(91, 1):
        if w.sm < 80 and uniform_at == 64 and w.peek(64, 8) == RZ:
            w.bits(64, 8)
        return [printed(Mem(base, w.signed(40, 24)), True)]
    offset = atomic_offset(w) if wide_always and w.sm >= 100 else w.signed(40, 24)
    wide = wide_always or bool(w.bits(90, 1))
    if not wide and base.index != RZ:
        base = Reg(base.index, suffix=("U32",))
    extra = uniform(w, uniform_at)
    if described(w):
        return [printed(Mem(base, offset, None, wide, 1, extra), hides_descriptor(w))]
    return [printed(Mem(base, offset, extra, wide), True)]


def by_bit_76(w: Word) -> bool:
    return bool(w.bits(76, 1))


def load_global(w: Word) -> list[Printed]:
    w.bits(81, 3)
    if w.peek(81, 3) != 7:
        raise Undescribed("predicate destination of a load")
    return read(w, "d", "hex") + global_address(w, 32, by_bit_76)


def load_generic(w: Word) -> list[Printed]:
    return read(w, "d", "hex") + global_address(w, 32, by_bit_76, 40 if w.sm >= 80 else 32)


def store_global(w: Word) -> list[Printed]:
    return global_address(w, 64, by_bit_76) + data(w)


def store_generic(w: Word) -> list[Printed]:
    """Before sm_80, and in the form without a uniform register, the data is at 64-71 and the offset at 32-63."""
    if not w.peek(91, 1) and (w.sm < 80 or w.form == 1):
        return global_address(w, 64, by_bit_76, 32) + data(w, 64)
    return store_global(w)


def data(w: Word, position: int = 32) -> list[Printed]:
    """The register that is stored."""
    reg = register(w, position)
    return [(reg, text.register(reg, reg.index != RZ and reused(w, 123 if position == 32 else 124)))]


for opcode in (0x381, 0x981):
    row("LDG", opcode, load_global, EXTENDED, EVICT, LTC, SIZE, order)
for opcode in (0x386, 0x986):
    row("STG", opcode, store_global, EXTENDED, EVICT, SIZE, order)
for opcode in (0x380, 0x980):
    row("LD", opcode, load_generic, EXTENDED, EVICT, LTC, SIZE, order)
for opcode in (0x385, 0x985):
    row("ST", opcode, store_generic, EXTENDED, EVICT, SIZE, order)


def shared_address(w: Word, uniform_at: int) -> list[Printed]:
    """[base.Xn + UR + offset] of 24 bits."""
    scale = 1 << w.bits(78, 2) + 1 if w.peek(78, 2) else 1
    base, offset = register(w, 24), w.signed(40, 24)
    extra = uniform(w, uniform_at) if w.bits(91, 1) else None
    if extra is None and w.sm < 80 and w.peek(64, 8) == RZ:
        w.bits(64, 8)
    return [printed(Mem(base, offset, extra, False, scale), True)]


row("LDS", 0x984, lambda w: read(w, "d", "hex") + shared_address(w, 32), flag(76, "U"), SIZE)
for opcode in (0x388, 0x988):
    row("STS", opcode, lambda w: shared_address(w, 64) + data(w), SIZE)
for opcode in (0x383, 0x983):
    row("LDL", opcode, lambda w: read(w, "d", "hex") + shared_address(w, 32), EVICT, SIZE)
for opcode in (0x387, 0x987):
    row("STL", opcode, lambda w: shared_address(w, 64) + data(w), EVICT, SIZE)

NAMES = ("ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH")
OPERATION = choice(87, 4, *NAMES)
REDUCTION = choice(87, 3, *NAMES[:8])
KIND = choice(73, 3, "", "S32", "64", "F32.FTZ.RN", "F16x2.RN", "S64", "F64.RN")  # before sm_90
INTEGER_KIND = choice(73, 3, "", "S32", "64", "S64")  # from sm_90 on floats have opcodes of their own
NORMAL = Mod(84, 3, {1: ""})
FLOAT_OPERATION = Mod(87, 3, {0: "ADD", 2: "MIN", 4: "MAX"})
REDUCED_FLOAT = Mod(73, 4, {9: "F32.FTZ.RN", 15: "F64.RN"})  # before sm_90
FLOAT_KIND = Mod(
    73, 4, {0: "F16x2.RN", 1: "F16x4.RN", 2: "F16x8.RN", 3: "BF16x2.RN", 4: "BF16x4.RN", 5: "BF16x8.RN",
            9: "F32.FTZ.RN", 10: "F32x2.FTZ.RN", 11: "F32x4.FTZ.RN", 15: "F64.RN"},
)  # fmt: skip
CAS_KIND = choice(73, 3, "", None, "64")


def reduction_described(w: Word) -> bool:
    """Bit 81 from sm_100 on, where the uniform register takes the place of bits 70 and 71."""
    return bool(w.bits(81, 1)) if w.sm >= 100 else by_bits_70(w)


def by_bits_70(w: Word) -> bool:
    """Bits 70 and 71: both set for a returning atomic with a descriptor, bit 71 alone for a reduction.

    Bit 70 alone: a returning atomic without. From sm_100 on bit 63.
    """
    if w.sm >= 100:
        return bool(w.bits(63, 1))
    return w.bits(70, 2) > 1


def marked_kind(w: Word) -> list[str]:
    """The type of a returning atomic; bit 76 above it is set from sm_100 on."""
    if w.sm >= 100 and not w.bits(76, 1):
        raise Undescribed("bit 76 of an atomic is clear")
    kind = w.bits(73, 3)
    name = KIND.names.get(kind) if w.sm < 90 else INTEGER_KIND.names.get(kind, "128" if kind == 4 else None)
    if name is None:
        raise Undescribed(f"type {kind} of an atomic")
    return name.split(".") if name else []


def atomic(w: Word) -> list[Printed]:
    found = predicate(w, "pu") + read(w, "d", "hex") + global_address(w, 64, by_bits_70, 40, True)
    return found + data(w)


def compare_and_swap(w: Word) -> list[Printed]:
    return (
        predicate(w, "pu") + read(w, "d", "hex") + global_address(w, 64, by_bits_70, 40, True) + data(w) + data(w, 64)
    )


def reduction(w: Word) -> list[Printed]:
    return global_address(w, 64, reduction_described) + data(w)


for opcode in (0x3A8, 0x9A8):
    row("ATOMG", opcode, atomic, EXTENDED, OPERATION, marked_kind, order, NORMAL)
for opcode in (0x38A, 0x98A):
    row("ATOM", opcode, atomic, EXTENDED, OPERATION, marked_kind, order, NORMAL)
row("ATOMG", 0x3A9, compare_and_swap, EXTENDED, lambda w: ["CAS"], CAS_KIND, order, NORMAL)
row("ATOM", 0x38B, compare_and_swap, EXTENDED, Mod(87, 4, {0: "CAS", 3: "CAST.SPIN"}), CAS_KIND, order, NORMAL)
FROM_90 = tuple(s for s in AMPERE if s >= 90)
WHOLE = Mod(73, 3, {4: "128"})
row("ATOMG", 0x3A9, compare_and_swap, EXTENDED, lambda w: ["CAS"], WHOLE, order, NORMAL, sms=FROM_90)
row("ATOM", 0x38B, compare_and_swap, EXTENDED, Mod(87, 4, {0: "CAS"}), WHOLE, order, NORMAL, sms=FROM_90)


def atomic_float(w: Word) -> list[Printed]:
    """Bit 90, which marks a pair in other accesses, is set from sm_100 on."""
    if w.sm >= 100 and not w.bits(90, 1):
        raise Undescribed("bit 90 of a floating atomic is clear")
    return atomic(w)


for opcode, name in ((0x9A3, "ATOMG"), (0x9A2, "ATOM")):
    row(name, opcode, atomic_float, EXTENDED, FLOAT_OPERATION, FLOAT_KIND, order, NORMAL)
for sms, name, kind, operation, floats in (
    (FROM_90, "REDG", INTEGER_KIND, FLOAT_OPERATION, FLOAT_KIND),
    ((75, 80, 86, 87, 89), "RED", KIND, REDUCTION, REDUCED_FLOAT),
):
    row(name, 0x98E, reduction, EXTENDED, REDUCTION, kind, order, NORMAL, sms=sms)
    row(name, 0x9A6, reduction, EXTENDED, operation, floats, order, NORMAL, sms=sms)
SHARED_OPERATION = choice(87, 4, "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH")
SHARED_KIND = choice(73, 2, "", "S32", "64")


def shared_atomic(w: Word) -> list[Printed]:
    return read(w, "d", "hex") + shared_address(w, 64) + data(w)


def shared_swap(w: Word) -> list[Printed]:
    return read(w, "d", "hex") + shared_address(w, 99) + data(w) + data(w, 64)


for opcode in (0x38C, 0x98C):
    row("ATOMS", opcode, shared_atomic, SHARED_OPERATION, SHARED_KIND)
    row("ATOMS", opcode, shared_atomic, Mod(87, 4, {8: "EXCH"}), WHOLE, sms=FROM_90)
SWAP = Mod(87, 4, {0: "CAS", 3: "CAST.SPIN"})
row("ATOMS", 0x38D, shared_swap, SWAP, SHARED_KIND)
row("ATOMS", 0x38D, shared_swap, Mod(87, 4, {0: "CAS"}), WHOLE, sms=FROM_90)


def cast_spin(w: Word) -> list[Printed]:
    """From sm_100 on the result is a predicate."""
    return predicate(w, "pu") + shared_address(w, 99) + data(w) + data(w, 64)


row("ATOMS", 0x58D, cast_spin, Mod(87, 4, {3: "CAST.SPIN"}), SHARED_KIND, sms=BLACKWELL)


def no_uniform(w: Word) -> list[Printed]:
    return read(w, "d", "hex") + shared_address(w, 64)


row("ATOMS", 0xF8C, no_uniform, Mod(87, 4, {9: "ARRIVE"}), Mod(73, 2, {2: "64"}))
row("ATOMS", 0xF8C, no_uniform, Mod(87, 4, {10: "POPC.INC.32", 11: "POPC.INC.32"}), Mod(73, 2, {0: ""}))


def constant_address(w: Word) -> list[Printed]:
    """c[bank][R + offset] of LDC and ULDC."""
    bank, offset = w.bits(54, 5), w.signed(38, 16)
    index: Reg | None = register(w, 24)
    assert index is not None
    if index.index == RZ and offset:
        index = None
    const = Const(bank, offset, index)
    return [(const, text.constant(const))]


LDC_MODE = choice(78, 2, "", "IL", "IS", "ISL")
row("LDC", 0xB82, lambda w: read(w, "d", "hex") + constant_address(w), LDC_MODE, SIZE)


def uldc(w: Word) -> list[Printed]:
    w.notes["guard_uniform"] = True
    bank, offset = w.bits(54, 5), w.bits(38, 16)
    const = Const(bank, offset)
    return [*read(w, "u", "hex"), (const, text.constant(const))]


row("ULDC", 0xAB9, uldc, SIZE)


def uldc_indexed(w: Word) -> list[Printed]:
    """c[bank][UR + offset]."""
    w.notes["guard_uniform"] = True
    w.bits(91, 1)
    const = Const(w.bits(54, 5), w.signed(38, 16), uniform(w, 24))
    return [*read(w, "u", "hex"), (const, text.constant(const))]


row("ULDC", 0xABB, uldc_indexed, SIZE)


def ldsm(w: Word) -> list[Printed]:
    base, offset = register(w, 24), w.signed(40, 24)
    extra = uniform(w, 32) if w.bits(91, 1) else None
    return [*read(w, "d", "hex"), printed(Mem(base, offset, extra), True)]


for opcode in (0x83B, 0x93B):
    row("LDSM", opcode, ldsm, lambda w: ["16"], choice(78, 1, "M88", "MT88"), choice(72, 2, "", "2", "4"))


ZERO_FILL = flag(82, "ZFILL")


def copy_cached(w: Word) -> list[str]:
    """How much the second cache prefetches; the field moved up by one with sm_100."""
    name = ("", "LTC64B", "LTC128B", "LTC256B")[w.bits(72 if w.sm >= 100 else 71, 2)]
    return [name] if name else []


def copy_size(w: Word) -> list[str]:
    """Words copied; a field of its own from sm_100 on."""
    names = {0: "", 1: "64", 2: "128"} if w.sm >= 100 else {4: "", 5: "64", 6: "128"}
    value = w.bits(74, 2) if w.sm >= 100 else w.bits(73, 3)
    if value not in names:
        raise Undescribed(f"LDGSTS: size {value}")
    return [names[value]] if names[value] else []


def ldgsts(w: Word) -> list[Printed]:
    """Shared address from the destination field and 20 bits of offset; global address beside it."""
    shared = printed(Mem(register(w, 16), w.bits(44, 20)), True)
    source = printed(Mem(register(w, 24), w.signed(32, 12), None, True, 1, uniform(w, 64)), hides_descriptor(w))
    if not w.bits(91, 1) or not (w.bits(83, 1) if w.sm >= 100 else w.bits(70, 1)):
        raise Undescribed("LDGSTS without a descriptor")
    extra = [] if is_true(w, "pp") else predicate(w, "pp")
    if w.sm < 90:  # printed without a comma between them
        shared, source = (shared[0], shared[1] + source[1]), (source[0], "")
    return [shared, source, *extra]


def stsm(w: Word) -> list[Printed]:
    base, offset = register(w, 24), w.signed(40, 24)
    extra = uniform(w, 64) if w.bits(91, 1) else None
    return [printed(Mem(base, offset, extra), True), *data(w)]


MATRICES = (lambda w: ["16"], choice(78, 1, "M88", "MT88"), choice(72, 2, "", "2", "4"))
row("STSM", 0x844, stsm, *MATRICES)
row(
    "LDGSTS",
    0xFAE,
    ldgsts,
    Mod(76, 1, {1: "E"}),
    choice(81, 1, "BYPASS", ""),
    EVICT,
    copy_cached,
    copy_size,
    order,
    ZERO_FILL,
)


def wide_address(w: Word) -> list[Printed]:
    """[base + offset in units of 32 bytes], described by the uniform register at 32-39 (load) or 64-71 (store)."""
    if not w.bits(76, 1) or not w.bits(91, 1):
        raise Undescribed("an access of 32 bytes without a descriptor")
    at = 32 if w.value & 0xFFF == 0x97E else 64
    return [printed(Mem(register(w, 24), 32 * w.signed(40, 17), None, True, 1, uniform(w, at)), False)]


def wide_load(w: Word) -> list[Printed]:
    """Words 4 to 7 and 0 to 3 that a mask of eight bits names, each group packed from its register on."""
    if w.bits(87, 4):
        raise Undescribed("a predicate of a load of 32 bytes")
    mask = w.bits(57, 7) | w.bits(72, 1) << 7
    found = [*data(w, 64), *read(w, "d", "hex"), *wide_address(w)]
    return found if mask == 0xFF else [*found, (Imm(mask), hex(mask))]


def wide_store(w: Word) -> list[Printed]:
    """Words 0 to 3, then 4 to 7: all eight."""
    if w.bits(59, 5) != 0x1F or w.bits(88, 3) != 7:
        raise Undescribed("a store of fewer than 32 bytes")
    return [*wide_address(w), *data(w), *read(w, "d", "hex")]


# From sm_100 on. The second cache has a priority of its own.
SECOND_EVICT = choice(81, 3, "EFL2", "ENL2", "ELL2")
FETCH = choice(73, 2, "", "LTC64B", "LTC128B")
WIDE, WIDE_SIZE = Mod(91, 1, {1: "E"}), Mod(75, 1, {1: "256"})
row("LDG", 0x97E, wide_load, WIDE, EVICT, SECOND_EVICT, FETCH, WIDE_SIZE, order, sms=BLACKWELL)
row("STG", 0x97F, wide_store, WIDE, EVICT, SECOND_EVICT, WIDE_SIZE, order, sms=BLACKWELL)
