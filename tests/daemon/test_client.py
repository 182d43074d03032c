"""The C client on a warm cache, and on anything that a cache or a program may throw at it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.cache.local import LocalTier
from cass_shim.cache.record import Record
from cass_shim.cache.storage import Entry
from cass_shim.model.artifacts import CodeObject, Evidence
from cass_shim.model.config import Config
from cass_shim.model.entry import CodeEntry, pack_entry
from cass_shim.model.kernel_abi import AbiClass, KernelAbi, Param, Slot, SlotKind
from cass_shim.model.manifest import (
    Manifest,
    ManifestImage,
    ManifestKernel,
    ManifestRelocation,
    ManifestVariable,
    pack_manifest,
)
from tests.daemon.conftest import Place, entry, region

KEY = hashlib.sha256(b"vadd").digest()
ABI = KernelAbi(params=(Param(0, 0, 8), Param(1, 8, 8), Param(2, 16, 4)), params_bytes=20, registers=12)
SASS = b"\x7fELF" + bytes(100)
CODE = b"\x7fELFcode object" + bytes(range(256))


def manifest_of(stored: bytes) -> Manifest:
    return Manifest(
        hashlib.sha256(stored).digest(),
        (ManifestKernel("vadd", KEY, ABI, 80),),
        (ManifestImage("global", 16, 16, bytes(16)), ManifestImage("zero", 4096, 256)),
        (ManifestVariable("table", 0, 0, 16), ManifestVariable("counter", 1, 128, 4)),
        (ManifestRelocation(0, 8, 1, 4), ManifestRelocation(0, 0, None, 128)),
    )


def fill(place: Place, stored: bytes, **changes: str) -> LocalTier:
    """A cache as the daemon would leave it, with a code object that nobody translated."""
    config = Config.read({**place.environment, **changes})
    tier = LocalTier(place.cache)
    manifest = manifest_of(stored)
    tier.put_manifest(manifest.module, pack_manifest(manifest), config)
    slots = (Slot(SlotKind.SYMBOL, "counter", 4), Slot(SlotKind.PRINTF))
    code = CodeObject(CODE, "vadd", AbiClass.CASS1, slots, 24, kernarg_bytes=96)
    content = pack_entry(CodeEntry(KEY, code, Evidence.E1, "lift"))
    record = Record(key=KEY.hex(), entry=hashlib.sha256(content).hexdigest(), route="lift", evidence="E1")
    tier.put(KEY, Entry(record, content))
    tier.admit(record, content, config)
    return tier


@pytest.fixture
def offline(place: Place) -> Place:
    """Nobody to ask: whatever succeeds came from the cache."""
    place.environment |= {"CASS_PYTHON": "/bin/false", "CASS_TIMEOUT": "5"}
    return place


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "module.fatbin"
    path.write_bytes(region(entry(2, 80, SASS)))
    return path


STORED = SASS  # 104 bytes, so that the entry has no padding


def test_a_hit_needs_no_python_and_no_daemon(offline: Place, program: Path) -> None:
    fill(offline, STORED)
    done = offline.run(program)
    assert done.returncode == 0, done.stdout
    assert "kernels 1 images 2 variables 2 relocations 2" in done.stdout
    assert "kernel vadd sm 80 params 3 bytes 20" in done.stdout
    assert "variable counter image 1 offset 128 size 4" in done.stdout
    assert f"slots 2 bytes {len(CODE)} sha256 {hashlib.sha256(CODE).hexdigest()}" in done.stdout
    assert done.stderr == ""
    assert not (offline.folder / "run").exists()


def test_without_a_translator_there_is_one_clear_error(offline: Place, program: Path) -> None:
    done = offline.run(program)
    assert done.returncode == 1
    assert done.stdout.startswith("module failed 999: the translator (/bin/false) ")
    assert done.stdout.endswith("; run `cass doctor`\n")


@pytest.mark.parametrize("changes", [{"CASS_TRANSLATORS": "ptx-hip"}, {"CASS_MIN_EVIDENCE": "E3"}, {"CASS_CACHE": "0"}])
def test_another_policy_does_not_hit(offline: Place, program: Path, changes: dict[str, str]) -> None:
    fill(offline, STORED)
    assert offline.run(program, **changes).returncode == 1


def test_python_and_c_agree_on_policy_and_paths(offline: Place, program: Path) -> None:
    changes = {"CASS_TRANSLATORS": "cass,ptx-hip", "CASS_MIN_EVIDENCE": "E1", "CASS_GFX": "gfx1101"}
    fill(offline, STORED, **changes)
    assert offline.run(program, **changes).returncode == 0
    shown = dict(line.split(" ", 1) for line in offline.run("--paths").stdout.splitlines())
    assert shown["socket"] == str(offline.socket)
    assert shown["cache"] == str(offline.cache)


@pytest.mark.parametrize("kind", ["modules", "code"])
@pytest.mark.parametrize("position", [0, 8, 16, 40, 70, 130, -1])
def test_any_damaged_file_is_a_miss(offline: Place, program: Path, kind: str, position: int) -> None:
    tier = fill(offline, STORED)
    path = next(one.path for one in tier.files() if kind in one.path.parts)
    content = bytearray(path.read_bytes())
    content[position] ^= 0x80
    path.unlink()
    path.write_bytes(content)
    assert offline.run(program).returncode == 1


@pytest.mark.parametrize("kind", ["modules", "code"])
def test_every_truncation_is_a_miss(offline: Place, program: Path, kind: str) -> None:
    tier = fill(offline, STORED)
    path = next(one.path for one in tier.files() if kind in one.path.parts)
    whole = path.read_bytes()
    for size in (0, 1, 63, 64, 100, len(whole) // 2, len(whole) - 1):
        path.unlink()
        path.write_bytes(whole[:size])
        assert offline.run(program).returncode == 1


def test_an_entry_of_another_kernel_is_not_taken(offline: Place, program: Path) -> None:
    tier = fill(offline, STORED)
    code = CodeObject(CODE, "vadd", AbiClass.CASS1, (), 24)
    content = pack_entry(CodeEntry(bytes(32), code, Evidence.E4, "lift"))
    path = next(one.path for one in tier.files() if "code" in one.path.parts)
    path.unlink()
    path.write_bytes(content)
    assert offline.run(program).returncode == 1


@pytest.mark.parametrize("level", ["", "v1", "v1/*", "v1/*/code", "v1/*/code/*"])
def test_a_directory_that_others_can_write_is_refused(offline: Place, program: Path, level: str) -> None:
    fill(offline, STORED)
    (path,) = [offline.cache] if not level else [p for p in offline.cache.glob(level) if p.name not in
                                                 ("epoch", "blobs", "records") and p.is_dir()]  # fmt: skip
    path.chmod(0o777)
    done = offline.run(program, CASS_QUIET="0")
    assert done.returncode == 1
    assert "is not used: it must belong to you" in done.stderr


def test_a_linked_directory_is_refused(offline: Place, program: Path) -> None:
    fill(offline, STORED)
    (offline.cache / "v1").rename(offline.cache / "real")
    (offline.cache / "v1").symlink_to("real")
    assert offline.run(program).returncode == 1


def test_a_file_that_others_can_write_is_refused(offline: Place, program: Path) -> None:
    tier = fill(offline, STORED)
    next(one.path for one in tier.files() if "code" in one.path.parts).chmod(0o666)
    assert offline.run(program).returncode == 1


def test_a_hit_takes_at_most_200_microseconds(offline: Place, program: Path) -> None:
    """The best of some runs, since the machine may be busy; `tools bench cache` shows medians."""
    fill(offline, STORED)
    times: dict[str, list[float]] = {"module": [], "kernel": []}
    for _ in range(25):
        for line in offline.run("--time", program).stderr.splitlines():
            if line.endswith(" us"):
                what, number, _unit = line.split()
                times[what].append(float(number))
    assert {what: min(found) < 200 for what, found in times.items()} == {"module": True, "kernel": True}


def test_use_is_marked_once_an_hour(offline: Place, program: Path) -> None:
    tier = fill(offline, STORED)
    path = next(one.path for one in tier.files() if "code" in one.path.parts)
    os.utime(path, (1_000_000, 1_000_000))
    offline.run(program)
    first = path.stat()
    assert first.st_atime > 1_600_000_000
    assert first.st_mtime == 1_000_000
    os.utime(path, (first.st_atime - 600, 1_000_000))
    offline.run(program)
    assert path.stat().st_atime == pytest.approx(first.st_atime - 600)


def test_weak_evidence_is_never_silent(offline: Place, program: Path) -> None:
    tier = fill(offline, STORED)
    path = next(one.path for one in tier.files() if "code" in one.path.parts)
    code = CodeObject(CODE, "vadd", AbiClass.CASS1, (), 24)
    path.unlink()
    path.write_bytes(pack_entry(CodeEntry(KEY, code, Evidence.E0, "lift")))
    assert offline.run(program, CASS_QUIET="0").stderr == "cass: kernel vadd runs with evidence E0 only (route lift)\n"
    assert offline.run(program).stderr == ""


# ---- choosing the entry -------------------------------------------------------------------------------------


def variant(sm: int) -> bytes:
    return b"\x7fELF" + bytes([sm]) * 100


PTX = b".version 8.0 .target sm_80 .address_size 64"

CHOICES = [
    ((90, 80, 89), {}, 80),
    ((89, 75), {}, 89),
    ((75, 100), {}, 75),
    ((80, 89), {"CASS_PREFER_SM": "89"}, 89),
    ((80,), {"CASS_PREFER_SM": "89"}, 80),
]


@pytest.mark.parametrize(("generations", "changes", "expected"), CHOICES)
def test_the_best_sass_is_chosen(
    offline: Place, tmp_path: Path, generations: tuple[int, ...], changes: dict[str, str], expected: int
) -> None:
    path = tmp_path / "fat"
    path.write_bytes(region(entry(1, 80, PTX), *(entry(2, sm, variant(sm)) for sm in generations)))
    fill(offline, variant(expected))
    assert offline.run(path, **changes).returncode == 0


OWN_PTX = [("lift,ptx-hip", 80), ("ptx-hip", 89), (" ptx-hip ,lift", 89), ("ptx-hip2", 80)]


@pytest.mark.parametrize(("translators", "expected"), OWN_PTX)
def test_where_ptx_serves_sass_with_ptx_of_its_generation_is_chosen(
    offline: Place, tmp_path: Path, translators: str, expected: int
) -> None:
    """PTX of another generation may be another kernel: CUB's scans have 320 threads on sm_80 and 128 on sm_89."""
    path = tmp_path / "fat"
    path.write_bytes(region(entry(2, 80, variant(80)), entry(2, 89, variant(89)), entry(1, 89, PTX)))
    fill(offline, variant(expected), CASS_TRANSLATORS=translators)
    assert offline.run(path, CASS_TRANSLATORS=translators).returncode == 0


