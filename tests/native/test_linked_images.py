"""Device code of several files: linked when the program was built, and (cuLink) while it runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.conformance_support import build_parts, sections
from tests.native.runtime_support import CONFORMANCE, GENERATE, NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)

FIRST = r"""
#include <cstdio>
__global__ void first(double *p) { p[0] = pow(p[0], p[1]) + 2; printf("one\n"); }
void second_too(double *p);
int main() {
    double *p, h[2] = {2, 5};
    cudaMalloc(&p, sizeof h); cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
    first<<<1, 1>>>(p); second_too(p); cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g %d\n", h[0], (int)cudaGetLastError());
}
"""
SECOND = r"""
#include <cstdio>
__constant__ double unit[2] = {0.5, 0.25};
__global__ void second(double *p) { p[0] = pow(p[0], unit[0]) * 3; printf("and two %s\n", "more"); }
void second_too(double *p) { second<<<1, 1>>>(p); }
"""


def test_each_file_keeps_its_own_strings_and_local_functions(tmp_path: Path) -> None:
    """nvlink leaves local symbols of one name: `$str` and the library's pow are there twice."""
    sources = [tmp_path / "first.cu", tmp_path / "second.cu"]
    for path, text in zip(sources, (FIRST, SECOND), strict=True):
        path.write_text(text)
    program = tmp_path / "two_files"
    subprocess.run(["nvcc", *GENERATE, "-rdc=true", *map(str, sources), "-o", str(program)], check=True)
    done = run_emulated(program)
    assert done.stdout == f"one\nand two more\n{34**0.5 * 3:g} 0\n", done.stderr


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("parts")
    build_parts(folder)
    (folder / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    link = (f"-L{folder}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    return sections(run_emulated(build_program(CONFORMANCE / "machine_links.cu", folder, *link)).stdout)


@pytest.mark.parametrize("how", ["two_cubins", "two_fatbins", "two_objects", "library", "whole_library"])
def test_machine_code_is_linked_while_the_program_runs(answers: dict[str, list[str]], how: str) -> None:
    """Calls, function pointers, recursion, tables and variables across two images; the values follow from the sources
    (`linked/a.cu`, `linked/b.cu`): twice(2) + offset + table[2] + mine, and so on."""
    lines = answers[how]
    assert "load 0" in lines
    for line in ("_Z3runPii 0 0: 41 4 7 6", "_Z5otherPii 0 0: 1 2 12", "_Z3sumPi 0 0: 4160", "_Z4widePi 0 0: 66"):
        assert line in lines
    assert lines.count("run 2") == 1 and lines.count("other 4 text") == 1
    assert "_Z3runPii 0 0: 61 7 8 9" in lines and "functions 4" in lines


def test_what_is_missing_or_there_twice(answers: dict[str, list[str]]) -> None:
    assert "complete 0" in answers["plain_beside"] and "_Z5plainPii 0 0: 8" in answers["plain_beside"]
    assert "log 1 1" in answers["unresolved"] and "complete 0" not in answers["unresolved"]
    assert "complete 0" not in answers["twice_defined"] + answers["variable_twice"] + answers["other_size"]


def test_ptx_beside_machine_code_without_ptx_is_refused_by_name(answers: dict[str, list[str]]) -> None:
    assert "complete 801" in answers["with_ptx"]
