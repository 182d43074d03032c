"""Texture and surface references (`texture<>` of CUDA 11) reach kernels through the runtime and the driver.

`references/kernels.ptx` is what NVRTC 11.8 makes of `references/kernels.cu`; ptxas gives the references the words of
constant bank 0 that ptxas 11.8 gives them (compared by hand for sm_75 to sm_120).
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cass_shim.extract.cubin import read_cubin
from cass_shim.native.build import NATIVE
from tests.native.runtime_support import built, run_emulated

REFERENCES = Path(__file__).with_name("references")
TOLD = {
    "runtime": "unbound 19 unknown 18 null 1 symbol 13 format 1 reference 0 same 1",
    "driver": "missing 500 kind 500 global 500 address 1 filter 0 0 mode 1 handle 1",
}

pytestmark = pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("ptxas")), reason="needs gcc and ptxas")


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The host program, linked with the stand-ins of CUDA 11.8's runtime and of the driver."""
    program = tmp_path_factory.mktemp("references") / "host"
    libraries = [str(built() / name) for name in ("libcudart.so.11.0", "libcuda.so.1")]
    flags = ["-w", f"-I{NATIVE}", "-Wl,--allow-shlib-undefined"]
    subprocess.run(["gcc", *flags, str(REFERENCES / "host.c"), "-o", str(program), *libraries], check=True)
    return program


def assembled(sm: int, folder: Path, *flags: str) -> Path:
    """The device code for one SM."""
    cubin = folder / f"sm_{sm}.cubin"
    subprocess.run(["ptxas", f"-arch=sm_{sm}", *flags, str(REFERENCES / "kernels.ptx"), "-o", str(cubin)], check=True)
    return cubin


@pytest.mark.parametrize(
    ("way", "sm", "flags"), [("runtime", 75, ()), ("runtime", 75, ("-c",)), ("runtime", 90, ("-c",)), ("driver", 0, ())]
)
def test_textures_by_reference_read_as_objects_do(
    host: Path, tmp_path: Path, way: str, sm: int, flags: tuple[str, ...]
) -> None:
    """With -c the code is relocatable and linked when it is loaded."""
    image = assembled(sm, tmp_path, *flags) if sm else REFERENCES / "kernels.ptx"
    script = host.with_name(f"{way}{sm}{''.join(flags)}.sh")
    script.write_text(f'#!/bin/sh\nexec "{host}" {way} "{image}"\n')
    script.chmod(0o755)
    done = run_emulated(script, CASS_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout.splitlines() == [TOLD[way], "0 wrong"], done.stderr
    assert done.returncode == 0
    assert ("E0 only" in done.stderr) == (sm == 0)  # PTX alone has no reference to be checked against


@pytest.mark.parametrize("sm", [80, 0])
def test_a_reference_that_no_texture_is_bound_to_reads_zeros(host: Path, tmp_path: Path, sm: int) -> None:
    """As recorded on an H200 (driver 580, `host unbound` with the code of sm_90): surfaces too; stores do nothing."""
    image = assembled(sm, tmp_path) if sm else REFERENCES / "kernels.ptx"
    script = tmp_path / "unbound.sh"
    script.write_text(f'#!/bin/sh\nexec "{host}" unbound "{image}"\n')
    script.chmod(0o755)
    done = run_emulated(script, CASS_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout == "synchronize 0 copy 0 0 0 0 0 0 0 0 0\n", done.stderr


@pytest.mark.parametrize("sm", [75, 90, 120])
def test_references_are_words_behind_the_parameters(tmp_path: Path, sm: int) -> None:
    cubin = read_cubin(assembled(sm, tmp_path).read_bytes())
    found = cubin.kernels["by_reference"].references
    assert sorted(found.values()) == ["bytes", "canvas", "layers", "line", "picture", "volume"]
    abi = cubin.kernels["by_reference"].abi
    assert sorted(found) == [min(found) + 4 * n for n in range(6)]
    assert min(found) >= abi.params_base + abi.params_bytes
    assert not cubin.kernels["by_object"].references
    kinds = {one.name: cubin.images[one.image].kind for one in cubin.variables}
    assert kinds == dict.fromkeys(found.values(), "texture") | {"canvas": "surface"}
