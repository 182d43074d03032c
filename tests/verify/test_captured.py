"""Captured launches (E3): what a program's own launch shows, the frame and the file that carry one, hostile ones."""

from __future__ import annotations

import json
import struct
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from cass_shim import pipeline
from cass_shim.device import Device
from cass_shim.model.artifacts import CodeObject, Evidence, HipSource
from cass_shim.model.captured import CAPTURE_HEAD, CapturedLaunch, MemoryRange, pack_capture, unpack_capture
from cass_shim.model.config import Config
from cass_shim.model.entry import read_entry
from cass_shim.model.errors import Malformed, Rejected
from cass_shim.model.wire import KernelRequest
from cass_shim.module import load_module
from cass_shim.pipeline import NoTranslation, Work, assemble, translate, translate_source, verify
from cass_shim.verify import captured as captured_module
from cass_shim.verify import kernel as kernel_module
from cass_shim.verify.agreement import Judge, judge_input
from cass_shim.verify.capture_file import BODY_LIMIT, HEAD_LIMIT, START, CaptureFile, pack_file, read_file
from cass_shim.verify.captured import Captured, Replayed, replay
from cass_shim.verify.placement import CLOSE, captured_input, plan
from cass_shim.verify.survey import survey
from tests.verify.support import from_ptx

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "prebuilt" / "vector_add_static"
KERNEL = "_Z10vector_addPKfS0_Pfi"
CAPTURED = Path(__file__).parent / "launches"  # of samples, by `cass capture`: inputs, no results
A, B, C, COUNT = 0x7F00_0000_0000, 0x7F00_0001_0000, 0x7E12_3450_0000, 100  # C far from the others


@pytest.fixture(scope="module")
def work() -> Work:
    return Work(load_module(PROGRAM.read_bytes()), KERNEL, Config(translators="lift"))


def addition(count: int = COUNT, room: int = COUNT) -> CapturedLaunch:
    """vector_add's launch over `count` elements of arrays with room for `room`."""
    numbers = np.arange(room, dtype=np.float32)
    ranges = (MemoryRange(C, bytes(4 * room)), MemoryRange(A, numbers.tobytes()), MemoryRange(B, numbers.tobytes()))
    return CapturedLaunch((4, 1, 1), (32, 1, 1), 0, struct.pack("<QQQi", A, B, C, count), ranges)


def lifted(work: Work) -> CodeObject:
    return assemble(translate_source(work, "lift"), work.abi)


def subtracting(work: Work) -> CodeObject:
    """A translation that is wrong."""
    return from_ptx(work, ", f2 + f1)", ", f2 - f1)")


def replayed(work: Work, code: CodeObject, launch: CapturedLaunch, device: Device) -> Replayed:
    return replay(code, work.sass, work.module.cubin, survey(work.sass), device, Captured(launch, 30))


def recorded(name: str, **settings: str) -> Work:
    """A launch that a sample made."""
    held = read_file((CAPTURED / name).read_bytes(), name)
    module = load_module(held.region, held.entry_offset, held.module)
    return Work(module, held.kernel, Config(translators="lift", **settings), held.launch)


# ---- what it shows


def test_a_right_translation_agrees(work: Work, device: Device) -> None:
    found = replayed(work, lifted(work), addition(), device)
    assert (found.verdict, found.compared, found.moved) == ("agrees", 4 * COUNT, 3), found.reason


def test_a_wrong_one_is_rejected_with_buffer_offset_and_values(work: Work, device: Device) -> None:
    with pytest.raises(
        Rejected, match=r"parameter at 0x10 \(0x7e1234500000, 400 bytes\), byte 4: 0x0+ instead of 0x40000000"
    ):
        replayed(work, subtracting(work), addition(), device)


def test_one_that_never_ends_is_rejected(work: Work, device: Device) -> None:
    endless = from_ptx(work, ", f2 + f1);", ", f2 + f1); while (true) __builtin_amdgcn_s_sleep(1);")
    with pytest.raises(Rejected, match="the launch failed") as rejection:
        replayed(work, endless, addition(), device)
    assert "instruction limit" in str(rejection.value)
    device.reset()
    assert replayed(work, lifted(work), addition(), device).verdict == "agrees"


