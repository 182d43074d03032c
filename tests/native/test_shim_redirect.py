"""Calls of real nvcc programs reach our bodies, however the CUDA runtime got into the process."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.shim_support import (
    MAIN,
    NEED_NVCC,
    TOOLKIT,
    VECTOR_ADD,
    built,
    cass_run,
    compile_c,
    compile_cuda,
    traced_calls,
)

pytestmark = [pytest.mark.nvcc, pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)]

EXPECTED = [
    "__cudaRegisterFatBinary", "__cudaRegisterFunction", "__cudaRegisterFatBinaryEnd", "cudaMalloc", "cudaMalloc",
    "__cudaPushCallConfiguration", "__cudaGetKernel", "__cudaPopCallConfiguration", "__cudaLaunchKernel",
    "cudaDeviceSynchronize", "cudaFree", "__cudaUnregisterFatBinary",
]  # fmt: skip
OPENER = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **arguments) {
    int times = count > 3 ? 2 : 1;
    for (int i = 0; i < times; i++) {
        void *library = dlopen(arguments[1], RTLD_NOW);
        if (!library) return puts(dlerror()), 3;
        int (*function)(void) = (int (*)(void))dlsym(library, arguments[2]);
        if (!function) return puts("no function"), 4;
        function();
        dlclose(library);
    }
    return 42;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("redirect")


@pytest.fixture(scope="module")
def static(folder: Path) -> Path:
    return compile_cuda(VECTOR_ADD + MAIN, folder / "static")


@pytest.fixture(scope="module")
def library(folder: Path) -> Path:
    return compile_cuda(VECTOR_ADD, folder / "libwith_cudart.so", "-shared", "-Xcompiler", "-fPIC")


@pytest.fixture(scope="module")
def opener(folder: Path) -> Path:
    return compile_c(OPENER, folder / "opener", "-ldl")


def check_run(*command: str | Path) -> list[str]:
    """Runs traced; the program's own exit status must come through."""
    done = cass_run("--trace", *command)
    assert done.returncode == 42, done.stderr
    return traced_calls(done.stderr)


def test_static_runtime(static: Path) -> None:
    assert check_run(static) == EXPECTED


def test_without_the_launcher_nothing_is_redirected(static: Path) -> None:
    done = subprocess.run([static], env={"CASS_TRACE": "calls"}, capture_output=True, text=True, check=False)
    assert done.returncode == 42
    assert done.stderr == ""


def test_shared_runtime(folder: Path) -> None:
    assert check_run(compile_cuda(VECTOR_ADD + MAIN, folder / "shared", "-cudart", "shared")) == EXPECTED


def test_shared_runtime_with_rpath_to_the_real_one(folder: Path) -> None:
    flags = ["-Xlinker", "-rpath", "-Xlinker", str(TOOLKIT / "lib64"), "-Xlinker", "--disable-new-dtags"]
    program = compile_cuda(VECTOR_ADD + MAIN, folder / "rpath", "-cudart", "shared", *flags)
    assert check_run(program) == EXPECTED


def test_stripped_static_runtime(static: Path, folder: Path) -> None:
    stripped = folder / "stripped"
    subprocess.run(["strip", "-o", stripped, static], check=True)
    assert check_run(stripped) == EXPECTED


def test_unknown_stripped_runtime_is_named_and_left(static: Path, folder: Path) -> None:
    """A changed byte in both anchors makes the build an unknown one."""
    from cass_shim.api.cudart import releases

    stripped = folder / "unknown"
    subprocess.run(["strip", "-o", stripped, static], check=True)
    image = bytearray(stripped.read_bytes())
    symbols = subprocess.run(["nm", static], capture_output=True, text=True, check=True).stdout
    where = {line.split()[2]: int(line.split()[0], 16) for line in symbols.splitlines() if len(line.split()) == 3}
    changed = 0
    for release in releases():
        points = {name: offset for name, offset, _ in release.entry_points()}
        start = where["cudaMalloc"] - points["cudaMalloc"]
        if all(where.get(name) == start + offset for name, offset in points.items()):
            for anchor in release.anchors:
                image[start + anchor.offset + 20] ^= 0xFF  # text is mapped at its file offset
                changed += 1
    assert changed == 2
    stripped.write_bytes(image)
    done = cass_run("--trace", stripped)
    assert done.returncode == 126
    assert "entry points are not recorded" in done.stderr
    assert traced_calls(done.stderr) == []


def test_relocatable_device_code(folder: Path) -> None:
    assert check_run(compile_cuda(VECTOR_ADD + MAIN, folder / "rdc", "-rdc=true")) == EXPECTED


def test_linked_library_with_its_own_runtime(folder: Path, library: Path) -> None:
    source = "int run_it(void); int main(void) { run_it(); return 42; }"
    flags = [f"-L{folder}", "-lwith_cudart", f"-Wl,-rpath,{folder}"]
    assert check_run(compile_c(source, folder / "linked", *flags)) == EXPECTED


