"""Ten seconds of `tools.cachetorture`; and the same with a broken cache, which it must notice."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cass_shim.cache import local
from tests.cache.servers import own_part, redis_server
from tools.cachetorture import Torture

__all__ = ["redis_server"]  # fixture


def campaign(root: Path, place: str, seconds: float) -> Torture:
    torture = Torture(root, place, random.Random(7))
    torture.run(seconds, 4)
    torture.final()
    return torture


@pytest.mark.slow
def test_what_killed_writers_reported_is_there(tmp_path: Path) -> None:
    torture = campaign(tmp_path / "cache", str(tmp_path / "share"), 10)
    assert torture.problems == []
    assert (torture.killed > 20, len(torture.stored) > 20) == (True, True)


@pytest.mark.slow
def test_the_same_over_redis(tmp_path: Path, redis_server: str) -> None:
    torture = campaign(tmp_path / "cache", own_part(redis_server, tmp_path), 4)
    assert torture.problems == []
    assert len(torture.stored) > 20


@pytest.mark.slow
def test_a_cache_that_writes_in_place_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the temporary file and the rename, a death in between leaves half a file."""

    def in_place(path: Path, content: bytes) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        with path.open("wb", buffering=0) as file:
            for start in range(0, len(content), 500):
                file.write(content[start : start + 500])

    monkeypatch.setattr(local, "write_file", in_place)
    assert campaign(tmp_path / "cache", str(tmp_path / "share"), 4).problems != []
