"""`cass cache keygen|trust|push|pull|verify`: a team's cache by hand."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from cass_shim.cache.directory import DirectoryStore
from cass_shim.cache.record import read_record
from cass_shim.cache.remote import RemoteTier
from cass_shim.cache.storage import Entry
from cass_shim.cli.cache import METRICS, prometheus_text
from cass_shim.model.entry import pack_entry, read_entry
from tests.cli.conftest import SAMPLES, Shell

PROGRAM = SAMPLES / "vector_add_static"


def test_a_key_a_push_and_a_pull(shell: Shell) -> None:
    share, desk = str(shell.folder / "share"), str(shell.folder / "desk")
    public = shell.cass("cache", "keygen", "ci-1").stdout.strip()
    assert public.startswith("ci-1:")
    assert shell.cass("cache", "keygen", "ci-1").returncode == 125
    assert shell.cass("cache", "push").returncode == 125
    assert shell.cass("precompile", PROGRAM).returncode == 0
    assert shell.cass("cache", "push", CASS_REMOTES=share).stdout == "1 translations pushed\n"

    there = {"CASS_CACHE_DIR": desk, "CASS_REMOTES": share}
    assert shell.cass("cache", "pull", PROGRAM, **there).returncode == 1
    assert shell.cass("cache", "trust", "add", public, **there).stdout == "trusted: ci-1\n"
    assert shell.cass("cache", "trust", "add", "nonsense", **there).returncode == 125
    assert shell.cass("cache", "trust", "list", **there).stdout == f"trusted  {public}\n"
    assert shell.cass("cache", "pull", PROGRAM, **there).stdout == "1 kernels fetched, 0 not in the team's caches\n"
    (kernel,) = json.loads(shell.cass("inspect", PROGRAM, "--json", **there).stdout)["kernels"]
    assert (kernel["cache"], kernel["record"]["signature"].partition(":")[0]) == ("stored", "ci-1")

    assert "1 translations removed" in shell.cass("cache", "trust", "revoke", "ci-1", **there).stdout
    assert shell.cass("cache", "trust", "list", **there).stdout == f"revoked  {public}\n"
    assert shell.cass("cache", "pull", PROGRAM, **there).returncode == 1


def test_verify_removes_what_is_damaged(shell: Shell) -> None:
    shell.cass("precompile", PROGRAM)
    assert shell.cass("cache", "verify").stdout == "1 translations are sound, 0 files removed\n"
    (blob,) = Path(shell.environment["CASS_CACHE_DIR"]).glob("v1/blobs/*/*")
    content = bytearray(blob.read_bytes())
    content[-1] ^= 1
    blob.write_bytes(content)
    done = shell.cass("cache", "verify")
    assert done.returncode == 1
    assert "blob does not match its name" in done.stdout
    assert "0 translations are sound" in done.stdout
    assert shell.cass("cache", "verify").returncode == 0


def test_a_pack_goes_from_one_machine_to_another(shell: Shell) -> None:
    pack, there = shell.folder / "program.casspack", {"CASS_CACHE_DIR": str(shell.folder / "desk")}
    done = shell.cass("cache", "export", PROGRAM, "-o", pack)
    assert (done.returncode, "cass cache keygen" in done.stderr) == (125, True)
    public = shell.cass("cache", "keygen", "ci-1").stdout.strip()
    done = shell.cass("cache", "export", PROGRAM, "-o", pack)
    assert (done.returncode, "cass precompile" in done.stderr, pack.exists()) == (125, True, False)
    shell.cass("precompile", PROGRAM)
    done = shell.cass("cache", "export", PROGRAM, "-o", pack)
    assert (done.returncode, "1 translations in" in done.stdout) == (0, True)
    done = shell.cass("cache", "import", pack, **there)
    assert (done.returncode, "ci-1, which is not trusted" in done.stderr) == (125, True)
    shell.cass("cache", "trust", "add", public, **there)
    done = shell.cass("cache", "import", pack, **there)
    assert (done.returncode, done.stdout.endswith("signed by ci-1\n")) == (0, True)
    (kernel,) = json.loads(shell.cass("inspect", PROGRAM, "--json", **there).stdout)["kernels"]
    assert (kernel["cache"], kernel["record"]["signature"].partition(":")[0]) == ("stored", "ci-1")
    events = (shell.folder / "desk" / "audit.jsonl").read_text().splitlines()
    assert [json.loads(one)["event"] for one in events] == ["import refused", "trust", "import"]
    assert shell.cass("cache", "import", PROGRAM, **there).returncode == 125


def test_collection_keeps_to_the_size(shell: Shell) -> None:
    shell.cass("precompile", PROGRAM)
    assert shell.cass("cache", "gc").stdout.startswith("removed 0 files")
    assert shell.cass("cache", "gc", "--size", "0").stdout.endswith(" 0 bytes left\n")
    assert shell.cass("cache", "stats", "--json").returncode == 0


def test_a_proposal_waits_for_a_signature(shell: Shell) -> None:
    share = {"CASS_REMOTES": str(shell.folder / "share")}
    ci = {**share, "CASS_CACHE_DIR": str(shell.folder / "ci")}
    desk = {**share, "CASS_CACHE_DIR": str(shell.folder / "desk")}
    guest = {**share, "CASS_REMOTE_ROLE": "propose"}
    assert shell.cass("precompile", PROGRAM, **guest).returncode == 0
    shell.cass("daemon", "stop", **guest)
    heads = shell.folder / "share" / "quarantine" / "ac"
    wait_for(lambda: any(one.is_file() and not one.name.startswith(".") for one in heads.rglob("*")))

    public = shell.cass("cache", "keygen", "ci-1", **ci).stdout.strip()
    shell.cass("cache", "trust", "add", public, **desk)
    assert shell.cass("cache", "pull", PROGRAM, **desk).returncode == 1
    done = shell.cass("cache", "sign", PROGRAM, **ci)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 translations signed by ci-1, 0 rejected")
    assert shell.cass("cache", "pull", PROGRAM, **desk).returncode == 0
    done = shell.cass("cache", "sign", PROGRAM, **ci)
    assert done.stdout == "0 translations signed by ci-1, 0 rejected\n", "what was looked at is no longer proposed"


def test_a_harmful_proposal_is_rejected_and_named(shell: Shell) -> None:
    share = {"CASS_REMOTES": str(shell.folder / "share")}
    shell.cass("precompile", PROGRAM)
    (record,) = (shell.folder / "cache").glob("v1/records/*/*/*.json")
    key, (blob,) = record.parent.name, (shell.folder / "cache").glob("v1/blobs/*/*")
    code = read_entry(blob.read_bytes())
    content = pack_entry(replace(code, code=replace(code.code, kernarg_bytes=code.code.kernarg_bytes + 64)))
    forged = replace(read_record(record.read_bytes()), entry=hashlib.sha256(content).hexdigest())
    RemoteTier(DirectoryStore(shell.folder / "share" / "quarantine")).put(bytes.fromhex(key), Entry(forged, content))
    shell.cass("cache", "keygen", "ci-1")
    done = shell.cass("cache", "sign", PROGRAM, **share)
    assert (done.returncode, "rejected: " in done.stdout) == (1, True), done.stdout + done.stderr
    assert not (shell.folder / "share" / "ac").exists()
    rows = [json.loads(one) for one in (shell.folder / "cache" / "audit.jsonl").read_text().splitlines()]
    assert [one["event"] for one in rows] == ["rejected"]


def test_signing_needs_a_key_and_a_place(shell: Shell) -> None:
    done = shell.cass("cache", "sign", PROGRAM)
    assert (done.returncode, "cass cache keygen" in done.stderr) == (125, True)
    shell.cass("cache", "keygen", "ci-1")
    done = shell.cass("cache", "sign", PROGRAM)
    assert (done.returncode, "CASS_REMOTES" in done.stderr) == (125, True)


SAMPLE = re.compile(r'cass_cache_[a-z_]+(\{kind="([^"\\\n]|\\["\\n])*"\})? [0-9.e+-]+')


def test_statistics_are_prometheus_text(shell: Shell) -> None:
    shell.cass("precompile", PROGRAM)
    shell.cass("cache", "keygen", "ci-1")
    shell.cass("cache", "trust", "revoke", "nobody-1")
    lines = shell.cass("cache", "stats", "--prometheus").stdout.splitlines()
    typed = {one.split()[2]: one.split()[3] for one in lines if one.startswith("# TYPE ")}
    samples = [one for one in lines if not one.startswith("#")]
    assert all(SAMPLE.fullmatch(one) for one in samples), samples
    assert {re.split(r"[{ ]", one)[0] for one in samples} <= set(typed)
    assert "cass_cache_kernels 1" in samples
    assert 'cass_cache_counters_total{kind="translations"} 1' in samples
    assert 'cass_cache_events_total{kind="revoke"} 1' in samples
    facts = json.loads(shell.cass("cache", "stats", "--json").stdout)
    assert (facts["kernels"], facts["counters"]["translations"], facts["events"]["revoke"]) == (1, 1, 1)


def test_labels_are_escaped() -> None:
    facts: dict[str, object] = dict.fromkeys(METRICS, 0)
    text = prometheus_text({**facts, "routes": {'a"b\\c\nd': 1}})
    assert 'cass_cache_routes{kind="a\\"b\\\\c\\nd"} 1\n' in text


def wait_for(condition: Callable[[], bool], patience_s: float = 20) -> None:
    until = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.05)