def test_opened_library_with_its_own_runtime(opener: Path, library: Path) -> None:
    assert check_run(opener, library, "run_it") == EXPECTED


def test_opened_closed_and_opened_again(opener: Path, library: Path) -> None:
    assert check_run(opener, library, "run_it", "twice") == EXPECTED * 2


def test_stripped_opened_library(folder: Path, opener: Path, library: Path) -> None:
    stripped = folder / "libstripped.so"
    subprocess.run(["strip", "-o", stripped, library], check=True)
    assert check_run(opener, stripped, "run_it") == EXPECTED


def test_two_runtimes_in_one_process(folder: Path, library: Path) -> None:
    """The program's static copy and the library's: one stub address each, no mixing up."""
    source = VECTOR_ADD.replace('extern "C" int run_it', "static int own") + (
        'extern "C" int run_it(void);\nint main() { own(); run_it(); return 42; }\n'
    )
    program = compile_cuda(source, folder / "two", f"-L{folder}", "-lwith_cudart", "-Xlinker", f"-rpath={folder}")
    calls = check_run(program)
    assert calls.count("cudaMalloc") == 4
    assert calls.count("__cudaLaunchKernel") == 2


@pytest.mark.parametrize("name", ["libcudart.so.13", "libcudart.so"])
def test_real_runtime_opened_by_absolute_path(opener: Path, name: str) -> None:
    path = TOOLKIT / "lib64" / name
    if not path.exists():
        pytest.skip(f"{path} is not installed")
    assert check_run(opener, path, "cudaDeviceSynchronize") == ["cudaDeviceSynchronize"]


@pytest.mark.parametrize("soname", ["libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"])
def test_standin_opened_by_soname(opener: Path, soname: str) -> None:
    assert check_run(opener, soname, "cudaDeviceSynchronize") == ["cudaDeviceSynchronize"]


def test_redirection_survives_a_program_with_functions_called_cuda(folder: Path) -> None:
    source = VECTOR_ADD + 'extern "C" int cudaOfMyOwn(int x) { return x + 1; }\n'
    source += "int main(int count, char **) { run_it(); return cudaOfMyOwn(count + 40); }\n"
    assert check_run(compile_cuda(source, folder / "own")) == EXPECTED


def test_existing_preload_is_kept(folder: Path, static: Path) -> None:
    source = (
        '#include <unistd.h>\n__attribute__((constructor)) static void hello(void) { if (write(2, "own\\n", 4)) {} }'
    )
    own = compile_c(source, folder / "libown.so", "-shared", "-fPIC")
    done = cass_run("--trace", static, environment={"LD_PRELOAD": str(own)})
    assert done.returncode == 42
    assert "own\n" in done.stderr
    assert traced_calls(done.stderr) == EXPECTED


def test_text_is_not_left_writable(folder: Path) -> None:
    source = VECTOR_ADD + (
        'int main() { run_it(); FILE *maps = fopen("/proc/self/maps", "r"); char line[512];\n'
        '  while (fgets(line, sizeof line, maps)) if (__builtin_strstr(line, "rwx")) fputs(line, stdout);\n'
        "  return 42; }\n"
    )
    done = cass_run(compile_cuda(source, folder / "maps"))
    assert done.returncode == 42
    assert done.stdout == ""


def test_first_calls_from_two_threads(folder: Path) -> None:
    source = (
        VECTOR_ADD
        + "#include <thread>\nint main() { std::thread a(run_it), b(run_it); a.join(); b.join(); return 42; }\n"
    )
    done = cass_run("--trace", compile_cuda(source, folder / "threads"))
    assert done.returncode == 42
    assert traced_calls(done.stderr).count("cudaMalloc") == 4


def test_exec_of_a_cuda_child(folder: Path, static: Path) -> None:
    done = cass_run("--trace", "sh", "-c", f"{static}; echo status $?")
    assert done.stdout == "status 42\n"
    assert traced_calls(done.stderr) == EXPECTED


def test_a_process_that_runs_already_is_left_alone(folder: Path, library: Path) -> None:
    """Without the launcher, a stand-in opened later must not change objects that other threads may run."""
    source = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int run_it(void);
