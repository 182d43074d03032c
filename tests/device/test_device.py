"""The Python device: loading, launching, moving bytes, errors; and that nothing goes around it."""

from __future__ import annotations

import ast
import struct
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import cass_shim
from cass_shim.device import Device
from cass_shim.model.errors import DeviceFailed
from cass_shim.native.build import compiler
from tests.native.hip_support import compile_hip, run_python

SOURCE = """
DEVICE int counter = 5;
KERNEL scale(float *p, float by, int n) {
    int i = BID * __builtin_amdgcn_workgroup_size_x() + TID;
    if (i < n) p[i] *= by;
}
KERNEL where(int *p) { p[BID + 4 * __builtin_amdgcn_workgroup_id_y()] = 100 * __builtin_amdgcn_workgroup_id_z() + TID; }
KERNEL wild(int *p) { p[1 << 28] = 1; }
"""


@pytest.fixture(scope="module")
def device() -> Device:
    return Device.open("emulated")


def test_a_launch_by_kernarg_bytes(device: Device) -> None:
    data = np.random.rand(3, 333).astype(np.float32)
    with device.load(compile_hip(SOURCE)) as module, device.buffer(data) as buffer:
        kernarg = struct.pack("<Qfi", buffer.address, 2.5, data.size)
        module.function("scale").launch((8,), (128,), kernarg)
        assert (buffer.read() == data * np.float32(2.5)).all()
        assert buffer.read().shape == (3, 333)


def test_grids_of_two_and_three_dimensions(device: Device) -> None:
    with device.load(compile_hip(SOURCE)) as module, device.buffer(np.full(8, -1, np.int32)) as buffer:
        module.function("where").launch((3, 2, 1), (1, 1), struct.pack("<Q", buffer.address))
        assert buffer.read().tolist() == [0, 0, 0, -1, 0, 0, 0, -1]


def test_streams(device: Device) -> None:
    with device.load(compile_hip(SOURCE)) as module, device.buffer(np.ones(64, np.float32)) as buffer:
        stream, scale = device.stream(), module.function("scale")
        for _ in range(10):
            scale.launch((1,), (64,), struct.pack("<Qfi", buffer.address, 2.0, 64), stream=stream)
        device.call("hipStreamSynchronize", stream)
        assert (buffer.read() == 1024).all()
        device.call("hipStreamDestroy", stream)


def test_variables_copies_and_fills(device: Device) -> None:
    with device.load(compile_hip(SOURCE)) as module:
        address, size = module.variable("counter")
        assert size == 4 and device.read(address, 4) == struct.pack("<i", 5)
        device.copy(address, struct.pack("<i", 9))
        assert device.read(address, 4) == struct.pack("<i", 9)
    first, second = device.alloc(100), device.alloc(100)
    device.memset(first, 0xAB, 100)
    device.copy(second, first, 100)
    target = np.zeros((5, 5), np.int32)
    device.copy(target, second)
    assert (target.view(np.uint8) == 0xAB).all()
    with pytest.raises(ValueError):
        device.copy(first, second)
    with pytest.raises(ValueError):
        device.copy(bytearray(4), first, 5)
    device.free(first)
    device.free(second)


def test_errors_carry_call_code_and_reason(device: Device) -> None:
    with pytest.raises(DeviceFailed, match="no kernel absent") as absent:
        device.load(compile_hip(SOURCE)).function("absent")
    assert (absent.value.call, absent.value.code) == ("hipModuleGetFunction", 500)
    with pytest.raises(DeviceFailed, match="not a code object"):
        device.load(b"nonsense" * 20)
    with pytest.raises(DeviceFailed, match="12 bytes of arguments, want 16"):
        device.load(compile_hip(SOURCE)).function("scale").launch((1,), (1,), bytes(12))
    with pytest.raises(DeviceFailed, match="at most 1024"):
        device.load(compile_hip(SOURCE)).function("scale").launch((1,), (4096,), bytes(16))


def test_a_fault_names_kernel_and_lane_and_reset_recovers(device: Device) -> None:
    with device.buffer(np.zeros(4, np.int32)) as buffer:
        device.load(compile_hip(SOURCE)).function("wild").launch((1,), (1,), struct.pack("<Q", buffer.address))
        with pytest.raises(DeviceFailed, match=r"kernel wild: .*lane 0") as fault:
            device.synchronize()
        assert fault.value.code == 700
        buffer.address = 0
    device.reset()
    device.free(device.alloc(16))