def test_the_policy_asks_for_it_and_refuses_less(work: Work) -> None:
    config = Config(translators="lift", min_evidence="E3", kernel_timeout="60")
    with pytest.raises(NoTranslation, match="below CASS_MIN_EVIDENCE=E3"):
        translate(work.module, KERNEL, replace(config, kernel_timeout="0.01"))  # nothing captured, no time for a proof
    assert translate(work.module, KERNEL, config, addition()).record.evidence == "E3"


def test_what_only_the_launch_shows_passes_a_translator_over(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    """A translation that is wrong for 1234 elements alone, which no generated input has."""
    translators = dict(pipeline.TRANSLATORS)

    def wrong(asked: Work) -> HipSource:
        source = translators["ptx-hip"](asked)
        assert isinstance(source, HipSource)
        body = source.text.rindex(KERNEL)
        text = source.text[body:].replace(", f2 + f1)", ", (i32)param_3 == 1234 ? f2 - f1 : f2 + f1)")
        assert text != source.text[body:]
        return replace(source, text=source.text[:body] + text)

    monkeypatch.setattr(pipeline, "TRANSLATORS", {"lift": wrong, "ptx-hip": translators["ptx-hip"]})
    launch = replace(addition(1234, 1234), grid=(40, 1, 1))
    config = Config(translators="lift,ptx-hip", kernel_timeout="60")
    assert translate(work.module, KERNEL, config).record.route == "lift", "generated inputs do not show it"
    record = translate(work.module, KERNEL, config, launch).record
    assert (record.route, record.evidence) == ("ptx-hip", "E3")
    assert "the buffer of the parameter at 0x10" in record.passed_over["lift"]
    with pytest.raises(NoTranslation, match="instead of"):
        translate(work.module, KERNEL, replace(config, translators="lift"), launch)


def test_a_launch_of_many_blocks_is_run_in_parts(work: Work, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captured_module, "PART_LANES", 64)
    found = replayed(work, lifted(work), addition(), device)
    assert (found.verdict, found.compared) == ("agrees", 4 * COUNT), found.reason
    with pytest.raises(Rejected, match="byte 4:"):
        replayed(work, subtracting(work), addition(), device)


def test_memory_that_was_not_captured_is_no_evidence(work: Work, device: Device) -> None:
    found = replayed(work, lifted(work), addition(COUNT, COUNT // 2), device)
    assert found.verdict == "none" and "out of range" in found.reason


def test_too_little_time_is_no_evidence(work: Work, device: Device) -> None:
    found = replay(lifted(work), work.sass, work.module.cubin, survey(work.sass), device, Captured(addition(), 0))
    assert found.verdict == "none" and "not finished in time" in found.reason


@pytest.mark.parametrize("decided_s", [0, 30])
def test_a_difference_that_comes_late_gets_time_of_its_own(
    work: Work, device: Device, monkeypatch: pytest.MonkeyPatch, decided_s: float
) -> None:
    """A wrong kernel was launched because its only difference came when the time was up (top_k built with -G)."""

    def slow(judge: Judge, *given: Any) -> Any:
        judge.until = time.monotonic() - 1
        return judge_input(judge, *given)

    monkeypatch.setattr(captured_module, "judge_input", slow)
    case = (subtracting(work), work.sass, work.module.cubin, survey(work.sass), device)
    launch = Captured(addition(), 20, decided_s=decided_s)
    if decided_s:
        with pytest.raises(Rejected, match="differs from the reference"):
            replay(*case, launch)
    else:
        found = replay(*case, launch)
        assert found.verdict == "undecided" and "not enough time to tell" in found.reason


def undecided(monkeypatch: pytest.MonkeyPatch, places: list[bool]) -> None:
    """For each replay in turn, whether its difference stays undecided."""

    def told(*case: Any) -> Replayed:
        return replace(replay(*case), verdict="undecided", reason="late") if places.pop(0) else replay(*case)

    monkeypatch.setattr(kernel_module, "replay", told)


def test_disputed_code_serves_only_where_no_other_does(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    """A difference that is known is more than nothing known: the next translator is asked."""
    config = Config(translators="lift,ptx-hip", kernel_timeout="60", capture="1")
    undecided(monkeypatch, [True, False])
    record = translate(work.module, KERNEL, config, addition()).record
    assert (record.route, record.evidence, record.is_disputed) == ("ptx-hip", "E3", False)
    assert "on a captured launch: late" in record.passed_over["lift"]
    undecided(monkeypatch, [True, True])
    last = translate(work.module, KERNEL, config, addition())
    assert (last.record.route, last.record.evidence, last.record.is_disputed) == ("lift", "E0", True)
    entry = read_entry(last.content)
    assert entry.disputed and not entry.launch_may_tell and "late" in last.record.passed_over["ptx-hip"]
    undecided(monkeypatch, [True, True])
    with pytest.raises(NoTranslation, match="evidence E0 is below"):  # inputs that agreed do not make up for it
        translate(work.module, KERNEL, replace(config, min_evidence="E1u"), addition())


def test_a_captured_launch_is_enough_where_generated_inputs_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    work = recorded("pitched_copies.accumulate.casscap")
    code = lifted(work)
    monkeypatch.setattr(kernel_module, "search", lambda campaign, seed: None)
    assert verify(replace(work, captured=None), code).evidence is Evidence.E0
    verified = verify(work, code)
    assert verified.evidence is Evidence.E3
    assert verified.report["instructions_covered"][0] > 0  # type: ignore[index]


def test_pointers_in_memory_lead_to_memory(device: Device) -> None:
    """A tree whose nodes hold addresses of arrays: they are followed when they are captured, and moved here."""
    work = recorded("search_tree.look_up.casscap")
    assert work.captured is not None
    found = replayed(work, lifted(work), work.captured, device)
    assert found.verdict == "agrees" and found.compared > 0 and found.moved > len(work.captured.params) // 8 - 2


# ---- addresses


def test_neighbours_keep_their_distance_and_the_end_of_one_is_not_the_other(work: Work) -> None:
    inner = struct.pack("<QQQQ", A, A + 32, B + 16, 5)
    launch = CapturedLaunch(
        (1, 1, 1),
        (1, 1, 1),
        0,
        struct.pack("<QQQi", C + 8, 0, A - 8, 1),
        (MemoryRange(C, bytes(64)), MemoryRange(A, inner), MemoryRange(B, bytes(32))),
    )
    placed = plan(launch, survey(work.sass))
    assert B - A <= CLOSE and len(placed.groups) == 2
    base = 0x1_0000_0000
    made, moved = captured_input(work.sass, work.module.cubin, launch, placed, base)
    a, b, c = (base + placed.offset(one) for one in (A, B, C))
    assert b - a == B - A and {x % 4096 for x in (a, b, c)} == {0}
    assert struct.unpack_from("<QQQi", made.params) == (c + 8, 0, a - 8, 1)
    assert made.content[a - base :][:32].tobytes() == struct.pack("<QQQQ", a, a + 32, b + 16, 5) and moved == 5
    assert made.valid is not None and made.valid.sum() == 64 + 32 + 32 and not made.valid[a - base + 32]


# ---- frame and file

LAUNCHES = st.builds(
    lambda sizes, params, heap: CapturedLaunch(
        (3, 2, 1),
        (32, 2, 1),
        16,
        params,
        tuple(
            MemoryRange(0x10000 * (n + 1), bytes([n]) * size, n if n < heap else None, n == heap)
            for n, size in enumerate(sizes)
        ),
    ),
    st.lists(st.integers(1, 300), max_size=4),
    st.binary(max_size=64),
    st.integers(0, 4),
)


def test_there_is_one_heap() -> None:
    with pytest.raises(Malformed, match="more than one device heap"):
        replace(addition(), ranges=(MemoryRange(A, bytes(8), is_heap=True), MemoryRange(B, bytes(8), is_heap=True)))


@given(LAUNCHES)
@settings(max_examples=30, deadline=None)
def test_frame_and_file_hold_what_was_put_in(launch: CapturedLaunch) -> None:
    request = KernelRequest(bytes(32), "k", "CASS_CAPTURE=1\n")
    assert unpack_capture(pack_capture(request, launch)) == (request, launch)
    held = CaptureFile("k", launch, b"region", 2, bytes(32))
    assert read_file(pack_file(held), "f") == held


FRAME = pack_capture(KernelRequest(bytes(32), "k"), addition())
FILE = pack_file(CaptureFile("k", addition(), b"region", 2, bytes(32)))


@given(st.integers(0, len(FRAME) - 1), st.integers(0, 255), st.booleans())
@settings(max_examples=300, deadline=None)
def test_a_damaged_frame_is_malformed_or_another_launch(at: int, byte: int, cut: bool) -> None:
    damaged = FRAME[:at] if cut else FRAME[:at] + bytes([byte]) + FRAME[at + 1 :]
    try:
        _, launch = unpack_capture(damaged)
    except (Malformed, UnicodeDecodeError):
        return
    assert not cut and launch.memory_bytes <= len(damaged)


@given(st.integers(0, len(FILE) - 1), st.integers(0, 255), st.booleans())
@settings(max_examples=300, deadline=None)
def test_a_damaged_file_is_malformed_or_another_launch(at: int, byte: int, cut: bool) -> None:
    damaged = FILE[:at] if cut else FILE[:at] + bytes([byte]) + FILE[at + 1 :]
    try:
        held = read_file(damaged, "f")
    except Malformed:
        return
    assert not cut and held.launch.memory_bytes == addition().memory_bytes


def rewritten(**changes: object) -> bytes:
    """The file with other members in its head."""
    _, version, size = START.unpack_from(FILE)
    head = json.loads(FILE[START.size : START.size + size])
    text = json.dumps({**head, **changes}).encode()
    return START.pack(FILE[:8], version, len(text)) + text + FILE[START.size + size :]


@pytest.mark.parametrize(
    "changes",
    [
        {"grid": [0, 1, 1]},
        {"grid": [1, 1]},
        {"block": [1024, 2, 1]},
        {"params": "zz"},
        {"params": "00" * 40000},
        {"region_bytes": -1},
        {"region_bytes": True},
        {"region_bytes": BODY_LIMIT + 1},
        {"entry_offset": 7},
        {"ranges": [{"address": "0x10", "size": BODY_LIMIT}] * 4},
        {"ranges": [{"address": "-0x10", "size": 8}]},
        {"ranges": [{"address": "0x" + "f" * 20, "size": 8}]},
        {"ranges": "no"},
        {"kernel": ""},
        {"kernel": "a\x1b[2J"},
        {"module": "00"},
        {"sha256": "0" * 64},
    ],
    ids=str,
)
def test_a_hostile_head_is_malformed(changes: dict[str, object]) -> None:
    with pytest.raises(Malformed):
        read_file(rewritten(**changes), "f")


def test_a_frame_that_unpacks_to_more_than_it_names_is_malformed() -> None:
    _, version, size = START.unpack_from(FILE)
    head = FILE[START.size : START.size + size]
    for frame in (
        zstandard.compress(bytes(100 << 20)),
        zstandard.ZstdCompressor(write_content_size=False).compress(bytes(100 << 20)),
        b"no zstd",
    ):
        with pytest.raises(Malformed):
            read_file(START.pack(FILE[:8], version, size) + head + frame, "f")
    with pytest.raises(Malformed, match="head of"):
        read_file(START.pack(FILE[:8], version, HEAD_LIMIT + 1) + bytes(HEAD_LIMIT + 1), "f")
    with pytest.raises(Malformed, match="cass capture PROGRAM"):
        read_file(b"\x7fELF" + bytes(100), "f")


def test_a_frame_with_too_many_ranges_is_malformed() -> None:
    head = CAPTURE_HEAD.unpack(FRAME)
    with pytest.raises(Malformed, match="do not add up"):
        unpack_capture(CAPTURE_HEAD.pack(**{**head, "range_count": 0xFFFF_FFFF}) + FRAME[CAPTURE_HEAD.size :])