int main(int count, char **arguments) {
    unsigned char before[8], *code = dlsym(RTLD_DEFAULT, "run_it");
    memcpy(before, code, 8);
    int result = count > 1 && dlopen(arguments[1], RTLD_NOW) ? 0 : 1;
    return result || memcmp(before, code, 8) || run_it() != 35 ? 1 : 42;
}
"""
    program = compile_c(source, folder / "late", f"-L{folder}", "-lwith_cudart", f"-Wl,-rpath,{folder}", "-ldl")
    environment = {"CASS_TRACE": "calls", "CASS_DAEMON": "0"}
    command = [program, built() / "libcudart.so.13"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 42, done.stderr
    assert traced_calls(done.stderr) == []


def test_core_is_one_library_in_the_process(opener: Path, folder: Path) -> None:
    """A stand-in opened by path, without the launcher, brings the core itself."""
    done = subprocess.run(
        [opener, built() / "libcudart.so.13", "cudaDeviceSynchronize"],
        env={"CASS_TRACE": "calls", "CASS_DAEMON": "0"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 42, done.stdout
    assert traced_calls(done.stderr) == ["cudaDeviceSynchronize"]


def test_per_thread_default_stream(folder: Path) -> None:
    flags = ["-default-stream", "per-thread"]
    done = cass_run("--trace", compile_cuda(VECTOR_ADD + MAIN, folder / "per_thread", *flags))
    assert done.returncode == 42
    assert traced_calls(done.stderr) == EXPECTED
    (launch,) = (line for line in done.stderr.splitlines() if "__cudaLaunchKernel(" in line)
    assert "stream=0x2)" in launch
    assert launch.endswith("per-thread stream")


# Looks like a runtime, by name: what matters is where its functions lie and how they begin.
STANDIN_RUNTIME = r"""
#include <stdio.h>
#define FUNCTION(name) \
    __attribute__((noinline, aligned(16))) int name(void *p) { __asm__ volatile("" ::: "memory"); return p ? 5 : 6; }
FUNCTION(__cudaRegisterFatBinary)
FUNCTION(cudaMalloc)
FUNCTION(cudaFromTheFuture)
FUNCTION(cudaGetDeviceCount)
int main(void) {
    unsigned char *code = (unsigned char *)(void *)cudaGetDeviceCount;
    int count = 0, future = cudaFromTheFuture(0);
    cudaGetDeviceCount(&count);
    printf("%d %02x%02x%02x%02x %02x\n", future, code[0], code[1], code[2], code[3], code[4]);
    return 42;
}
"""


def test_branch_target_marks_are_kept_and_later_names_are_stubs(folder: Path) -> None:
    flags = ["-O1", "-fcf-protection=full", "-fno-toplevel-reorder"]
    done = cass_run("--trace", compile_c(STANDIN_RUNTIME, folder / "marked", *flags))
    assert done.returncode == 42
    assert done.stdout == "801 f30f1efa e9\n"
    assert done.stderr.count("cudaFromTheFuture is in no table") == 1
    assert traced_calls(done.stderr) == ["cudaGetDeviceCount"]


def test_a_runtime_without_room_for_jumps_is_left_alone(folder: Path) -> None:
    names = ("__cudaRegisterFatBinary", "cudaMalloc", "cudaGetDeviceCount")
    source = "".join(
        f'__asm__(".text\\n.globl {name}\\n.type {name}, @function\\n{name}:\\nxorl %eax, %eax\\nret\\n");\n'
        for name in names
    )
    done = cass_run(compile_c(source + "int main(void) { return 42; }\n", folder / "tight"))
    assert done.returncode == 126
    assert "has no room for a jump" in done.stderr
    assert done.stderr.count("\n") == 1


VENDOR_DRIVER = r"""
#include <unistd.h>
#define FUNCTION(name, result) int name(void *p) { if (p == (void *)1) write(2, #name, sizeof #name); return result; }
FUNCTION(cuInit, 11)
FUNCTION(cuDeviceGetCount, 12)
FUNCTION(cuDeviceGet, 13)
"""


def test_vendor_driver_opened_by_absolute_path(folder: Path, opener: Path) -> None:
    """A library under the driver's SONAME that is not ours is redirected through its .dynsym."""
    vendor = folder / "vendor"
    vendor.mkdir()
    library = compile_c(VENDOR_DRIVER, vendor / "libcuda.so.1.1", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1.1")
    assert check_run(opener, library, "cuDeviceGetCount") == ["cuDeviceGetCount"]


def test_a_policy_against_changing_code_is_named(folder: Path, static: Path) -> None:
    """PR_SET_MDWE (Linux 6.3) stands for SELinux's execmod too: mprotect refuses."""
    source = "#include <sys/prctl.h>\n#include <unistd.h>\nint main(int count, char **arguments) {\n"
    source += "return prctl(65, 1, 0, 0, 0) ? 9 : execv(arguments[count > 1], arguments + 1); }"
    strict = compile_c(source, folder / "strict")
    done = subprocess.run([strict, built() / "cass-run", static], capture_output=True, text=True, check=False)
    if done.returncode == 9:
        pytest.skip("this kernel has no PR_SET_MDWE")
    assert done.returncode == 126
    assert done.stderr.count("\n") == 1
    assert "security policy" in done.stderr
    plain = subprocess.run([strict, built() / "cass-run", "true"], capture_output=True, text=True, check=False)
    assert (plain.returncode, plain.stderr) == (0, "")
