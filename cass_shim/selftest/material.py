"""Where the self-test's recorded facts and programs are: in the checkout, or in an archive that a wheel carries.

In: a folder of the checkout as `FOLDERS` names it. Out: its path. The programs are packed because they are foreign to
the wheel: they were built for another C library than its own parts, and are no part of what it promises to run on.
"""

from __future__ import annotations

import atexit
import functools
import tempfile
import zipfile
from pathlib import Path

from cass_shim.model.errors import Malformed

ARCHIVE = Path(__file__).resolve().parent / "material.zip"
CHECKOUT = Path(__file__).resolve().parents[2]
# What the archive takes: folder of the checkout → the files in it.
FOLDERS = {
    "tests/vectors/sass": ("sm90.json", "sm90.npz"),
    "examples/prebuilt": ("*",),
    "examples/expected": ("*",),
}


def folder(name: str) -> Path:
    """The folder. Raises Malformed where there is neither a checkout nor an archive."""
    assert name in FOLDERS, name
    beside = CHECKOUT / name
    return beside if beside.is_dir() else _unpacked() / name


def pack(archive: Path) -> None:
    """Write the archive from the checkout: setup.py, for a wheel."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, patterns in FOLDERS.items():
            for file in sorted(one for pattern in patterns for one in (CHECKOUT / name).glob(pattern)):
                entry = zipfile.ZipInfo(f"{name}/{file.name}")  # of 1980: the archive is the same whenever it is made
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                packed.writestr(entry, file.read_bytes())


def unpack(target: Path) -> None:
    """Write the archive's files below `target`, the programs executable. Raises Malformed."""
    try:
        with zipfile.ZipFile(ARCHIVE) as packed:
            packed.extractall(target)
    except (OSError, zipfile.BadZipFile) as error:
        raise Malformed(f"{error}; install cass-shim again", where=str(ARCHIVE)) from error
    for program in (target / "examples" / "prebuilt").iterdir():
        program.chmod(0o755)


@functools.cache
def _unpacked() -> Path:
    """The archive's files, until this process ends."""
    place = tempfile.TemporaryDirectory(prefix="cass-material-", ignore_cleanup_errors=True)
    atexit.register(place.cleanup)
    unpack(Path(place.name))
    return Path(place.name)
