"""Control flow, convergence, barriers, fences."""

from __future__ import annotations

from cass_shim.isa.encoding import text
from cass_shim.isa.encoding.grammar import Mod, Printed, Undescribed, Word, choice, flag, row
from cass_shim.isa.encoding.slots import field, is_true, predicate, read, register, shown
from cass_shim.model.instruction import RZ, Barrier, Imm, Mem, Reg, Scoreboard, Target
from cass_shim.model.instruction import Word as Bare

NEXT = 16


def relative(w: Word, low_byte: bool = True) -> int:
    """The distance from the next instruction in words of four bytes; sm_90 keeps its low byte at 16-23.

    low_byte: whether the row has room for that; BSSY has none, and 30 bits in all (nvdisasm 13.0, sm_75 to sm_100).
    """
    value, width = (w.bits(34, 48), 48) if low_byte else (w.bits(34, 30), 30)
    if w.sm >= 90 and low_byte:
        value, width = value << 8 | w.bits(16, 8), 56
    if value >> (width - 1):
        value -= 1 << width
    return w.address + NEXT + 4 * value


def condition(w: Word) -> list[Printed]:
    """The second predicate of a branch, printed unless true."""
    return [] if is_true(w, "pp") else predicate(w, "pp")


def target(w: Word) -> list[Printed]:
    address = relative(w)
    return [(Target(address), hex(address))]


def branch(w: Word) -> list[Printed]:
    return condition(w) + target(w)


def branch_on_mask(w: Word) -> list[Printed]:
    """A uniform register holds the mask of lanes that should be here; bit 30 inverts it."""
    index = w.bits(24, 6)
    mask = Reg(RZ if index == 63 else index, True, invert=bool(w.bits(30, 1)))
    w.bits(91, 1)
    return [*condition(w), (mask, text.register(mask)), *target(w)]


KINDS = choice(32, 2, "", "U", "DIV", "CONV")
row("BRA", 0x947, branch, KINDS, flag(84, "ANY"), Mod(86, 1, {0: ""}), when=lambda w: not w.peek(91, 1))
row(
    "BRA",
    0x947,
    branch_on_mask,
    Mod(32, 2, {2: "DIV", 3: "CONV"}),
    Mod(86, 1, {0: ""}),
    when=lambda w: bool(w.peek(91, 1)),
)


def exit_operands(w: Word) -> list[Printed]:
    return condition(w)


row("EXIT", 0x94D, exit_operands, choice(84, 1, ""), flag(85, "NO_ATEXIT"))


def barrier(w: Word, position: int, width: int = 4) -> list[Printed]:
    number = w.bits(position, width)
    return [(Barrier(number), f"B{number}")]


CONVERGENCE = ("", "RELIABLE", "RECONVERGENT")


def convergence(w: Word) -> list[str]:
    """The kind of a convergence barrier, from sm_100 on; bits that were the distance's before."""
    if w.sm < 100:
        return []
    kind = w.bits(72, 2)
    if kind == 3:
        raise Undescribed(f"convergence barrier of kind {kind}")
    return [CONVERGENCE[kind]] if kind else []


def bssy(w: Word) -> list[Printed]:
    address = relative(w, low_byte=False)  # its barrier is at 16-19
    return [*condition(w), *barrier(w, 16), (Target(address), hex(address))]


row("BSSY", 0x945, bssy, convergence)
row("BSYNC", 0x941, lambda w: condition(w) + barrier(w, 16), convergence)
row("BREAK", 0x942, lambda w: condition(w) + barrier(w, 16), convergence)
row("YIELD", 0x946, condition)
row("NOP", 0x918, lambda w: [])
row("LDGDEPBAR", 0x9AF, lambda w: [])
row("ERRBAR", 0x9AB, lambda w: [])
row("ENDCOLLECTIVE", 0x91B, condition)

