"""Packs: what goes in comes out; what was made to harm is refused as a whole, by name."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cass_shim.cache.pack import CONTEXT, LIST_LIMIT, read_pack, write_pack
from cass_shim.cache.record import RECORD_LIMIT
from cass_shim.cache.trust import Signer, TrustSet
from cass_shim.model.artifacts import Evidence
from cass_shim.model.errors import CassError, Malformed, Rejected
from tests.cache.test_local import KEY, make_entry
from tests.cache.test_tiers import OTHER, SIGNER, TRUST

ENTRIES = [make_entry(), make_entry(OTHER, route="ptx-hip", evidence=Evidence.E0)]
STRANGER = Signer("stranger-1", bytes(32))


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    path = tmp_path / "program.casspack"
    write_pack(path, "program", ENTRIES, SIGNER)
    return path


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {one.filename: archive.read(one) for one in archive.infolist()}


def rewrite(path: Path, content: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, one in content.items():
            archive.writestr(name, one)


def listed(digests: list[str], signer: Signer = SIGNER, schema: int = 1) -> bytes:
    """A `pack.json` with a true signature of `signer`."""
    facts: dict[str, object] = {"program": "program", "records": digests, "schema": schema}
    signature = signer.seal(CONTEXT + json.dumps(facts, sort_keys=True, separators=(",", ":")).encode())
    return json.dumps({**facts, "signature": signature}).encode()


def test_what_goes_in_comes_out_signed(pack: Path) -> None:
    read = read_pack(pack, TRUST)
    assert (read.program, read.signer) == ("program", "ci-1")
    assert [replace(one, record=replace(one.record, signature="")) for one in read.entries] == ENTRIES
    assert {TRUST.signer_of(one.record) for one in read.entries} == {"ci-1"}


def test_equal_translations_make_equal_packs(pack: Path, tmp_path: Path) -> None:
    write_pack(tmp_path / "again", "program", ENTRIES, SIGNER)
    assert (tmp_path / "again").read_bytes() == pack.read_bytes()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["again", "program.casspack"]


def test_a_signature_that_is_there_is_kept(tmp_path: Path) -> None:
    entry = replace(ENTRIES[0], record=SIGNER.sign(ENTRIES[0].record))
    other = Signer("desk-1", bytes(reversed(range(32))))
    write_pack(tmp_path / "pack", "program", [entry], other)
    both = TrustSet({**TRUST.keys, **trusting(other).keys})
    assert both.signer_of(read_pack(tmp_path / "pack", both).entries[0].record) == "ci-1"


def trusting(signer: Signer) -> TrustSet:
    return TrustSet({signer.name: base64.b64decode(signer.public.partition(":")[2])})


# ---- whom it believes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trust", "reason"),
    [(TrustSet({}), "not trusted"), (TrustSet(TRUST.keys, frozenset({"ci-1"})), "revoked")],
)
def test_an_unknown_or_revoked_signer_is_refused(pack: Path, trust: TrustSet, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        read_pack(pack, trust)


def test_a_trusted_list_does_not_lend_trust_to_its_records(pack: Path) -> None:
    record = STRANGER.sign(ENTRIES[0].record)
    blob = f"blobs/{record.entry}"
    content = {"pack.json": listed([record.digest]), blob: ENTRIES[0].content}
    rewrite(pack, {**content, f"records/{record.digest}.json": record.canonical()})
    with pytest.raises(Rejected, match="stranger-1, which is not trusted"):
        read_pack(pack, TRUST)


# ---- what was made to harm ----------------------------------------------------------------------------------


def without_the_last_record(content: dict[str, bytes]) -> None:
    value = json.loads(content["pack.json"])
    value["records"].pop()
    content["pack.json"] = json.dumps(value).encode()


def raised_evidence(content: dict[str, bytes]) -> None:
    name = next(one for one in content if one.startswith("records/"))
    forged = content.pop(name).replace(b'"evidence":"E0"', b'"evidence":"E4"').replace(b'"E1"', b'"E4"')
    digest = hashlib.sha256(forged).hexdigest()
    content[f"records/{digest}.json"] = forged
    others = [one[8:-5] for one in content if one.startswith("records/")]
    content["pack.json"] = listed(others)


def swapped_blobs(content: dict[str, bytes]) -> None:
    first, second = (one for one in content if one.startswith("blobs/"))
    content[first], content[second] = content[second], content[first]


def change(prefix: str, to: Callable[[bytes], bytes]) -> Callable[[dict[str, bytes]], None]:
    def apply(content: dict[str, bytes]) -> None:
        name = next(one for one in content if one.startswith(prefix))
        content[name] = to(content[name])

    return apply


def add(name: str, to: bytes = b"x") -> Callable[[dict[str, bytes]], None]:
    return lambda content: content.update({name: to})


def remove(prefix: str) -> Callable[[dict[str, bytes]], None]:
    def apply(content: dict[str, bytes]) -> None:
        del content[next(one for one in content if one.startswith(prefix))]

    return apply


ATTACKS: dict[str, tuple[Callable[[dict[str, bytes]], None], str]] = {
    "a path that leaves": (add("../../.bashrc"), "'../../.bashrc' does not belong"),
    "an absolute path": (add("/etc/cron.d/x"), "'/etc/cron.d/x' does not belong"),
    "a path below blobs": (add("blobs/../../x"), "does not belong"),
    "a spare object": (add("blobs/" + "0" * 64), "not in the signed list"),
    "a spare record": (add("records/" + "0" * 64 + ".json"), "not in the signed list"),
    "a bomb for a list": (add("pack.json", b" " * (LIST_LIMIT + 1)), "pack.json unpacks to more than"),
    "a bomb for a record": (change("records/", lambda _: b" " * (RECORD_LIMIT + 1)), "unpacks to more than"),
    "deep JSON": (add("pack.json", b"[" * 100_000), "not JSON"),
    "a list of something else": (add("pack.json", b"[1]"), "not the list of a pack"),
    "a number for a digest": (add("pack.json", listed([1])), "64 hexadecimal digits"),  # type: ignore[list-item]
    "a path for a digest": (add("pack.json", listed(["../../../etc/passwd"])), "64 hexadecimal digits"),
    "another schema": (add("pack.json", listed([], schema=2)), "schema 2"),
    "no list": (remove("pack.json"), "pack.json is missing"),
    "a blob that is gone": (remove("blobs/"), "is missing"),
    "a record that is gone": (remove("records/"), "is missing"),
    "a changed blob": (change("blobs/", lambda one: one[:-1] + b"\1"), "blob does not match its name"),
    "swapped blobs": (swapped_blobs, "blob does not match its name"),
    "a changed record": (change("records/", lambda one: one.replace(b"lift", b"cass")), "does not match its name"),
    "a shortened list": (without_the_last_record, "signature of ci-1 does not match"),
    "raised evidence": (raised_evidence, "signature of ci-1 does not match"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_harmful_pack_is_refused_by_name(pack: Path, attack: str) -> None:
    apply, reason = ATTACKS[attack]
    content = members(pack)
    apply(content)
    rewrite(pack, content)
    with pytest.raises(CassError, match=reason.replace("(", r"\(").replace(".", r"\.")):
        read_pack(pack, TRUST)


def test_a_name_with_a_nul_is_not_cut_short(pack: Path) -> None:
    """Some readers end a name at the NUL, and would see another name than we do."""
    name = "blobs/" + "0" * 64
    rewrite(pack, {**members(pack), f"{name}%.txt": b"x"})
    pack.write_bytes(pack.read_bytes().replace(f"{name}%.txt".encode(), f"{name}\0.txt".encode()))
    with pytest.raises(Malformed, match="does not belong"):
        read_pack(pack, TRUST)


def test_a_bomb_of_many_blobs_stops_at_the_total(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cass_shim.cache.pack.UNPACKED_LIMIT", 1000)
    with pytest.raises(Malformed, match="unpacks to more than"):
        read_pack(pack, TRUST)


def test_a_member_that_is_there_twice_is_refused(pack: Path) -> None:
    with zipfile.ZipFile(pack, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("pack.json", b"{}")
    with pytest.raises(Malformed, match=r"pack\.json is there twice"):
        read_pack(pack, TRUST)


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_another_compression_is_refused(pack: Path, compression: int) -> None:
    rewrite(pack, members(pack), compression)
    with pytest.raises(Malformed, match="compressed in a way"):
        read_pack(pack, TRUST)


def test_a_directory_of_millions_is_refused_before_it_is_read(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cass_shim.cache.pack.MEMBERS_LIMIT", 3)
    with pytest.raises(Malformed, match="5 members; a pack has at most 3"):
        read_pack(pack, TRUST)


@pytest.mark.parametrize("content", [b"", b"P", b"PK\5\6", b"\x7fELF" + bytes(100), b"PK\5\6" + b"\xff" * 18])
def test_what_is_no_pack_says_so(pack: Path, content: bytes) -> None:
    pack.write_bytes(content)
    with pytest.raises(Malformed, match=r"program\.casspack"):
        read_pack(pack, TRUST)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(Malformed, match="No such file"):
        read_pack(tmp_path / "nothing", TRUST)


def test_truncation_anywhere_is_refused(pack: Path) -> None:
    whole = pack.read_bytes()
    for size in range(0, len(whole), 7):
        pack.write_bytes(whole[:size])
        with pytest.raises(Malformed, match=r"truncated|missing|damaged"):
            read_pack(pack, TRUST)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damage_is_refused_or_harmless(pack: Path, data: st.DataObject) -> None:
    """Flipped bytes: an expected error, or, in a field that nothing depends on, the same entries."""
    whole = bytearray(pack.read_bytes())
    good = read_pack(pack, TRUST)
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    damaged = pack.with_name("damaged")
    damaged.write_bytes(whole)
    with contextlib.suppress(CassError):
        assert read_pack(damaged, TRUST).entries == good.entries


def test_keys_stay_with_their_code(pack: Path) -> None:
    assert {one.record.key for one in read_pack(pack, TRUST).entries} == {KEY.hex(), OTHER.hex()}
