"""Wheels carry the native parts built; an editable install builds them with `python -m cass_shim.native.build`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class BuildWithNative(build_py):
    """Build the native parts first, so that they are copied as package data."""

    def run(self) -> None:
        if not self.editable_mode:
            sys.path.insert(0, str(ROOT))
            from cass_shim.native.build import build_all

            build_all()
        super().run()


# Only a machine without a C compiler needs zig to build (PEP 517: becomes a build requirement).
setup(cmdclass={"build_py": BuildWithNative}, setup_requires=[] if shutil.which("cc") else ["ziglang>=0.15,<0.18"])