def test_a_launch_costs_tens_of_microseconds(device: Device) -> None:
    with device.load(compile_hip(SOURCE)) as module, device.buffer(np.ones(1, np.float32)) as buffer:
        scale, kernarg = module.function("scale"), struct.pack("<Qfi", buffer.address, 1.0, 1)
        best = float("inf")
        for _ in range(20):
            begun = time.perf_counter()
            for _ in range(50):
                scale.launch((1,), (1,), kernarg)
            device.synchronize()
            best = min(best, (time.perf_counter() - begun) / 50)
        assert best < 200e-6


def test_one_process_has_one_device(device: Device) -> None:
    assert Device.open("auto").library is device.library
    with pytest.raises(DeviceFailed, match="already uses the emulated device"):
        Device.open("hip")
    with pytest.raises(DeviceFailed, match="none of"):
        Device.open("nvidia")


def test_hip_alone_says_why_there_is_none() -> None:
    done = run_python(
        "from cass_shim.device import Device\nfrom cass_shim.model.errors import DeviceFailed\n"
        "try: print(Device.open('hip').name)\nexcept DeviceFailed as e: print('failed', e)"
    )
    assert "Traceback" not in done.stderr and ("failed open: HIP error 100: no device:" in done.stdout or done.stdout)


ROCM_WITHOUT_A_CARD = """
int hipInit(unsigned flags) { return 100; }
int hipGetDeviceCount(int *n) { *n = 0; return 100; }
"""
TAKE_ANY = """
from cass_shim.device import Device
device = Device.open("auto")
buffer = device.alloc(64)
print(device.emulated)
"""


def test_amd_s_library_without_a_card_does_not_stand_in_the_way(tmp_path: Path) -> None:
    """ROCm's user space is installed and there is no GPU: the emulated device is taken, and hip-python with it."""
    (tmp_path / "stub.c").write_text(ROCM_WITHOUT_A_CARD)
    command = [*compiler(), "-shared", "-fPIC", "-Wl,-soname,libamdhip64.so.5", str(tmp_path / "stub.c")]
    subprocess.run([*command, "-o", str(tmp_path / "libamdhip64.so")], check=True)
    done = run_python(TAKE_ANY, LD_LIBRARY_PATH=str(tmp_path))
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr


def test_launches_go_through_hip_python(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    hip = device.library.hip
    original = hip.hipModuleLaunchKernel
    monkeypatch.setattr(hip, "hipModuleLaunchKernel", lambda *arguments: seen.append(1) or original(*arguments))
    with device.load(compile_hip(SOURCE)) as module, device.buffer(np.ones(4, np.float32)) as buffer:
        module.function("scale").launch((1,), (4,), struct.pack("<Qfi", buffer.address, 3.0, 4))
        assert (buffer.read() == 3).all() and seen == [1]


# Who may touch a HIP library without cass_shim.device, and why.
ALLOWED = {
    "device": "the door itself",
    "native": "builds the library",
}
FORBIDDEN = ("hip", "rocm")
OTHER_LIBRARIES = {
    "cli/programs.py": "libstdc++'s demangler",
    "verify/compiled/library.py": "the compiled reference's scheduler and memory, no device",
    "verify/floats.py": "libm",
}


def bypasses(path: Path) -> list[str]:
    """Lines of a module that import hip-python, or name a HIP library or launch call in a string or attribute."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Attribute) and node.attr in ("CDLL", "PyDLL", "LoadLibrary", "dlopen"):
            found.append(f"{path}:{node.lineno}: opens a library with {node.attr}")
        elif isinstance(node, ast.Attribute) and node.attr.startswith("hipModuleLaunch"):
            found.append(f"{path}:{node.lineno}: launches with {node.attr}")
        found += [
            f"{path}:{node.lineno}: imports {name}"
            for name in names
            if name.split(".")[0] in FORBIDDEN and isinstance(node, ast.stmt)
        ]
    return found


def test_no_stage_goes_around_the_device() -> None:
    """Verification and replay have no other way to a device than cass_shim.device."""
    package = Path(cass_shim.__file__).parent
    modules = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    checked = {name: path for name, path in modules.items() if name.split("/")[0] not in ALLOWED}
    assert len(checked) > 20 and OTHER_LIBRARIES.keys() <= checked.keys()
    found = {name: bypasses(path) for name, path in checked.items()}
    for name in OTHER_LIBRARIES:
        found[name] = [line for line in found[name] if "opens a library" not in line]
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_the_search_for_bypasses_finds_them(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("import ctypes\nfrom hip import hip\nctypes.CDLL('x')\nhip.hipModuleLaunchKernel()\nimport rocm.x\n")
    assert len(bypasses(bad)) == 4