def test_compressed_entries_are_hashed_as_stored(offline: Place, tmp_path: Path) -> None:
    path = tmp_path / "fat"
    path.write_bytes(region(entry(2, 80, b"zstd" * 11, compressed=41, flags=0x8000)))
    fill(offline, (b"zstd" * 11)[:41])
    assert offline.run(path).returncode == 0


def test_ptx_serves_where_the_sass_is_of_an_unknown_generation(offline: Place, tmp_path: Path) -> None:
    path = tmp_path / "fat"
    path.write_bytes(region(entry(2, 35, SASS), entry(1, 35, PTX)))
    fill(offline, PTX + bytes(-len(PTX) % 8))
    assert offline.run(path).returncode == 0


@pytest.mark.parametrize("content", [SASS, PTX, PTX + b"\0"])
def test_a_cubin_or_ptx_text_is_a_module_too(offline: Place, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "image"
    path.write_bytes(content)
    fill(offline, content.rstrip(b"\0") if content != SASS else SASS)
    assert offline.run(path).returncode == 0


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 79, 80, 150])
def test_a_truncated_fatbinary_is_an_error(offline: Place, tmp_path: Path, size: int) -> None:
    path = tmp_path / "fat"
    path.write_bytes(region(entry(2, 80, SASS), entry(1, 80, PTX))[:size])
    done = offline.run(path)
    assert done.returncode == 1
    assert done.stdout.startswith("module failed 200: ")


