"""Every RDNA3 meaning on terms against the emulated device: random registers, one instruction, all lanes.

The instruction is assembled by LLVM, decoded from its bytes and run on unknown registers; then values are put into the
resulting terms, by integers for every lane and by z3 for some, and compared with what the device leaves in its
registers. Symbols of float operations stand for the interpreter's arithmetic.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from cass_shim.model.kernel_abi import WARP, KernelAbi
from cass_shim.verify.gfx11 import walk
from cass_shim.verify.proof.concrete import evaluate
from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.lanes import Value, lane
from cass_shim.verify.proof.launch import Domain
from cass_shim.verify.proof.memory import Memory
from cass_shim.verify.proof.rdna3.image import Image
from cass_shim.verify.proof.rdna3.kernarg import Kernarg
from cass_shim.verify.proof.rdna3.memory import MemoryOperations
from cass_shim.verify.proof.rdna3.operation import EXEC, SCC, VCC, VGPR, operations
from cass_shim.verify.proof.rdna3.vector import Mode
from cass_shim.verify.proof.solve import Translation
from cass_shim.verify.proof.terms import Term
from tests.native.emulator_core_support import assemble_object
from tests.native.test_rdna3_facts import EPILOGUE, PROLOGUE, REGISTERS
from tests.native.tinygrad_suite import run_asm
from tests.verify.proof.instructions import INSTRUCTIONS
from tests.verify.proof.symbols import known_symbols

z3 = pytest.importorskip("z3", reason="z3-solver is not installed")

INTEGERS = (0, 1, 2, 3, 5, 31, 32, 33, 63, 255, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)
FLOATS = (0x0000_0000, 0x8000_0000, 0x3F80_0000, 0xBF80_0000, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 0x7F80_0001,
          0x0000_0001, 0x8040_0000, 0x3F00_0000, 0x4049_0FDB, 0x7F7F_FFFF, 0x0080_0000)  # fmt: skip
ROUNDS = 3
MODE = Mode(ftz=True, ieee=True, dx10_clamp=True)  # what `run_asm` starts a wave with
CHECKED_BY_Z3 = (0, 13, 31)
TEXT_EXEC, TEXT_SCC = 14, 15  # the SGPRs that EXEC and SCC are set from
SET_UP = f"    s_bitcmp1_b32 s{TEXT_SCC}, 0\n    s_mov_b32 exec_lo, s{TEXT_EXEC}\n"
Registers = tuple[np.ndarray, np.ndarray]  # vectors[lane][register]; s0 to s15, VCC, SCC, EXEC


def lines(text: str) -> str:
    return "".join(f"    {one.strip().replace('abs(v', '|v').replace(')', '|') if 'abs(' in one else one.strip()}\n"
                   for one in text.split(" ; "))  # fmt: skip


def assembled(texts: tuple[str, ...], folder: Path) -> Iterator[tuple[bytes, bytes]]:
    """For each instruction the program that runs it for the device, and its own bytes."""
    source = f".macro prologue\n{PROLOGUE}    s_waitcnt vmcnt(0) lgkmcnt(0)\n    v_mov_b32 v254, 0\n.endm\n"
    source += f".macro epilogue\n{EPILOGUE}.endm\n"
    for index, text in enumerate(texts):
        source += f".globl run_{index}\n.p2align 8\nrun_{index}:\n    prologue\n{SET_UP}{lines(text)}    epilogue\n"
        source += f".globl bare_{index}\n.p2align 8\nbare_{index}:\n{lines(text)}.globl end_{index}\nend_{index}:\n"
    elf = ELFFile(BytesIO(assemble_object(source, folder)))
    section, table = elf.get_section_by_name(".text"), elf.get_section_by_name(".symtab")
    assert section and isinstance(table, SymbolTableSection)
    code, at = section.data(), {symbol.name: symbol["st_value"] for symbol in table.iter_symbols()}
    for index in range(len(texts)):
        yield code[at[f"run_{index}"] : at[f"bare_{index}"]], code[at[f"bare_{index}"] : at[f"end_{index}"]]


def at_random(rng: random.Random, floats: bool) -> Registers:
    """Registers full of edges and noise."""
    pool = FLOATS if floats else INTEGERS

    def word() -> int:
        return rng.choice(pool) if rng.random() < 0.5 else rng.getrandbits(32)

    vectors = np.array([[word() for _ in range(REGISTERS)] for _ in range(WARP)], np.uint32)
    return vectors, np.array([word() for _ in range(REGISTERS)] + [rng.getrandbits(32), 0, 0], np.uint32)


def terms_after(code: bytes) -> dict[int, Value]:
    """The registers after instructions that found unknowns in them: v<n>.<lane>, s<n>, vcc, scc, exec."""
    terms = Terms()
    domain = Domain(terms, KernelAbi(), (WARP, 1, 1))
    image = Image(operations(walk(code, "test")), MODE, {}, (None, None, None), 1, 0, ())
    memories = {name: Memory(terms, name, 4, own=False) for name in ("global", "shared")}
    wave = MemoryOperations(domain, image, 0, memories, Kernarg(domain, image, (), 0))
    wave.condition = terms.true
    for number in range(REGISTERS):
        wave.registers[number] = terms.var(f"s{number}", 32)
        wave.registers[VGPR + number] = tuple(terms.var(f"v{number}.{n}", 32) for n in range(WARP))
    # EXEC of lane n is an unknown of its own, so that a mask is known to be one
    wave.registers[EXEC] = terms.bits(tuple(terms.extract(terms.var("exec", 32), n, 1) for n in range(WARP)))
    wave.registers |= {VCC: terms.var("vcc", 32), SCC: terms.var("scc", 1)}
    for at in sorted(image.code):
        wave._execute(image.code[at])
    return wave.registers


def run(code: bytes, before: Registers) -> Registers:
    """What the emulated device makes of the registers."""
    vectors, scalars = before[0].copy(), before[1].copy()
    buffer = np.zeros(1024, np.uint32)
    arguments = np.array([vectors.ctypes.data, scalars.ctypes.data, buffer.ctypes.data], np.uint64)
    text = np.frombuffer(code, np.uint8).copy()
    run_asm(text.ctypes.data, text.nbytes, 1, 1, 1, WARP, 1, 1, arguments.ctypes.data)
    return vectors, scalars


def assignment(before: Registers) -> dict[str, int]:
    """The values of the unknowns."""
    vectors, scalars = before
    found = {f"v{n}.{k}": int(vectors[k, n]) for n in range(REGISTERS) for k in range(WARP)}
    found |= {f"s{n}": int(scalars[n]) for n in range(REGISTERS)}
    mask, scc = int(scalars[TEXT_EXEC]), int(scalars[TEXT_SCC]) & 1
    return found | {"vcc": int(scalars[REGISTERS]), "scc": scc, "exec": mask}


def nan(bits: int) -> bool:
    return bits & 0x7FFF_FFFF > 0x7F80_0000


def expected(found: Registers) -> Iterator[tuple[int, int, int]]:
    """(register code, lane, bits) of everything the device left behind."""
    vectors, scalars = found
    for number in range(REGISTERS):
        yield number, 0, int(scalars[number])
        for k in range(WARP):
            yield VGPR + number, k, int(vectors[k, number])
    for code, bits in zip((VCC, SCC, EXEC), scalars[REGISTERS:], strict=True):
        yield code, 0, int(bits)


def by_z3(translation: Translation, term: Term, variables: Mapping[str, int]) -> int | None:
    """A term with the unknowns' values put in by z3; None where symbols are left."""
    expression = translation.expression(term)
    given = [
        (v, translation.constant(variables[n], 1 if z3.is_bool(v) else v.size()))
        for n, v in translation.variables.items()
    ]
    found = z3.simplify(z3.substitute(expression, *given))
    if term.width == 1:
        return int(z3.is_true(found))
    return int(found.as_long()) if z3.is_bv_value(found) else None


