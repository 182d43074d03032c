"""The table against the vendor's headers and libraries, and against contradictions."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from cass_shim.api.entries import entries, entry_text
from cass_shim.api.generate import proc_rows
from cass_shim.api.spec import IMPLEMENTED, STUB, UNDECLARED, Chapter, parse_parameters
from cass_shim.api.standins import STANDINS, exported
from cass_shim.api.table import check, table

TOOLKIT = Path("/usr/local/cuda")
NEEDS_TOOLKIT = pytest.mark.skipif(not (TOOLKIT / "include" / "cuda.h").exists(), reason="needs the CUDA toolkit")
# Declared by the driver's headers for other platforms; no program of ours has them.
ELSEWHERE = re.compile(r"cuWGL|cuD3D")


def chapter() -> Chapter:
    return Chapter("runtime", "Test")


def test_every_version_of_a_name_is_one_row() -> None:
    for version in (11080, 12000, 12090, 13000, 13050):
        names = [row.name for row in table() if row.since <= version < row.until]
        assert len(names) == len(set(names))


def test_overlapping_rows_are_refused() -> None:
    one = chapter()
    one.fn("cudaX", STUB, "cudaError_t", "int a", since=8000)
    one.fn("cudaX", STUB, "cudaError_t", "int a, int b", since=12000, body="cudaX_v12")
    with pytest.raises(ValueError, match="cudaX: rows overlap at 12000"):
        check(tuple(one.resolved()))


def test_a_body_with_two_signatures_is_refused() -> None:
    one = chapter()
    one.fn("cudaX", STUB, "cudaError_t", "int a", until=12000)
    one.fn("cudaX", STUB, "cudaError_t", "int a, int b", since=12000)
    with pytest.raises(ValueError, match="share a body but not its parameters"):
        check(tuple(one.resolved()))


def test_a_body_with_two_statuses_is_refused() -> None:
    one = chapter()
    one.fn("cudaX", STUB, "cudaError_t", "int a", until=12000)
    one.fn("cudaX", IMPLEMENTED, "cudaError_t", "int b", since=12000)
    with pytest.raises(ValueError, match="both stub and implemented"):
        check(tuple(one.resolved()))


def test_an_implemented_row_needs_its_parameters() -> None:
    with pytest.raises(ValueError, match="without known parameters"):
        chapter().fn("cudaX", IMPLEMENTED, "cudaError_t", UNDECLARED)


def test_a_row_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(ValueError, match="ends before it starts"):
        chapter().fn("cudaX", STUB, "cudaError_t", "void", since=13000, until=12000)


def test_same_takes_signature_status_and_body_of_its_twin() -> None:
    one = chapter()
    one.fn("cudaX_v2", IMPLEMENTED, "cudaError_t", "int a, cudaStream_t s", since=12000, until=13000, pt="ptsz")
    one.same("cudaX", "cudaX_v2", since=13000)
    _, row = one.resolved()
    assert (row.name, row.body, row.status, row.pt, row.since) == ("cudaX", "cudaX_v2", IMPLEMENTED, "ptsz", 13000)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("void", []),
        ("void **devPtr, size_t size", [("void **", "devPtr"), ("size_t", "size")]),
        ("const void * const *srcs", [("const void * const *", "srcs")]),
    ],
)
def test_parameters(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.type, one.name) for one in parse_parameters(text)] == expected


def test_unreadable_parameter_is_named() -> None:
    with pytest.raises(ValueError, match="size_t"):
        parse_parameters("int a, size_t")


@NEEDS_TOOLKIT
def test_every_export_of_the_real_runtime_has_a_row() -> None:
    library = TOOLKIT / "lib64" / "libcudart.so.13"
    listed = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout
    real = {line.split()[2].split("@")[0] for line in listed.splitlines() if " T " in line}
    ours = {entry.symbol for entry in exported(STANDINS[2])}
    assert len(real) > 400
    assert not real - ours


@NEEDS_TOOLKIT
def test_every_declared_driver_function_has_a_row() -> None:
    text = (TOOLKIT / "include" / "cuda.h").read_text(errors="replace")
    declared = set(re.findall(r"^\s*CUresult(?: CUDAAPI)? (cu[A-Z]\w+)\(", text, re.MULTILINE))
    ours = {entry.symbol for entry in exported(STANDINS[3])}
    assert len(declared) > 400
    assert not {name for name in declared if not ELSEWHERE.match(name)} - ours


@NEEDS_TOOLKIT
def test_cu_get_proc_address_answers_every_documented_pair() -> None:
    """cudaTypedefs.h names each (function, version, per-thread form) that a driver answers."""
    names = ("cudaTypedefs.h", "cudaGLTypedefs.h", "cudaEGLTypedefs.h", "cudaVDPAUTypedefs.h")
    text = "".join((TOOLKIT / "include" / name).read_text(errors="replace") for name in names)
    documented = {
        (match[1], int(match[2]), int(bool(match[3])))
        for match in re.finditer(r"\*PFN_(cu\w+?)_v(\d+)(_pt[ds][sz])?\)", text)
    }
    ours = {(name, since, form) for name, since, form, _ in proc_rows()}
    missing = {item for item in documented - ours if not ELSEWHERE.match(item[0])}
    assert len(documented) > 500
    assert not missing


def test_per_thread_variants_translate_every_stream() -> None:
    for entry in entries():
        if entry.variant and entry.row.declared:
            streams = [one.name for one in entry.row.parameters if one.type in ("cudaStream_t", "CUstream")]
            text = entry_text(entry)
            assert all(f"{name} ? {name} : " in text for name in streams), entry.symbol
            assert "per_thread_stream = 1" in text
