"""Every exported entry point: with nulls before initialisation, from two threads, after fork. And the trace."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from cass_shim.api.entries import entries
from cass_shim.api.spec import IMPLEMENTED
from cass_shim.api.standins import STANDINS, Standin, exported
from cass_shim.native.build import BUILD
from tests.native.shim_support import (
    HERE,
    MAIN,
    NEED_GCC,
    NEED_NVCC,
    VECTOR_ADD,
    built,
    cass_run,
    compile_c,
    compile_cuda,
    traced_calls,
)

pytestmark = pytest.mark.skipif(bool(NEED_GCC), reason=NEED_GCC)


EMULATED = BUILD / "emulated" / "libamdhip64.so"
# With the emulated device where it is built: then the calls go all the way.
DEVICE = {"CASS_DAEMON": "0", "CASS_TIMEOUT": "5", "CASS_DEVICE": "emulated" if EMULATED.exists() else "hip"}


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("calls") / "shim_calls"
    return compile_c((HERE / "shim_calls.c").read_text(), target, "-lpthread", "-ldl")


def call_all(caller: Path, mode: str, standin: Standin) -> str:
    names = [entry.symbol for entry in exported(standin)]
    done = subprocess.run(
        [caller, mode, built() / standin.file, *names],
        env=DEVICE, capture_output=True, text=True, check=False, timeout=250,
    )  # fmt: skip
    wrong = [line for line in done.stdout.splitlines() if re.search(r" signal | hangs|not exported", line)]
    assert not wrong, wrong
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("standin", STANDINS, ids=lambda one: one.file)
@pytest.mark.parametrize("mode", ["null", "threads", "forked"])
def test_no_entry_point_crashes(caller: Path, mode: str, standin: Standin) -> None:
    output = call_all(caller, mode, standin)
    assert len(re.findall(r"^\w+ = \d+$", output, re.MULTILINE)) == len(exported(standin))


def test_a_child_of_an_initialised_parent_gets_the_initialisation_error(caller: Path) -> None:
    standin = STANDINS[2]
    output = call_all(caller, "forked", standin)
    if "initialised: 0" not in output:
        pytest.skip("the emulated device is not built")
    results = dict(re.findall(r"^(\w+) = (\d+)$", output, re.MULTILINE))
    checked = 0
    for entry in exported(standin):
        row = entry.row
        if row.status is IMPLEMENTED and row.result == "cudaError_t" and not row.pure:
            assert results[entry.symbol] == "3", entry.symbol
            checked += 1
    assert checked > 40


def test_runtime_exports_carry_their_version() -> None:
    for standin in STANDINS[:3]:
        listed = subprocess.run(
            ["nm", "-D", "--with-symbol-versions", built() / standin.file], capture_output=True, text=True, check=True
        ).stdout
        versions = Counter(line.split("@@")[1] for line in listed.splitlines() if " T " in line)
        assert versions == {standin.file: len(exported(standin))}


def test_core_exports_no_cuda_name() -> None:
    listed = subprocess.run(
        ["nm", "-D", built() / "libcass_shim.so"], capture_output=True, text=True, check=True
    ).stdout
    names = [line.split()[-1] for line in listed.splitlines() if " U " not in line and " w " not in line]
    assert not [name for name in names if re.match(r"(__)?cu(da)?[A-Z]", name)]


def test_unimplemented_call_is_named_once_and_counted(tmp_path: Path) -> None:
    missing = (e for e in exported(STANDINS[3]) if e.row.status is not IMPLEMENTED and e.row.declared)
    name = next(e.symbol for e in missing if e.row.result == "CUresult")
    source = f"int {name}(void *, long, long, long, long, long); int main(void) {{ int r = 0;\n"
    source += f"for (int i = 0; i < 3; i++) r = {name}(0, 0, 0, 0, 0, 0); return r == 801 ? 42 : 1; }}"
    program = compile_c(source, tmp_path / "stub", f"-L{built()}", "-l:libcuda.so.1", "-Wl,--allow-shlib-undefined")
    done = cass_run("--trace=stats", program)
    assert done.returncode == 42
    assert done.stderr.count(f"{name} is not implemented") == 1
    assert re.search(rf"^ +3 +3 .* {name}$", done.stderr, re.MULTILINE)


def test_errno_is_kept(tmp_path: Path) -> None:
    source = """
