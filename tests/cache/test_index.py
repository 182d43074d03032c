"""The index: JSON only, and its loss is survived."""

from __future__ import annotations

import pickle
import sqlite3
from pathlib import Path

from cass_shim.cache.index import Index, is_on_network


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
