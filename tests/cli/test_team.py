"""`cass cache keygen|trust|push|pull|verify`: a team's cache by hand."""

from __future__ import annotations

import json
from pathlib import Path

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
