"""Wheels carry the native parts built; an editable install builds them with `python -m cass_shim.native.build`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class BuildWithNative(build_py):
    """Build the native parts first, so that they are copied as package data."""

    def run(self) -> None:
        if not self.editable_mode:
            sys.path.insert(0, str(ROOT))
            from cass_shim.native.build import build_all
            from cass_shim.native.client import generate

            generate.FOR_WHEEL = True
            build_all()
        super().run()
        if not self.editable_mode:
            self.copy_self_test()

    def copy_self_test(self) -> None:
        """Programs and recorded facts of `cass selftest`, which live outside the package."""
        from cass_shim.selftest.material import FOLDERS

        for folder, patterns in FOLDERS.items():
            target = Path(self.build_lib) / "cass_shim" / "selftest" / "material" / folder
            target.mkdir(parents=True, exist_ok=True)
            for pattern in patterns:
                for file in (ROOT / folder).glob(pattern):
                    shutil.copy2(file, target / file.name)


class PlatformWheel(bdist_wheel):
    """One wheel serves every Python: the native parts are programs and libraries, not extension modules."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", super().get_tag()[2])


# Only a machine without a C compiler needs zig to build (PEP 517: becomes a build requirement).
setup(
    cmdclass={"build_py": BuildWithNative, "bdist_wheel": PlatformWheel},
    scripts=["cass_shim/cli/share/bin/cass-run"],
    setup_requires=[] if shutil.which("cc") else ["ziglang>=0.15,<0.18"],
)
