"""SASS and RDNA3 assembly as fields, the language of our own model.

In: a decoded kernel, or assembly text. Out: lines of tokens. Mnemonics are split from their modifiers, a register is
its class and its number, an immediate is its bytes, labels are numbered in the order in which they are met, and what
is arbitrary or redundant (encodings, addresses, padding, waits, hints to the scheduler) is left out. Kernel parameters
carry the offset they have in the kernarg segment, so that the same code has the same fields on every NVIDIA generation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cass_shim.model.artifacts import SassKernel
from cass_shim.model.errors import Rejected, Unsupported
from cass_shim.model.instruction import (
    PT,
    RZ,
    Barrier,
    Const,
    Imm,
    Instruction,
    Mem,
    Operand,
    Pred,
    Reg,
    Scoreboard,
    Special,
    Target,
    Word,
)
from cass_shim.translate.cass.frame import local_bytes
from cass_shim.translate.cass.values import numbered

Line = list[str]

# Where HIP's hidden arguments lie behind the parameters, by the offset in constant bank 0 that CUDA has for the same
# value. Source: LLVM AMDGPUUsage (code object v5); docs/abi.md for the bank.
_LAUNCH = {0x0: ("ntid.x", 12), 0x4: ("ntid.y", 14), 0x8: ("ntid.z", 16),
           0xC: ("nctaid.x", 0), 0x10: ("nctaid.y", 4), 0x14: ("nctaid.z", 8)}  # fmt: skip
_SHARED_BANKS = (0, 3, 4)  # parameters, the module's constants, addresses
# Initial stack pointer (the end of local memory), memory descriptor (without a meaning for the target), and where
# shared and local memory begin among generic addresses. Source: `lift/emitter.py`.
STACK, LOCAL_LOW, LOCAL_HIGH = 0x28, 0x20, 0x24
_FIXED = {STACK: "stack", 0x118: "descriptor", 0x18: "shared.low", 0x1C: "shared.high",
          LOCAL_LOW: "local.low", LOCAL_HIGH: "local.high"}  # fmt: skip


def number(value: int) -> Line:
    """An unsigned number: one byte, or a mark and its bytes, most significant first."""
    if value < 256:
        return [f"#{value}"]
    return ["0x", *(f"#{byte}" for byte in value.to_bytes((value.bit_length() + 7) // 8, "big"))]


def immediate(bits: int, width: int = 32) -> Line:
    """A raw field; small negative values keep their sign."""
    negative = (1 << width) - bits
    return ["-", *number(negative)] if 0 < negative < 256 else number(bits)


# ---- SASS ---------------------------------------------------------------------------------------------------


class _Source:
    """The lines of one kernel. values: with numbers of values for registers (`values.py`), labels as they are met."""

    def __init__(self, sass: SassKernel, values: bool) -> None:
        self.sass, self.wide = sass, False  # wide: the instruction at hand reads constants of 64 bits
        self.code = sass.instructions[: last_instruction(sass.instructions)]
        jumps = [[operand.address for operand in one.operands if isinstance(operand, Target) and not operand.symbol]
                 for one in self.code]  # fmt: skip
        used = {address for each in jumps for address in each}
        met = [address for one, each in zip(self.code, jumps, strict=True) for address in (one.address, *each)]
        order = dict.fromkeys(address for address in met if address in used) if values else sorted(used)
        self.labels = {address: index for index, address in enumerate(order)}
        if values:
            self.code = tuple(numbered(self.code, sass.sm))

    def lines(self) -> list[Line]:
        """A head with the size of shared memory, then instructions and labels."""
        abi = self.sass.abi
        local = local_bytes(self.sass)
        head = ["shared", *number(abi.shared_bytes), "hidden", *number(abi.bindings_offset)]
        found: list[Line] = [[*head, *(["local", *number(local)] if local else [])]]
        for one in self.code:
            if one.address in self.labels:
                found.append(["L", f"#{self.labels[one.address]}", ":"])
            found.append(self.instruction(one))
        return found

    def refuse(self, what: str) -> Unsupported:
        return Unsupported(what, kernel=self.sass.name, why="the prompt of the shipped model has no words for it")

    def instruction(self, one: Instruction) -> Line:
        if one.relocation is not None or one.targets:
            raise self.refuse(f"{one.mnemonic} with an address of the module")
        line: Line = []
        self.wide = one.mnemonic.startswith("D") or "64" in one.modifiers
        if one.guard is not None:
            line += ["@", *self.operand(one.guard)]
        line += [one.mnemonic, *(f".{modifier}" for modifier in one.modifiers)]
        for position, operand in enumerate(one.operands):
            line += [*([","] if position else []), *self.operand(operand)]
        return line

    def operand(self, operand: Operand) -> Line:
        match operand:
            case Reg() | Const():
                return self.signed(operand)
            case Pred(index, uniform, negate):
                name = ["PT"] if index == PT else ["UP" if uniform else "P", f"#{index}"]
                return [*(["!"] if negate else []), *name]
            case Imm(bits):
                return immediate(bits)
            case Mem():
                return self.memory(operand)
            case Special(name):
                return [name]
            case Barrier(index):
                return ["B", f"#{index}"]
            case Scoreboard(index):
                return ["SB", f"#{index}"]
            case Target(address, symbol):
                if symbol or address not in self.labels:
                    raise self.refuse("a call of another function")
                return ["L", f"#{self.labels[address]}"]
            case Word(text):
                return [text]

    def signed(self, operand: Reg | Const) -> Line:
        sign = [*(["-"] if operand.negate else []), *(["~"] if operand.invert else [])]
        name = self.register(operand) if isinstance(operand, Reg) else self.constant(operand)
        inner = ["|", *name, "|"] if operand.absolute else name
        return [*sign, *inner, *(f".{one}" for one in operand.suffix)]

    def register(self, operand: Reg) -> Line:
        if operand.index == RZ:
            return ["RZ"]
        return ["UR" if operand.uniform else "R", f"#{operand.index}"]

    def constant(self, operand: Const) -> Line:
        abi, offset = self.sass.abi, operand.offset
        if operand.index is not None or operand.bank_register is not None:
            raise self.refuse(f"constant bank {operand.bank} at a place that is computed")
        if operand.bank:
            return self.own_constant(operand)
        if offset in _LAUNCH:
            name, hidden = _LAUNCH[offset]
            return [name, *number(abi.bindings_offset + hidden)]
        if abi.params_base <= offset < abi.params_base + abi.params_bytes:
            return ["param", *number(offset - abi.params_base)]
        if offset in _FIXED:
            return [_FIXED[offset]]
        raise self.refuse(f"c[0x0][{offset:#x}]")

    def own_constant(self, operand: Const) -> Line:
        """What ptxas put into a bank of the kernel's own: a number, as large as the instruction wants it."""
        begin, end = operand.offset, operand.offset + (8 if self.wide else 4)
        known = self.sass.kernel.constants.get(operand.bank, b"")
        if operand.bank in _SHARED_BANKS or end > len(known):
            raise self.refuse(f"constant bank {operand.bank}")
        return ["const", *number(int.from_bytes(known[begin:end], "little"))]

    def memory(self, operand: Mem) -> Line:
        line = ["["]
        if operand.base is not None:
            line += self.signed(operand.base)
            line += [".64"] if operand.wide and "64" not in operand.base.suffix else []
            line += [f".X{operand.scale}"] if operand.scale != 1 else []
        if operand.uniform is not None:
            line += ["+", *self.signed(operand.uniform)]
        if operand.offset:
            line += ["-" if operand.offset < 0 else "+", *number(abs(operand.offset))]
        return [*line, "]"]