#include <errno.h>
int cudaGetDeviceCount(int *); int cudaMalloc(void **, unsigned long);
int main(void) { int count; void *p; errno = 77; cudaGetDeviceCount(&count); cudaMalloc(&p, 16); return errno; }
"""
    program = compile_c(source, tmp_path / "errno", f"-L{built()}", "-l:libcudart.so.13", "-Wl,--allow-shlib-undefined")
    assert cass_run(program).returncode == 77


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_cuda(VECTOR_ADD + MAIN, tmp_path_factory.mktemp("trace") / "program")


@pytest.mark.nvcc
@pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)
def test_arguments_are_decoded(program: Path) -> None:
    text = cass_run("--trace", program).stderr
    assert re.search(r"cudaMalloc\(devPtr=&0x\w+, size=128\) = cuda\w+ \[\d+\.\d{3} us\]", text) or re.search(
        r"cudaMalloc\(devPtr=&0, size=128\) = cudaError\w+ \[", text
    )
    assert "__cudaPushCallConfiguration(gridDim={1,1,1}, blockDim={32,1,1}, sharedMem=0, stream=NULL) = 0" in text
    assert 'deviceName="_Z3addPKfPf"' in text


@pytest.mark.nvcc
@pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)
def test_statistics_are_a_table(program: Path) -> None:
    text = cass_run("--trace=stats", program).stderr
    assert not traced_calls(text)
    assert re.search(r"^ +calls +failed +total us +mean us +call$", text, re.MULTILINE)
    assert re.search(r"^ +2 .* cudaMalloc$", text, re.MULTILINE)


@pytest.mark.nvcc
@pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)
def test_trace_file(program: Path, tmp_path: Path) -> None:
    target = tmp_path / "trace.txt"
    done = cass_run("--trace", "--trace-file", target, program)
    assert "cudaMalloc" in traced_calls(target.read_text())
    assert not traced_calls(done.stderr)


@pytest.mark.nvcc
@pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)
def test_silent_without_trace(program: Path) -> None:
    assert not traced_calls(cass_run(program).stderr)


def test_trace_never_writes_into_a_file_of_the_programs(tmp_path: Path) -> None:
    source = """
#include <fcntl.h>
#include <unistd.h>
int cudaDeviceSynchronize(void);
int main(int count, char **arguments) {
    cudaDeviceSynchronize();
    for (int number = 3; number < 1024; number++) close(number);
    for (int number = 3; number < 300; number++) open(arguments[count - 1], O_RDWR | O_CREAT, 0600);
    cudaDeviceSynchronize();
    return 42;
}
"""
    program = compile_c(
        source, tmp_path / "closes", f"-L{built()}", "-l:libcudart.so.13", "-Wl,--allow-shlib-undefined"
    )
    own, trace = tmp_path / "own", tmp_path / "trace"
    assert cass_run(f"--trace-file={trace}", "--trace", program, own).returncode == 42
    assert own.read_text() == ""
    assert traced_calls(trace.read_text()) == ["cudaDeviceSynchronize"]


def test_entry_order_is_in_the_tables_name() -> None:
    """A stand-in of another build must not load: it would jump to the wrong entries."""
    library = ctypes.CDLL(str(built() / "libcass_shim.so"))
    from cass_shim.api.standins import table_symbol

    table = (ctypes.c_void_p * len(entries())).in_dll(library, table_symbol())
    assert all(table)


PROC = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int cuGetProcAddress(const char *, void **, int, uint64_t);
int cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);
int main(int count, char **arguments) {
    for (int i = 1; i + 2 < count; i += 3) {
        void *function = (void *)1;
        int status = -1;
        int result = cuGetProcAddress_v2(arguments[i], &function, atoi(arguments[i + 1]),
                                         (uint64_t)atoi(arguments[i + 2]), &status);
        printf("%d %d %p\n", result, status, function);
    }
    return 0;
}
"""


def ask_proc(folder: Path, *questions: tuple[str, int, int]) -> list[tuple[int, int, str]]:
    """(result, status, address) of cuGetProcAddress_v2 for (name, CUDA version, flags)."""
    program = compile_c(PROC, folder / "proc", f"-L{built()}", "-l:libcuda.so.1", "-Wl,--allow-shlib-undefined")
    done = cass_run(program, *(str(word) for question in questions for word in question))
    assert done.returncode == 0, done.stderr
    return [(int(a), int(b), c) for a, b, c in (line.split() for line in done.stdout.splitlines())]


def implemented(name: str) -> bool:
    return any(e.row.name == name and e.row.status is IMPLEMENTED for e in entries())


@pytest.mark.skipif(not implemented("cuGetProcAddress_v2"), reason="cuGetProcAddress_v2 has no body yet")
def test_cu_get_proc_address_depends_on_version_and_flags(tmp_path: Path) -> None:
    answers = ask_proc(
        tmp_path,
        ("cuGetProcAddress", 11030, 0), ("cuGetProcAddress", 12000, 0),
        ("cuMemcpyHtoD", 3020, 0), ("cuMemcpyHtoD", 7000, 0), ("cuMemcpyHtoD", 7000, 2), ("cuMemcpyHtoD", 3020, 2),
        ("cuLaunchKernel", 4000, 0), ("cuLaunchKernel", 3999, 0), ("cuNothing", 13000, 0), ("", 0, 0),
        ("cuInit", 13000, 2),
    )  # fmt: skip
    found, older, unknown = 0, 2, 1  # CUdriverProcAddressQueryResult
    assert [status for _, status, _ in answers] == [found] * 7 + [older, unknown, unknown, found]
    first, second = answers[0][2], answers[1][2]
    assert first != second  # four and five arguments: the wrong one crashes CUDA 11.8's runtime
    assert answers[2][2] == answers[3][2] == answers[5][2] != answers[4][2]
    assert all((address == "(nil)") == (status != found) for _, status, address in answers)
