"""The shared directory's lock: a dead writer's goes, a living one's stays, and nobody takes one twice."""

from __future__ import annotations

import errno
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from cass_shim.cache import directory
from cass_shim.cache.directory import DirectoryStore, _locked, _owner, _take_away
from tests.cache.test_local import KEY


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "ac" / KEY.hex()[:2] / f".{KEY.hex()}.lock"
    path.parent.mkdir(parents=True)
    return path


def change(root: Path) -> float:
    """Seconds that a change of the head took."""
    began = time.monotonic()
    DirectoryStore(root).change_head(KEY.hex(), lambda _: b"head")
    assert DirectoryStore(root).read_head(KEY.hex(), 10) == b"head"
    return time.monotonic() - began


@pytest.mark.parametrize("made", [1, 2**32], ids=["long ago", "before the clock was set back"])
def test_an_old_lock_is_taken_away(lock: Path, tmp_path: Path, made: int) -> None:
    lock.touch()
    os.utime(lock, (made, made))
    assert change(tmp_path) < 2
    assert [one.name for one in lock.parent.iterdir()] == [KEY.hex()]


def test_the_lock_of_a_process_that_ended_is_taken_away(lock: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(["sleep", "60"])
    lock.write_text(_owner(process.pid))
    process.kill()
    process.wait()
    assert change(tmp_path) < 2


def test_a_reused_process_number_is_another_process(lock: Path, tmp_path: Path) -> None:
    node, pid, _ = _owner(os.getpid()).split()
    lock.write_text(f"{node} {pid} 1")
    assert change(tmp_path) < 2


@pytest.mark.parametrize("owner", ["living", "elsewhere", "empty", "garbage"])
def test_a_lock_that_may_be_held_is_respected(
    lock: Path, tmp_path: Path, owner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory, "LOCK_PATIENCE_S", 0.3)
    texts = {"living": _owner(os.getpid()), "elsewhere": "another-machine 1 1", "empty": "", "garbage": "\xff " * 50}
    lock.write_text(texts[owner])
    with pytest.raises(TimeoutError, match="held by another writer"):
        change(tmp_path)
    assert lock.read_text() == texts[owner]


def test_a_lock_that_changed_hands_is_given_back(lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A waiter saw a dead lock; before it acts, another waiter removed it and took the lock itself."""
    lock.touch()
    os.utime(lock, (1, 1))

    def meanwhile(path: Path, seen: os.stat_result) -> bool:
        path.unlink()
        path.write_text("the new owner")
        return True

    monkeypatch.setattr(directory, "_is_dead", meanwhile)
    _take_away(lock)
    assert lock.read_text() == "the new owner"
    assert list(lock.parent.iterdir()) == [lock]


def test_only_one_is_inside(lock: Path) -> None:
    inside, most, entered = 0, 0, 0
    guard = threading.Lock()

    def enter() -> None:
        nonlocal inside, most, entered
        for _ in range(15):
            with _locked(lock):
                with guard:
                    inside, entered = inside + 1, entered + 1
                    most = max(most, inside)
                time.sleep(0.001)
                with guard:
                    inside -= 1

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert (most, entered) == (1, 60)


def test_without_links_the_lock_is_made_all_the_same(
    lock: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    assert change(tmp_path) < 2
    monkeypatch.setattr(directory, "LOCK_PATIENCE_S", 0.2)
    with _locked(lock), pytest.raises(TimeoutError):
        change(tmp_path)


# ---- what NFS does when an answer gets lost ----------------------------------------------------------------


@pytest.mark.parametrize(
    "error", [FileExistsError(errno.EEXIST, "there"), OSError(errno.EIO, "lost")], ids=["EEXIST", "EIO"]
)
def test_a_link_that_was_made_though_its_answer_got_lost_is_a_lock(
    lock: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    """The client sends the request again, and the server says that the name is there: it is ours."""
    link = os.link

    def lose_the_answer(*paths: Path, **options: bool) -> None:
        link(*paths, **options)
        raise error

    monkeypatch.setattr(os, "link", lose_the_answer)
    assert change(tmp_path) < 1
    assert not lock.exists()


def test_a_rename_that_was_made_though_its_answer_got_lost_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, store = os.rename, DirectoryStore(tmp_path)

    def lose_the_answer(source: Path, target: Path) -> None:
        rename(source, target)
        raise FileNotFoundError(errno.ENOENT, "no such file")

    monkeypatch.setattr(os, "rename", lose_the_answer)
    store.write_object("a" * 64, b"content")
    assert store.read_object("a" * 64, 10) == b"content"
    monkeypatch.setattr(os, "rename", lambda source, target: os.stat("/nothing at all"))
    with pytest.raises(FileNotFoundError):
        store.write_object("b" * 64, b"content")


def test_a_file_that_another_machine_replaced_is_read_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, stale, read_once = DirectoryStore(tmp_path), [True], directory._read_once
    store.write_object("a" * 64, b"content")

    def go_stale(path: Path, limit: int) -> bytes | None:
        if stale.pop() if stale else False:
            raise OSError(errno.ESTALE, "stale file handle")
        return read_once(path, limit)

    monkeypatch.setattr(directory, "_read_once", go_stale)
    assert store.read_object("a" * 64, 10) == b"content"
    assert stale == []