def last_instruction(instructions: Sequence[Instruction]) -> int:
    """Where the padding begins: at the branch to itself that ends the code."""
    for position, one in enumerate(instructions):
        if one.mnemonic == "BRA" and one.operands[-1:] == (Target(one.address),):
            return position
    return len(instructions)


def source_lines(sass: SassKernel, values: bool = True) -> list[Line]:
    """The kernel as the model reads it. values: registers as numbers of values (contract fields-3), else as they are.

    Raises Unsupported for what the contract has no words for.
    """
    if sass.callees:
        raise Unsupported("calls between sections", kernel=sass.name, why="the shipped model reads one function")
    return _Source(sass, values).lines()


# ---- RDNA3 --------------------------------------------------------------------------------------------------

# Hints without a meaning for the result, and waits, which `pauses.py` puts in: they are not learned.
_HINTS = ("s_waitcnt", "s_delay_alu", "s_clause", "s_set_inst_prefetch_distance", "s_sendmsg", "s_nop", "s_code_end")
# Numbers have no more digits than 64 bits: Python refuses to read those of thousands.
_PIECE = re.compile(
    r"\s+|(?P<label>\.?LBB?\d+(?:_\d+)?)|(?P<range>[vs]\[(\d{1,4}):(\d{1,4})\])|(?P<register>[vs]\d{1,4}\b)"
    r"|(?P<hex>0x[0-9a-f]+)|(?P<real>\d+\.\d+)|(?P<number>\d{1,20}(?!\d))|(?P<word>[a-z_][\w.]*)|(?P<sign>[-,:()\[\]|&+!~])",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\.?LBB?\d+(?:_\d+)?")
_ENCODING = re.compile(r"_e(?:32|64)$")  # the assembler chooses by the operands


def _pieces(text: str, labels: dict[str, int]) -> Line:
    line: Line = []
    at = 0
    while at < len(text):
        found = _PIECE.match(text, at)
        if found is None:
            raise Rejected(f"not assembly that fields can hold: {text[at : at + 20]!r}")
        at = found.end()
        kind = found.lastgroup
        if kind == "label":
            line += ["L", f"#{labels.setdefault(found['label'], len(labels))}"]
        elif kind == "range":
            low, high = int(found[3]), int(found[4])
            line += [f"{found['range'][0]}*{high - low + 1}", f"#{low}"]
        elif kind == "register":
            line += [found["register"][0], f"#{int(found['register'][1:])}"]
        elif kind == "hex":
            line += number(int(found["hex"], 16))
        elif kind == "number":
            line += number(int(found["number"]))
        elif kind is not None:
            line.append(found[kind])
    return line


def target_lines(text: Sequence[str]) -> list[Line]:
    """The instructions and labels of a kernel's body as fields."""
    cleaned = [re.split(r";|//", line, maxsplit=1)[0].strip() for line in text]
    kept = [line for line in cleaned if line and not line.startswith(_HINTS)]
    kept = [line for line in kept if not line.startswith(".") or line.endswith(":")]  # alignment of loops
    used = {label for line in kept if not line.endswith(":") for label in _LABEL.findall(line)}
    order = [label for line in kept for label in ([line[:-1]] if line.endswith(":") else _LABEL.findall(line))]
    labels = {label: index for index, label in enumerate(dict.fromkeys(one for one in order if one in used))}
    lines = []
    for line in kept:
        if line.endswith(":"):
            if line[:-1] in labels:
                lines.append(["L", f"#{labels[line[:-1]]}", ":"])
            continue
        mnemonic, _, operands = line.partition(" ")
        lines.append([_ENCODING.sub("", mnemonic), *_pieces(operands, labels)])
    return lines


_NUMBER = re.compile(r"#(\d{1,20})$")
_OPENING, _CLOSING = ("(", "[", "|", "-", "~", ":", ""), (")", "]", ",", ":", "(")


class _Text:
    """Puts the fields of one line together again."""

    def __init__(self, line: Line) -> None:
        self.line, self.at = line, 0

    def numbers(self) -> list[int]:
        found = []
        while self.at < len(self.line) and (match := _NUMBER.match(self.line[self.at])):
            found.append(int(match[1]))
            self.at += 1
        return found

    def one(self) -> int:
        match = _NUMBER.match(self.line[self.at]) if self.at < len(self.line) else None
        if match is None:
            raise Rejected(f"a register or label without a number in {' '.join(self.line)[:60]!r}")
        self.at += 1
        return int(match[1])

    def atom(self) -> str:
        token = self.line[self.at]
        self.at += 1
        if token == "0x":
            return f"0x{bytes(self.numbers()).hex()}"
        if token in ("v", "s"):
            return f"{token}{self.one()}"
        if token[1:2] == "*" and token[2:].isdigit():
            low = self.one()
            return f"{token[0]}[{low}:{low + int(token[2:]) - 1}]"
        if token == "L":
            return f".LBB0_{self.one()}"
        return token[1:] if _NUMBER.match(token) else token


def _joined(line: Line) -> str:
    reader, text, before, bars = _Text(line), "", "", 0
    while reader.at < len(line):
        atom = reader.atom()
        inside = atom == "|" and bars % 2 == 1
        bars += atom == "|"
        glued = before in _OPENING or atom in _CLOSING or inside
        if before == "|" and bars % 2 == 0:
            glued = atom in _CLOSING
        text += atom if glued and not (atom == "[" and before == ",") else f" {atom}"
        before = atom
    return text


def target_text(lines: Sequence[Line]) -> str:
    """Assembly of fields: what `target_lines` makes the same fields of. Raises Rejected for what is none."""
    text = []
    for line in lines:
        if line[:1] == ["L"]:
            text.append(f"{_joined(line[:-1])}:" if line[-1:] == [":"] else _joined(line))
        else:
            text.append(f"\t{line[0]} {_joined(line[1:])}".rstrip() if line else "")
    return "\n".join(text) + "\n"