def differences(after: dict[int, Value], before: Registers, found: Registers, floats: bool) -> Iterator[str]:
    """Registers whose terms are worth something else than the device says."""
    variables, translation = assignment(before), Translation()
    for code, k, bits in expected(found):
        term = lane(after[code], k)
        if term.op == "var":
            values = [variables[str(term.value)]]
        else:
            values = [evaluate(term, variables, known_symbols)]
            solved = by_z3(translation, term, variables) if k in CHECKED_BY_Z3 else None
            values += [solved] if solved is not None else []
        for value in values:
            if value != bits and not (floats and nan(value) and nan(bits)):
                yield f"register {code}, lane {k}: {value:#x}, the device {bits:#x}"


@pytest.mark.parametrize("family", sorted({family for family, _ in INSTRUCTIONS}))
def test_terms_agree_with_the_emulated_device(family: str, tmp_path: Path) -> None:
    texts = tuple(text for kind, text in INSTRUCTIONS if kind == family)
    rng, wrong = random.Random(family), []
    for text, (program, bare) in zip(texts, assembled(texts, tmp_path), strict=True):
        after = terms_after(bare)
        for round_number in range(ROUNDS):
            before = at_random(rng, family == "floats")
            if round_number == 0:
                before[1][TEXT_EXEC] = 0xFFFF_FFFF
            found = list(differences(after, before, run(program, before), family == "floats"))
            wrong += [f"{text}: {found[0]}"] if found else []
    assert not wrong, f"{len(wrong)} disagreements\n" + "\n".join(wrong)
