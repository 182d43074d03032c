"""What another machine translated is checked again here as CASS_REVERIFY says, and proposals wait for a signature."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.cache.audit import read_audit
from cass_shim.cache.directory import DirectoryStore
from cass_shim.cache.local import LocalTier
from cass_shim.cache.remote import RemoteTier
from cass_shim.cache.storage import Entry
from cass_shim.cli.programs import find_modules
from cass_shim.daemon.reverify import check_again, pack_check, unpack_check
from cass_shim.model.artifacts import Evidence
from cass_shim.model.config import Config
from cass_shim.model.entry import pack_entry, read_entry
from cass_shim.model.errors import Malformed, Rejected
from cass_shim.model.wire import KernelRequest
from cass_shim.module import Module
from cass_shim.pipeline import translate
from tests.cache.conftest import server
from tests.daemon.conftest import EXAMPLES, Place
from tests.daemon.test_team import SIGNER, finish, machines

__all__ = ["machines", "server"]  # fixtures

Machines = Callable[[str], tuple[Place, Place]]
CONFIG = Config.read({"CASS_MIN_EVIDENCE": "E0"})


def events(place: Place) -> list[object]:
    return [row["event"] for row in read_audit(place.cache)]


def foreign(place: Place) -> list[str]:
    """The signers of what the machine keeps; "" for its own."""
    return [one.signature.partition(":")[0] for one in LocalTier(place.cache).records()]


@pytest.fixture
def shared(machines: Machines, regions: list[Path], tmp_path: Path) -> tuple[Place, str]:
    """A desk, and the output of the program whose translation the team has."""
    ci, desk = machines(str(tmp_path / "share"))
    first = ci.run(regions[0])
    assert first.returncode == 0, first.stdout
    finish(ci)
    return desk, first.stdout


def test_a_signature_suffices_where_the_policy_says_so(shared: tuple[Place, str], regions: list[Path]) -> None:
    desk, output = shared
    assert desk.run(regions[0]).stdout == output
    assert "checked again" not in desk.counters()
    assert foreign(desk) == ["ci-1"]
    desk.stop()


def test_once_on_first_use_and_then_it_is_ours(shared: tuple[Place, str], regions: list[Path]) -> None:
    desk, output = shared
    desk.environment["CASS_REVERIFY"] = "first-use"
    for _ in range(2):
        assert desk.run(regions[0]).stdout == output
    counters = desk.counters()
    assert (counters["team hits"], counters["checked again"], counters.get("translations", 0)) == (1, 1, 0)
    (record,) = LocalTier(desk.cache).records()
    assert (record.signature, record.provenance["checked_again"]) == ("", "ci-1")
    assert events(desk) == ["trust", "checked again"] or events(desk) == ["checked again"]
    desk.stop()
    assert desk.run(regions[0], CASS_PYTHON="/bin/false").stdout == output, "C finds it by itself now"


def test_before_each_programs_first_use(shared: tuple[Place, str], regions: list[Path]) -> None:
    desk, output = shared
    desk.environment["CASS_REVERIFY"] = "always"
    for _ in range(3):
        assert desk.run(regions[0]).stdout == output
    counters = desk.counters()
    assert (counters["team hits"], counters["hits"], counters["checked again"]) == (1, 2, 3)
    assert foreign(desk) == ["ci-1"]
    finish(desk)
    assert desk.run(regions[0], CASS_PYTHON="/bin/false").returncode != 0, "C never uses it by itself"


def test_what_was_fetched_under_a_laxer_policy_is_checked_too(shared: tuple[Place, str], regions: list[Path]) -> None:
    desk, output = shared
    assert desk.run(regions[0]).stdout == output
    finish(desk)
    desk.environment["CASS_REVERIFY"] = "first-use"
    assert desk.run(regions[0]).stdout == output
    counters = desk.counters()
    assert (counters["checked again"], foreign(desk)) == (1, [""])
    desk.stop()


def test_a_signed_translation_of_another_kernel_is_rejected_and_translated_anew(
    machines: Machines, regions: list[Path], tmp_path: Path
) -> None:
    """A trusted key can sign what is wrong: then checking again is what helps."""
    ci, desk = machines(str(tmp_path / "share"))
    ci.run(regions[0], regions[1])
    finish(ci)
    store = RemoteTier(DirectoryStore(tmp_path / "share"))
    one, other = LocalTier(ci.cache).records()
    entry, wrong = (store.get(bytes.fromhex(record.key))[0] for record in (one, other))
    content = pack_entry(replace(read_entry(wrong.content), key=bytes.fromhex(one.key), evidence=Evidence.E4))
    digest = hashlib.sha256(content).hexdigest()
    record = replace(entry.record, entry=digest, evidence="E4", route=wrong.record.route, signature="")
    store.put(bytes.fromhex(one.key), Entry(SIGNER.sign(record), content))
    desk.environment["CASS_REVERIFY"] = "first-use"
    sound = ci.run(regions[0], regions[1])
    assert desk.run(regions[0], regions[1]).stdout == sound.stdout
    counters = desk.counters()
    assert (counters["rejected"], counters["team hits"]) == (1, 2), "the sound one behind it still counts"
    assert "rejected" in events(desk)
    desk.stop()


# ---- the check itself ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def translated() -> tuple[Module, str, Entry]:
    """vector_add, translated and verified on the emulated device."""
    (found,) = find_modules(EXAMPLES / "vector_add_static", CONFIG)
    (kernel,) = found.module.kernels
    answer = translate(found.module, kernel, CONFIG)
    return found.module, kernel, Entry(answer.record, answer.content)


def test_the_same_code_keeps_its_evidence(translated: tuple[Module, str, Entry]) -> None:
    module, kernel, entry = translated
    again = check_again(module, kernel, SIGNER.sign(entry.record), entry.content, CONFIG)
    assert again.record.evidence == entry.record.evidence
    assert again.record.report["seed"] != entry.record.report["seed"], "inputs that the maker could not know"
    assert again.record.signature == ""
    assert read_entry(again.content).code.elf == read_entry(entry.content).code.elf


def subtract_instead(elf: bytes) -> bytes:
    """Every v_add_f32 of the code becomes v_sub_f32 (VOP2 opcodes 3 and 4; RDNA3 ISA manual, VOP2)."""
    from io import BytesIO

    from elftools.elf.elffile import ELFFile

    text = ELFFile(BytesIO(elf)).get_section_by_name(".text")
    start, size = text["sh_offset"], text["sh_size"]
    words = list(struct.unpack_from(f"<{size // 4}I", elf, start))
    changed = [one + (1 << 25) if one >> 25 == 3 else one for one in words]
    assert changed != words, "no addition in the code"
    return elf[:start] + struct.pack(f"<{len(words)}I", *changed) + elf[start + 4 * len(words) :]


def test_wrong_code_is_rejected_with_a_witness(translated: tuple[Module, str, Entry]) -> None:
    module, kernel, entry = translated
    if entry.record.evidence == "E0":
        pytest.skip("no device here, emulated or not: only the contract can be checked")
    code = read_entry(entry.content)
    content = pack_entry(replace(code, code=replace(code.code, elf=subtract_instead(code.code.elf))))
    record = SIGNER.sign(replace(entry.record, entry=hashlib.sha256(content).hexdigest()))
    with pytest.raises(Rejected) as caught:
        check_again(module, kernel, record, content, CONFIG)
    assert caught.value.witness


def test_less_evidence_than_the_bar_is_not_enough(translated: tuple[Module, str, Entry]) -> None:
    module, kernel, entry = translated
    with pytest.raises(Rejected, match="below CASS_MIN_EVIDENCE=E4"):
        check_again(module, kernel, entry.record, entry.content, replace(CONFIG, min_evidence="E4", prove="1e-6"))


def test_a_request_is_packed_and_read(translated: tuple[Module, str, Entry]) -> None:
    module, kernel, entry = translated
    request = KernelRequest(module.digest, kernel, "CASS_MIN_EVIDENCE=E1\n")
    assert unpack_check(pack_check(request, entry)) == (request, entry.record, entry.content)
    for payload in (b"", b"\0\0\0\0", pack_check(request, entry)[:40]):
        with pytest.raises(Malformed):
            unpack_check(payload)
    with pytest.raises(Malformed, match="another kernel"):
        check_again(module, kernel, replace(entry.record, key="0" * 64), entry.content, CONFIG)


def test_a_program_cannot_ask_for_a_check(place: Place, regions: list[Path]) -> None:
    """VERIFY is between the daemon and its workers."""
    from cass_shim.daemon.runtime import Client
    from cass_shim.model.wire import FrameKind, Status

    place.run(regions[0])
    with Client(place.socket, 10) as client:
        reply = client.ask(FrameKind.VERIFY, b"x" * 100)
    assert (reply.status, b"VERIFY" in reply.body) == (Status.FAILED, True)


# ---- quarantine ---------------------------------------------------------------------------------------------


def test_nobody_reads_what_an_unsigned_writer_proposes(machines: Machines, regions: list[Path], tmp_path: Path) -> None:
    guest, desk = machines(str(tmp_path / "share"))
    guest.environment["CASS_REMOTE_ROLE"] = "propose"
    (guest.cache / "signing-key").unlink()
    assert guest.run(regions[0]).returncode == 0
    finish(guest)
    kept = [path for path in (tmp_path / "share" / "quarantine").rglob("*") if path.is_file()]
    assert len(kept) == 3, "a blob, a record, a head"
    assert [path.name for path in (tmp_path / "share").iterdir()] == ["quarantine"]
    assert desk.run(regions[0]).returncode == 0
    counters = desk.counters()
    assert (counters.get("team hits", 0), counters["translations"]) == (0, 1)
    desk.stop()
