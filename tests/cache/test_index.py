"""The index: JSON only, and its loss is survived."""

from __future__ import annotations

import pickle
import sqlite3
import time
from pathlib import Path

import pytest

from cass_shim.cache.index import Index, is_on_network
from cass_shim.cache.local import LocalTier
from cass_shim.daemon import server


def test_values_and_counters_last(tmp_path: Path) -> None:
    index = Index(tmp_path / "index")
    index.set("negative:1", {"why": "SHFL"})
    index.add("hits")
    index.add("hits", 2)
    index.close()
    again = Index(tmp_path / "index")
    assert again.get("negative:1") == {"why": "SHFL"}
    assert again.counters() == {"hits": 3}
    assert again.remove("negative:") == 1
    assert again.get("negative:1") is None


def test_a_value_expires(tmp_path: Path) -> None:
    for index in (Index(tmp_path / "index"), Index(None)):
        index.set("k", 1, lifetime_s=-1)
        assert index.get("k") is None


@pytest.mark.parametrize("directory", [True, False])
def test_a_clock_that_is_set_makes_nothing_live_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, directory: bool
) -> None:
    index, now = Index(tmp_path / "index" if directory else None), time.time()
    index.set("k", "why", lifetime_s=3600)
    assert index.get("k") == "why"
    for moved, left in ((-30, "why"), (-3600, None), (-(10**8), None), (1800, "why"), (3601, None)):
        monkeypatch.setattr(time, "time", lambda moved=moved: now + moved)
        assert index.get("k") == left, moved


class Bomb:
    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (Path("pickle-was-run"),))


def test_a_pickle_in_the_database_is_not_loaded(tmp_path: Path) -> None:
    index = Index(tmp_path / "index")
    index.set("k", 1)
    index.close()
    marker = tmp_path / "pickle-was-run"
    with sqlite3.connect(tmp_path / "index" / "cache.db") as database:
        database.execute("UPDATE Cache SET mode = 4, value = ?", (pickle.dumps(Bomb()),))
    again = Index(tmp_path / "index")
    assert again.get("k") is None
    assert not marker.exists()
    assert not Path("pickle-was-run").exists()


def test_a_damaged_database_is_lived_without(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "cache.db").write_bytes(b"not a database" * 100)
    index = Index(tmp_path / "index")
    index.add("hits")
    assert index.counters() == {"hits": 1}


def test_this_machine_s_temporary_directory_is_local(tmp_path: Path) -> None:
    assert not is_on_network(tmp_path)


MOUNTINFO = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
31 22 0:28 / /home rw,relatime shared:1 - nfs4 server:/export/home rw,vers=4.2
32 31 254:1 / /home/local rw,relatime - xfs /dev/vdb rw
33 22 0:29 / /net/cass rw - cifs //server/share rw
"""


@pytest.mark.parametrize(
    ("path", "remote"),
    [("/home/user/.cache/cass", True), ("/home", True), ("/home/local/user", False), ("/homes/user", False),
     ("/net/cass/x", True), ("/var/cache", False)],
)  # fmt: skip
def test_a_network_home_is_recognised(tmp_path: Path, path: str, remote: bool) -> None:
    (tmp_path / "mountinfo").write_text(MOUNTINFO)
    assert is_on_network(Path(path), tmp_path / "mountinfo") is remote


def test_on_a_network_home_the_index_stays_on_this_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files lie in the home, the database in the runtime directory."""
    monkeypatch.setattr(server, "is_on_network", lambda path: True)
    tier = LocalTier(tmp_path / "home")
    server.open_index(tier, tmp_path / "run").add("hits")
    assert list((tmp_path / "run" / "index").iterdir())
    assert not (tier.versioned / "index").exists()
