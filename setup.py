"""Wheels carry the native parts built; an editable install builds them with `python -m cass_shim.native.build`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
# The same sources, compiler and setuptools give the same wheel: archives take this time where none is set.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1767225600")  # 2026-01-01


class BuildWithNative(build_py):
    """Build the native parts first, so that they are copied as package data."""

    def run(self) -> None:
        if not self.editable_mode:
            sys.path.insert(0, str(ROOT))
            from cass_shim.native.build import build_all
            from cass_shim.native.client import generate

            generate.FOR_WHEEL = True
            build_all(reproducible=True)
        super().run()
        if not self.editable_mode:
            self.pack_self_test()

    def pack_self_test(self) -> None:
        """Programs and recorded facts of `cass selftest`, which live outside the package."""
        from cass_shim.selftest.material import ARCHIVE, pack

        pack(Path(self.build_lib) / ARCHIVE.relative_to(ROOT))


class Platform(Distribution):
    """Not pure Python: setuptools knows only extension modules as native parts."""

    def has_ext_modules(self) -> bool:
        return True


class PlatformWheel(bdist_wheel):
    """One wheel serves every Python: the native parts are programs and libraries, not extension modules."""

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", super().get_tag()[2])

    def write_wheelfile(self, wheelfile_base: str, *rest: object) -> None:
        """The last step before packing: files' modes are the same under every umask."""
        super().write_wheelfile(wheelfile_base, *rest)
        for path in Path(self.bdist_dir).rglob("*"):
            if path.is_file():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)


# Only a machine without a C compiler needs zig to build (PEP 517: becomes a build requirement).
setup(
    distclass=Platform,
    cmdclass={"build_py": BuildWithNative, "bdist_wheel": PlatformWheel},
    scripts=["cass_shim/cli/share/bin/cass-run"],
    setup_requires=[] if shutil.which("cc") else ["ziglang>=0.15,<0.17"],
)
