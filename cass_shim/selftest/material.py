"""Where the self-test's recorded facts and programs are: in the package (a wheel carries copies), else in the checkout.

In: a folder of the checkout as `FOLDERS` names it. Out: its path.
"""

from __future__ import annotations

from pathlib import Path

from cass_shim.model.errors import Malformed

PACKAGED = Path(__file__).resolve().parent / "material"
CHECKOUT = Path(__file__).resolve().parents[2]
# Copied into a wheel by setup.py: folder of the checkout → the files it takes.
FOLDERS = {
    "tests/vectors/sass": ("sm90.json", "sm90.npz"),
    "examples/prebuilt": ("*",),
    "examples/expected": ("*",),
}


def folder(name: str) -> Path:
    """The folder. Raises Malformed where there is neither a packaged copy nor a checkout."""
    assert name in FOLDERS, name
    found = [root / name for root in (CHECKOUT, PACKAGED) if (root / name).is_dir()]
    if not found:
        raise Malformed("the self-test's files are missing; install cass-shim again", where=str(PACKAGED))
    return found[0]