def test_hostile_sizes_are_an_error(offline: Place, tmp_path: Path) -> None:
    whole = region(entry(2, 80, SASS), entry(1, 80, PTX))
    for offset, size in ((4, 2), (6, 2), (8, 8), (16 + 4, 4), (16 + 8, 8), (16 + 16, 4)):
        path = tmp_path / f"fat{offset}"
        path.write_bytes(whole[:offset] + b"\xff" * size + whole[offset + size :])
        done = offline.run(path)
        assert (done.returncode, done.stdout[:18]) == (1, "module failed 200:"), offset


def test_nothing_to_run_is_no_kernel_image(offline: Place, tmp_path: Path) -> None:
    path = tmp_path / "fat"
    path.write_bytes(region(entry(8, 80, b"nvvm" * 4)))
    assert offline.run(path).stdout.startswith("module failed 209: ")


# ---- SHA-256 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000, 100_000])
def test_sha256_is_python_s(offline: Place, tmp_path: Path, size: int) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(bytes(n * 7 % 251 for n in range(size)))
    shown = offline.run("--sha256", path).stdout.split()
    assert shown == [hashlib.sha256(path.read_bytes()).hexdigest(), "same"]


def test_a_wrong_manifest_cannot_make_the_reader_leave_the_file(offline: Place, program: Path) -> None:
    good = manifest_of(STORED)
    bad = [
        replace(good, variables=(ManifestVariable("far", 7, 0, 4),)),
        replace(good, variables=(ManifestVariable("long", 0, 8, 16),)),
        replace(good, relocations=(ManifestRelocation(0, 12, 0, 0),)),
        replace(good, relocations=(ManifestRelocation(0, 0, 9, 0),)),
        replace(good, kernels=(ManifestKernel("k", KEY, replace(ABI, params_bytes=4), 80),)),
    ]
    for manifest in bad:
        LocalTier(offline.cache).put_manifest(manifest.module, pack_manifest(manifest), offline.config)
        assert offline.run(program).returncode == 1