# Behind the sixteen barriers BMOV names other state of the warp; MACTIVE, the lanes that run, is what ptxas uses.
_STATES = (
    *(f"THREAD_STATE_ENUM.{n}" for n in range(5)), "TRAP_RETURN_PC.LO", "TRAP_RETURN_PC.HI", "TRAP_RETURN_MASK",
    "MEXITED", "MKILL", "MACTIVE", "MATEXIT", "OPT_STACK", "API_CALL_DEPTH", "ATEXIT_PC.LO", "ATEXIT_PC.HI",
)  # fmt: skip


def state(w: Word) -> list[Printed]:
    """A barrier, or one of the other states."""
    number = w.bits(24, 5)
    return barrier(w, 24) if number < 16 else [(Bare(_STATES[number - 16]), _STATES[number - 16])]


row("BMOV", 0x355, lambda w: read(w, "d", "hex") + state(w), lambda w: ["32"], flag(84, "CLEAR"))
row("BMOV", 0x356, lambda w: state(w) + shown(w, register(w, 32), 32), lambda w: ["32"], flag(84, "PQUAD"))


def bmov_immediate(w: Word) -> list[Printed]:
    """With the next row how kernels of sm_87 begin: every barrier is set to nobody."""
    bits = w.bits(32, 32)
    return [*state(w), (Imm(bits), hex(bits))]


row("BMOV", 0x956, bmov_immediate, lambda w: ["32"], flag(84, "PQUAD"))
row("BMOV", 0xF55, lambda w: barrier(w, 16) + state(w), lambda w: ["32"], flag(84, "CLEAR"))
row("BMOV", 0xF56, lambda w: state(w) + barrier(w, 16), lambda w: ["32"], flag(84, "PQUAD"))


def return_address(w: Word) -> list[Printed]:
    """Half of the address that RET goes to, written from a register."""
    half = "Rpc.HI" if w.bits(31, 1) else "Rpc.LO"
    return [(Bare(half), half), *shown(w, register(w, 32), 32)]


def return_address_read(w: Word) -> list[Printed]:
    half = "Rpc.HI" if w.bits(31, 1) else "Rpc.LO"
    return [*read(w, "d", "hex"), (Bare(half), half)]


row("RPCMOV", 0x352, return_address, lambda w: ["32"])
row("RPCMOV", 0x353, return_address_read, lambda w: ["32"])


def warpsync(w: Word) -> list[Printed]:
    if w.peek(85, 2) == 2 and w.sm >= 90:  # .COLLECTIVE: a register unless .ALL, and where to go
        found = condition(w)
        if w.form == 1:
            found += shown(w, register(w, 24), 24)
        return found + target(w)
    if w.form == 4:
        bits = w.bits(32, 32)
        everyone = w.sm >= 90 and bits == 0
        return condition(w) + ([] if everyone else [(Imm(bits), hex(bits))])
    if w.sm >= 90:
        return condition(w) + shown(w, register(w, 24), 24)
    return condition(w) + shown(w, register(w, 32), 32)


def warpsync_kind(w: Word) -> list[str]:
    """sm_90 has .ALL as the immediate form without a mask, and another number for .EXCLUSIVE."""
    kind = w.bits(85, 2)
    if kind == (1 if w.sm >= 90 else 2):
        return ["EXCLUSIVE"]
    if kind == 2 and w.sm >= 90:
        return ["COLLECTIVE", "ALL"] if w.form == 4 else ["COLLECTIVE"]
    if kind:
        raise Undescribed(f"WARPSYNC: kind {kind}")
    return ["ALL"] if w.sm >= 90 and w.form == 4 and not w.peek(32, 32) else []


row("WARPSYNC", 0x148, warpsync, warpsync_kind, forms="14")


def call_relative(w: Word) -> list[Printed]:
    return condition(w) + target(w)


row("CALL", 0x944, call_relative, lambda w: ["REL"], Mod(86, 1, {1: "NOINC"}))


def ret(w: Word) -> list[Printed]:
    """Bit 85: the register holds an address of memory, as functions in sections of their own are given it."""
    found = condition(w) + shown(w, register(w, 24), 24)
    if not w.peek(85, 1):
        return found + target(w)
    address = relative(w) - w.address - NEXT
    return [*found, (Target(address), hex(address))]


