"""Generated source after `#include <hip/hip_runtime.h>`: the whole prelude and a kernel compile beside AMD's names.

Needs AMD's headers: `/opt/rocm`, Debian's libamdhip64-dev, or a folder of them in CASS_TEST_HIP_HEADERS (the wheel of
`triton` has them in `triton/backends/amd/include`). clang's own
HIP wrapper headers, which zig leaves out, are stood in for by empty files.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cass_shim.assemble import toolchain
from cass_shim.assemble.hip import FLAGS
from cass_shim.isa.ptx.prelude import pieces, select
from cass_shim.model.artifacts import PtxModule
from cass_shim.translate.ptx_hip.translate import translate_kernel
from tools.sassvectors.forms import module

FOLDERS = (os.environ.get("CASS_TEST_HIP_HEADERS", ""), "/opt/rocm/include", "/usr/include")
WRAPPERS = (
    "__clang_cuda_math_forward_declares.h",
    "__clang_hip_cmath.h",
    "__clang_cuda_complex_builtins.h",
    "include/cuda_wrappers/algorithm",
    "include/cuda_wrappers/complex",
    "include/cuda_wrappers/new",
)
FREESTANDING = frozenset(("-nostdinc", "-ffreestanding"))


def headers() -> Path:
    for folder in filter(None, FOLDERS):
        if (Path(folder) / "hip" / "hip_runtime.h").is_file():
            return Path(folder)
    pytest.skip("no hip/hip_runtime.h: install ROCm or Debian's libamdhip64-dev, or set CASS_TEST_HIP_HEADERS")


def system_folders(clang: str) -> list[str]:
    """Where libstdc++ and the C library have their headers, and clang its own."""
    newest = sorted(Path("/usr/include/c++").glob("*"), key=lambda path: int(path.name))
    if not newest:
        pytest.skip("no libstdc++ headers below /usr/include/c++")
    version = newest[-1].name
    own = [path for path in (Path(clang).parent / "lib" / "include",) if path.is_dir()]
    listed = [newest[-1], Path(f"/usr/include/x86_64-linux-gnu/c++/{version}"), *own,
              Path("/usr/include/x86_64-linux-gnu"), Path("/usr/include")]  # fmt: skip
    return [text for folder in listed for text in ("-isystem", str(folder))]


def compiled(text: str, folder: Path) -> str:
    """The assembly of HIP source that includes hip_runtime.h."""
    found, tools = headers(), toolchain.toolchain()
    for name in WRAPPERS:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (folder / "kernel.hip").write_text(text)
    flags = [flag for flag in FLAGS if flag not in FREESTANDING]
    toolchain.run_tool(
        tools.clang,
        [*flags, "-nostdinc", "-nostdinc++", "-D__HIP_PLATFORM_AMD__", "-D__AMDGCN_WAVEFRONT_SIZE=32", f"-I{folder}",
         f"-I{found}", *system_folders(tools.clang.command[0]), "-S", "kernel.hip", "-o", "kernel.s"],
        folder,
    )  # fmt: skip
    return (folder / "kernel.s").read_text()


def test_the_whole_prelude_compiles_after_hip_runtime_h(tmp_path: Path) -> None:
    kernel = translate_kernel(PtxModule(module(), 90), "t0", tokens={}).text
    head, mark, body = kernel.partition('extern "C"')
    declarations = head[: head.index("#define FN")]
    prelude = "#define FN static inline __attribute__((device, always_inline))\n" + select(pieces())
    text = "\n".join(["#include <hip/hip_runtime.h>", declarations, prelude, mark + body])
    assert "t0:" in compiled(text, tmp_path)


@pytest.mark.parametrize("number", [0, 300, 600, 900])
def test_a_translation_compiles_after_hip_runtime_h(tmp_path: Path, number: int) -> None:
    """As `cass translate --to hip` writes it."""
    text = translate_kernel(PtxModule(module(), 90), f"t{number}", tokens={}).text
    assert f"t{number}:" in compiled(f"#include <hip/hip_runtime.h>\n{text}", tmp_path)
