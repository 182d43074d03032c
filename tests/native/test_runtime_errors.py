"""The tables of error codes: against hip-python's enumeration, CUDA's own, and the HIP library's exports."""

from __future__ import annotations

import re
import subprocess
import warnings

import pytest

from cass_shim.native.build import BUILD, NATIVE

HIP_ROW = re.compile(r"ROW\((\d+), (\d+), (\w+)\)")
CUDA_ROW = re.compile(r'ROW\((\d+), (NULL|"\w+"), (NULL|"\w+"), (NULL|".*?")\)')
TYPES = (NATIVE / "shim" / "cuda_types.h").read_text()


def hip_rows() -> dict[int, tuple[int, str]]:
    """HIP status → (CUDA code, HIP's name)."""
    text = (NATIVE / "hip" / "errors.inc").read_text()
    return {int(hip): (int(cuda), name) for hip, cuda, name in HIP_ROW.findall(text)}


def enumerators(opening: str) -> dict[str, int]:
    """The members of one C enumeration in cuda_types.h."""
    body = TYPES[TYPES.index(opening) :].split("}", 1)[0]
    return {name: int(value, 0) for name, value in re.findall(r"(\w+) = (\w+)", body)}


def test_every_hip_status_is_mapped_under_its_own_name() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from hip import hip
    statuses = {member.value: name for name, member in hip.hipError_t.__members__.items()}
    canonical = {member.value: member.name for member in hip.hipError_t}
    rows = hip_rows()
    assert set(rows) >= set(statuses)
    assert {value: rows[value][1] for value in canonical} == canonical


def test_every_mapped_code_is_one_of_the_runtime() -> None:
    known = set(enumerators("enum cudaError {").values())
    # 401..: equal in both; 202 and 218 exist in the driver only under these numbers
    driver = set(enumerators("typedef enum cudaError_enum {").values())
    unknown = {cuda for cuda, _ in hip_rows().values()} - known - driver
    assert not unknown


def test_equal_numbers_mean_the_same_thing() -> None:
    """Where HIP and CUDA use one number for different errors, the map must not pass it through."""
    rows = hip_rows()
    assert rows[911][0] == 20  # invalid channel descriptor; CUDA's 911 is an external device
    assert rows[912][0] == 18  # invalid texture; CUDA's 912 is a cluster size
    assert rows[1054][0] == 912


def test_names_of_codes_are_cudas() -> None:
    rows = CUDA_ROW.findall((NATIVE / "driver" / "errors.inc").read_text())
    runtime = {name.strip('"'): int(code) for code, name, _, _ in rows if name != "NULL"}
    driver = {name.strip('"'): int(code) for code, _, name, _ in rows if name != "NULL"}
    assert runtime == {name: value for name, value in enumerators("enum cudaError {").items() if name in runtime}
    assert set(enumerators("enum cudaError {")) - set(runtime) <= {"cudaErrorApiFailureBase"}
    known = enumerators("typedef enum cudaError_enum {")
    assert driver == {name: known[name] for name in driver}


def test_the_emulated_device_has_every_function_of_the_door() -> None:
    library = BUILD / "emulated" / "libamdhip64.so"
    if not library.exists():
        pytest.skip("the emulated device is not built")
    listed = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    exported = {line.split()[-1].split("@")[0] for line in listed.stdout.splitlines()}
    text = (NATIVE / "hip" / "functions.inc").read_text()
    wanted = set(re.findall(r"(?:REQUIRED|OPTIONAL)\((hip\w+)", text))
    assert len(wanted) > 80
    assert wanted <= exported