row("RET", 0x950, ret, choice(85, 1, "REL", "ABS"), Mod(86, 1, {1: "NODEC"}))


def brx(w: Word) -> list[Printed]:
    found = condition(w) + shown(w, register(w, 24), 24)
    address = relative(w)
    distance = address - w.address - NEXT
    return [*found, (Target(address), hex(distance))]


row("BRX", 0x949, brx)


def brxu(w: Word) -> list[Printed]:
    """BRX by a uniform register."""
    w.bits(91, 1)
    index = register(w, 24, True)
    address = relative(w)
    return [*condition(w), (index, text.register(index)), (Target(address), hex(address - w.address - NEXT))]


row("BRXU", 0x958, brxu)


def bar_operands(w: Word, predicated: bool) -> list[Printed]:
    """Barrier number in four bits at 54, count in twelve at 42, for the immediate-immediate form."""
    found: list[Printed] = []
    number, count = w.bits(54, 4), w.bits(42, 12)
    found.append((Imm(number), hex(number)))
    if count:
        found.append((Imm(count), hex(count)))
    truth = predicate(w, "pp")
    return found + (truth if predicated else [])


def bar_register(w: Word) -> list[Printed]:
    """A number, a count or both in the register at 32-39; it is printed twice for both (number low, count at 16)."""
    opcode = w.value & 0xFFF
    found = shown(w, register(w, 32), 32)
    if opcode == 0x31D:
        found += found
    elif opcode == 0x51D:
        count = w.bits(42, 12)
        found += [(Imm(count), hex(count))] if count else []
    else:
        number = w.bits(54, 4)
        found = [(Imm(number), hex(number)), *found]
    truth = predicate(w, "pp")
    return found + (truth if w.peek(77, 3) == 2 else [])


DEFER = flag(80, "DEFER_BLOCKING")
ACTION = Mod(77, 3, {0: "SYNC", 1: "ARV"})
row("BAR", 0xB1D, lambda w: bar_operands(w, False), ACTION, DEFER)
REDUCTION = choice(74, 2, "POPC", "AND", "OR")
row("BAR", 0xB1D, lambda w: bar_operands(w, True), Mod(77, 3, {2: "RED"}), REDUCTION, DEFER)
for opcode in (0x31D, 0x51D, 0x91D):
    row("BAR", opcode, bar_register, ACTION, DEFER)
    row("BAR", opcode, bar_register, Mod(77, 3, {2: "RED"}), REDUCTION, DEFER)


def b2r(w: Word) -> list[Printed]:
    found = read(w, "d", "hex")
    return found + ([] if is_true(w, "pu") else predicate(w, "pu"))


row("B2R", 0x31C, b2r, Mod(78, 2, {1: "RESULT"}))


def depbar(w: Word) -> list[Printed]:
    number, count = w.bits(44, 3), w.bits(38, 6)
    others = w.bits(32, 6)
    found: list[Printed] = [(Scoreboard(number), f"SB{number}"), (Imm(count), hex(count))]
    if not w.peek(47, 1):  # all of the named ones
        if number or count:
            raise Undescribed("DEPBAR: a scoreboard and a count without bit 47")
        found = []
    if others:
        names = "{" + ", ".join(str(n) for n in range(5, -1, -1) if others >> n & 1) + "}"
        found.append((Bare(names), names))
    return found


row("DEPBAR", 0x91A, depbar, flag(47, "LE"))
row("MEMBAR", 0x992, lambda w: [], choice(79, 2, "SC", "ALL"), choice(76, 3, "CTA", "SM", "GPU", "SYS", None, "VC"))


def cctl(w: Word) -> list[Printed]:
    """Cache control: an address unless the whole cache is meant."""
    if w.peek(87, 4) == 4:
        if w.bits(24, 8) != RZ:
            raise Undescribed("CCTL.IVALL with an address")
        return []
    base, offset = register(w, 24), w.signed(32, 32)
    mem = Mem(base, offset, None, bool(w.peek(91, 1) and w.bits(91, 1)))
    return [(mem, text.memory(mem))]


