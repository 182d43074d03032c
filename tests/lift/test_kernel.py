"""Whole small kernels: control flow, calls, lanes and barriers, run on the emulated device against plain Python."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cass_shim.assemble.llvm import generate_assembly
from cass_shim.lift import lift_kernel
from cass_shim.lift.builder import Builder
from cass_shim.model.errors import DeviceFailed, Unsupported
from cass_shim.model.instruction import Target
from cass_shim.model.kernel_abi import Slot, SlotKind
from tests.lift.support import HEAD, WORDS, kernel, run

VABSDIFF4 = Path(__file__).parents[1] / "vectors" / "sass" / "vabsdiff4-sm90.txt"


def test_a_loop_whose_count_differs_by_lane() -> None:
    sass = kernel(
        HEAD
        + """
        MOV R8, RZ
        MOV R9, RZ
        again:
        ISETP.GE.U32.AND P0, PT, R9, R0, PT
        @P0 BRA =out
        IADD3 R8, R8, R9, 0x1
        IADD3 R9, R9, 0x1, RZ
        BRA =again
        out:
        STG.E [R2.64], R8
        EXIT
        """
    )
    found = run(sass, WORDS, 32)
    assert found.tolist() == [sum(k + 1 for k in range(lane)) for lane in range(32)]


def test_guarded_instructions_keep_the_old_value_elsewhere() -> None:
    sass = kernel(
        HEAD
        + """
        MOV R8, 0x5
        ISETP.LT.AND P0, PT, R0, 0x10, PT
        @P0 IADD3 R8, R0, 0x64, RZ
        @!P0 LDG.E R8, [R4.64]
        ISETP.EQ.AND P1, PT, R0, 0x3, PT
        @P1 EXIT
        STG.E [R2.64], R8
        EXIT
        """
    )
    expected = [lane + 100 if lane < 16 else int(WORDS[lane]) for lane in range(32)]
    expected[3] = 0
    assert run(sass, WORDS, 32).tolist() == expected


CALLS = (
    HEAD
    + """
    LDG.E R8, [R4.64]
    MOV R20, =first
    MOV R21, 0x0
    CALL.REL.NOINC =function
    first:
    MOV R20, =second
    MOV R21, 0x0
    CALL.REL.NOINC =function
    second:
    STG.E [R2.64], R8
    EXIT
    function:
    IMAD R8, R8, 0x3, R0
    RET.REL.NODEC R20, 0x0
    """
)
FUNCTION = {"k": 0, "function": 16 * (7 + 9)}


def test_a_function_called_from_two_places() -> None:
    found = run(kernel(CALLS, symbols=FUNCTION), WORDS, 32)
    assert found.tolist() == [3 * (3 * int(w) + n) + n for n, w in enumerate(WORDS)]


def test_a_return_to_somewhere_else_traps_instead_of_going_on() -> None:
    wrong = CALLS.replace("MOV R20, =second", "MOV R20, 0x30")
    with pytest.raises(DeviceFailed, match="trap"):
        run(kernel(wrong, symbols=FUNCTION), WORDS, 32)


def test_a_called_function_may_vote() -> None:
    """Two diverged call sites: each sees only its own lanes, so the copies must not be merged."""
    sass = kernel(
        HEAD
        + """
        ISETP.LT.AND P0, PT, R0, 0x8, PT
        @P0 BRA =low
        MOV R20, =joined
        CALL.REL.NOINC =function
        BRA =joined
        low:
        MOV R20, =joined
        CALL.REL.NOINC =function
        joined:
        STG.E [R2.64], R8
        EXIT
        function:
        VOTE.ANY R8, PT, PT
        RET.REL.NODEC R20, 0x0
        """.replace("MOV R20, =joined\n        CALL.REL.NOINC =function\n        BRA", "MOV R20, =after\n"
                    "        CALL.REL.NOINC =function\n        after:\n        BRA"),
        symbols={"k": 0, "function": 16 * (7 + 9)},
    )  # fmt: skip
    assert run(sass, WORDS, 32).tolist() == [0xFF] * 8 + [0xFFFFFF00] * 24


def test_recursion_uses_the_stack() -> None:
    """sum(n) = n + sum(n - 1), with the return address and n saved in local memory."""
    sass = kernel(
        HEAD
        + """
        MOV R8, R0
        MOV R20, =done
        CALL.REL.NOINC =sum
        done:
        STG.E [R2.64], R8
        EXIT
        sum:
        ISETP.EQ.AND P0, PT, R8, RZ, PT
        @P0 RET.REL.NODEC R20, 0x0
        IADD3 R1, R1, -0x8, RZ
        STL [R1], R8
        STL [R1+0x4], R20
        IADD3 R8, R8, -0x1, RZ
        MOV R20, =back
        CALL.REL.NOINC =sum
        back:
        LDL R9, [R1]
        LDL R20, [R1+0x4]
        IADD3 R1, R1, 0x8, RZ
        IADD3 R8, R8, R9, RZ
        RET.REL.NODEC R20, 0x0
        """,
        symbols={"k": 0, "sum": 16 * (7 + 5)},
    )
    assert run(sass, WORDS, 32).tolist() == [n * (n + 1) // 2 for n in range(32)]


def test_a_function_pointer_goes_through_the_table_in_bank_2() -> None:
    body = (
        HEAD
        + """
        LOP3.LUT R8, R0, 0x1, RZ, 0xc0, !PT
        IMAD R8, R8, 0x8, RZ
        LDC.64 R8, c[0x2][R8+0x8]
        MOV R20, =after
        CALL.REL.NOINC R8, 0x0
        after:
        STG.E [R2.64], R10
        EXIT
        even:
        MOV R10, 0x64
        RET.REL.NODEC R20, 0x0
        odd:
        IADD3 R10, R0, 0xc8, RZ
        RET.REL.NODEC R20, 0x0
        """
    )
    even, odd = 16 * (7 + 7), 16 * (7 + 9)
    table = b"".join(v.to_bytes(8, "little") for v in (1, even, odd))
    sass = kernel(body, symbols={"k": 0, "even": even, "odd": odd}, constants={2: table})
    assert run(sass, WORDS, 32).tolist() == [n + 200 if n % 2 else 100 for n in range(32)]


@pytest.mark.parametrize("line", ["IADD3.SOMEHOW R8, R8, R8, RZ", "BAR.SYNC 0x0, 0x40"])
def test_what_is_not_understood_is_named_with_its_address(line: str) -> None:
    with pytest.raises(Unsupported) as error:
        lift_kernel(kernel(f"{HEAD}\n{line}\nEXIT"))
    assert (error.value.kernel, error.value.feature, error.value.address) == ("k", line.split()[0], 0x70)


def test_an_operand_that_is_not_understood_is_named_with_its_address() -> None:
    """The operand parser says so; the decoder, which calls it, adds the kernel."""
    with pytest.raises(Unsupported, match="gdesc") as error:
        kernel(f"{HEAD}\nHGMMA.64x8x16.F32 R24, gdesc[UR4], R24\nEXIT")
    assert (error.value.feature, error.value.address) == ("HGMMA.64x8x16.F32", 0x70)


def test_a_shuffle_without_a_predicate_is_understood() -> None:
    assert lift_kernel(kernel(f"{HEAD}\nSHFL.IDX PT, R8, R8, 0x0, 0x1f\nEXIT")).text


def test_generic_addresses_of_constants_start_where_bank_3_lies() -> None:
    """What debug builds add to an offset in constant memory before they load through a pointer."""
    sass = kernel(
        HEAD
        + """
        MOV R8, c[0x0][0x54]
        @!PT NOP
        ISETP.EQ.AND P0, PT, R0, RZ, PT
        @P0 MOV R8, c[0x0][0x50]
        STG.E [R2.64], R8
        EXIT
        """
    )
    assert lift_kernel(sass).slots == (Slot(SlotKind.BANK, addend=3),)
    assert run(sass, WORDS, 32, slots=[0x12_3456_7000]).tolist() == [0x3456_7000] + [0x12] * 31


def test_byte_differences_ignore_a_third_source_that_is_not_accumulated() -> None:
    body = "LDG.E R8, [R4.64]\nMOV R9, 0x7f10ff03\nMOV R10, 0x1234567\n{}\nSTG.E [R2.64], R8\nEXIT"
    given = np.arange(32, dtype=np.uint32) * np.uint32(0x1020_4081)

    def differences(word: int) -> list[int]:
        return [abs((word >> 8 * k & 255) - (0x7F10_FF03 >> 8 * k & 255)) for k in range(4)]

    plain = run(kernel(HEAD + body.format("VABSDIFF4.U8 R8, R8, R9, R10")), given, 32)
    assert plain.tolist() == [sum(d << 8 * k for k, d in enumerate(differences(int(w)))) for w in given]
    summed = run(kernel(HEAD + body.format("VABSDIFF4.U8.ACC R8, R8, R9, R10")), given, 32)
    assert summed.tolist() == [sum(differences(int(w))) + 0x123_4567 for w in given]


@pytest.mark.parametrize(("form", "column"), [(".U8", 3), ("", 4), (".U8.ACC", 5)])
def test_byte_differences_are_those_of_the_gpu(form: str, column: int) -> None:
    """256 recorded rows, a lane each."""
    lines = [line.split() for line in VABSDIFF4.read_text().splitlines() if line[0] != "#"]
    rows = np.array([[int(word, 16) for word in line] for line in lines], np.uint32)
    loads = "LDG.E R8, [R4.64]\nLDG.E R9, [R4.64+0x400]\nLDG.E R10, [R4.64+0x800]\n"
    body = f"{loads}VABSDIFF4{form} R8, R8, R9, R10\nSTG.E [R2.64], R8\nEXIT"
    found = run(kernel(HEAD + body), rows[:, :3].T.ravel(), len(rows), grid=(8,))
    assert found.tolist() == rows[:, column].tolist()


@pytest.mark.parametrize(("symbols", "heap"), [((), True), (("free",), False), (("free", "malloc"), True)])
def test_a_module_that_never_allocates_has_nothing_to_free(symbols: tuple[str, ...], heap: bool) -> None:
    """Bank 4 tells what a module calls; without it (debug builds call by relocation) anything may be."""
    sass = kernel(HEAD + "CALL.ABS.NOINC 0x0\nEXIT", bank4={8 * n: symbol for n, symbol in enumerate(symbols)})
    call = replace(sass.instructions[-2], operands=(Target(0, "free"),))
    sass = replace(sass, instructions=(*sass.instructions[:-2], call, sass.instructions[-1]))
    assert (Slot(SlotKind.HEAP) in lift_kernel(sass).slots) == heap


def test_a_kernel_is_given_the_inputs_that_it_reads() -> None:
    """No pass finds that out: what is not named absent would take scalar registers and hidden arguments."""
    code = "S2R R0, SR_CTAID.X\nS2R R1, SR_TID.Y\nMOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\n"
    text = generate_assembly(lift_kernel(kernel(f"{code}IADD3 R0, R0, R1, RZ\nSTG.E [R2.64], R0\nEXIT\n")).text)
    given = dict(re.findall(r"\.amdhsa_((?:user|system)_\w+) (\d)", text))
    assert [given[f"system_sgpr_workgroup_id_{axis}"] for axis in "xyz"] == ["1", "0", "0"]
    assert (given["user_sgpr_dispatch_ptr"], given["user_sgpr_queue_ptr"], given["user_sgpr_dispatch_id"]) == tuple(
        "000"
    )
    assert given["system_vgpr_workitem_id"] == "1"
    assert "hidden_" not in text


def test_what_a_block_has_is_not_made_twice_and_never_taken_from_lanes_that_went_another_way() -> None:
    """The product of a guarded region is not there for who did not enter it; one in front of it is there for all."""
    sass = kernel(
        HEAD
        + """
        IMAD R8, R0, 0x3, RZ
        ISETP.LT.AND P0, PT, R0, 0x10, PT
        @P0 LDG.E R9, [R4.64]
        @P0 STG.E [R2.64+0x80], R8
        IMAD R10, R0, 0x3, RZ
        @!P0 LDG.E R9, [R4.64]
        IMAD R11, R0, 0x3, RZ
        IADD3 R10, R10, R11, R9
        STG.E [R2.64], R10
        EXIT
        """
    )
    assert lift_kernel(sass).text.count(", 3\n") == 1
    assert run(sass, WORDS, 64).tolist()[:32] == [6 * lane + int(WORDS[lane]) for lane in range(32)]


def test_names_of_a_block_end_with_it() -> None:
    builder = Builder()
    builder.start("one")
    first, again = (builder.op(32, "add i32 %a, 1").text for _ in range(2))
    assert first == again
    assert builder.text("load i32, ptr %a") != builder.text("load i32, ptr %a")
    builder.raw("br label %two")
    second = builder.op(32, "add i32 %a, 1").text
    builder.start("two")
    third = builder.op(32, "add i32 %a, 1").text
    apart = builder.body(lambda: builder.raw(builder.text("add i32 %a, 1")))
    assert len({first, second, third}) == 3
    assert len(apart) == 2