row("CCTL", 0x98F, cctl, flag(72, "E"), Mod(87, 4, {0: "PF1", 1: "PF2", 4: "IVALL", 10: "DML2", 11: "RML2"}))


def nanosleep(w: Word) -> list[Printed]:
    return condition(w) + read(w, "x", "hex")


row("NANOSLEEP", 0x15D, nanosleep, flag(84, "SYNCS"), flag(85, "WARP"), forms="1456")
row("BPT", 0x95C, lambda w: field(34, 20)(w), Mod(84, 3, {3: "TRAP"}))
row("LEPC", 0x34E, lambda w: read(w, "d", "hex"))


def r2p(w: Word) -> list[Printed]:
    return [(Bare("PR"), "PR"), *read(w, "a", "hex"), *read(w, "x", "hex")]


row("R2P", 0x004, r2p, forms="1456")


def p2r(w: Word) -> list[Printed]:
    bits = w.bits(32, 32)
    return [*read(w, "d", "hex"), (Bare("PR"), "PR"), *read(w, "a", "hex"), (Imm(bits), hex(bits))]


row("P2R", 0x803, p2r)


def qspc(w: Word) -> list[Printed]:
    base = register(w, 24)
    offset = w.signed(40, 24)
    mem = Mem(base, offset)
    return predicate(w, "pu") + read(w, "d", "hex") + [(mem, text.memory(mem))]


SPACES = (flag(72, "E"), choice(73, 2, "G", "L", "S", "D"))
row("QSPC", 0x3AA, qspc, *SPACES)


def qspc_uniform(w: Word) -> list[Printed]:
    """The address is a register and a uniform one; bit 90: 64 bits of the former."""
    base, extra, offset = register(w, 24), register(w, 32, True), w.signed(40, 24)
    w.bits(91, 1)
    wide = bool(w.bits(90, 1))
    mem = Mem(base, offset, extra, True) if wide else Mem(Reg(base.index, suffix=("U32",)), offset, extra)
    if wide and base.index == RZ:
        mem = Mem(None, offset, extra)
    return predicate(w, "pu") + read(w, "d", "hex") + [(mem, text.memory(mem))]


row("QSPC", 0x9AA, qspc_uniform, *SPACES, when=lambda w: bool(w.peek(91, 1)))


def call_absolute(w: Word) -> list[Printed]:
    """The target of a relocated call, or a register pair."""
    if w.form == 1:
        return condition(w) + shown(w, register(w, 24), 24)
    address = relative(w) - w.address - NEXT
    return [*condition(w), (Target(address), hex(address))]


for opcode in (0x343, 0x943):
    row("CALL", opcode, call_absolute, lambda w: ["ABS"], Mod(86, 1, {1: "NOINC"}))


def call_register(w: Word) -> list[Printed]:
    address = relative(w)
    return [*condition(w), *shown(w, register(w, 24), 24), (Target(address), hex(address))]


row("CALL", 0x344, call_register, lambda w: ["REL"], Mod(86, 1, {1: "NOINC"}))


def branch_uniform(w: Word) -> list[Printed]:
    """Taken by the whole warp: the uniform predicate is at 24-26, its negation at 27."""
    w.bits(91, 1)
    found = predicate(w, "Ubranch")
    address = relative(w)
    return [*condition(w), *found, (Target(address), hex(address))]


row("BRA", 0x547, branch_uniform, Mod(32, 2, {1: "U"}), Mod(86, 1, {0: ""}))


def lepc_after(w: Word) -> list[Printed]:
    """The address that a following call returns to."""
    address = w.address + NEXT + w.signed(24, 58)
    return [*read(w, "d", "hex"), (Target(address), hex(address))]


row("LEPC", 0x94E, lepc_after)
row("CGAERRBAR", 0x5AB, lambda w: [])
