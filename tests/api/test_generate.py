"""The generated C: what compiles, what must not, and what the records of static runtimes say."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cass_shim.api import document as document_module
from cass_shim.api import entries as entries_module
from cass_shim.api import generate as generate_module
from cass_shim.api import standins as standins_module
from cass_shim.api.c_types import enumerations, kind
from cass_shim.api.cudart import Release, fnv1a, releases
from cass_shim.api.spec import IMPLEMENTED, STUB, Chapter, Row

NATIVE = Path(generate_module.__file__).parent.parent / "native"
needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")


@pytest.fixture
def small_table(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Row, ...]]:
    """A table of three rows in place of the real one."""
    one = Chapter("runtime", "Test")
    one.fn("cudaThere", IMPLEMENTED, "cudaError_t", "int a, cudaStream_t stream", pt="ptsz")
    one.fn("cudaLater", IMPLEMENTED, "cudaError_t", "int a", until=13000)
    one.fn("cudaStub", STUB, "cudaError_t", "dim3 a, const char *text, float x")
    rows = tuple(one.resolved())
    for module in (entries_module, generate_module, document_module):
        monkeypatch.setattr(module, "table", lambda: rows)
    caches = (entries_module.entries, standins_module.table_symbol)
    for cache in caches:
        cache.cache_clear()
    yield rows
    for cache in caches:
        cache.cache_clear()


def compile_with(body: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Entry points of the small table, and a file of bodies, linked as the core library is."""
    generate_module.generate(folder / "gen")
    (folder / "bodies.c").write_text(f'#include "api/bodies.h"\n{body}\n')
    (folder / "rest.c").write_text(
        '#include "shim/trace.h"\n__thread cass_call cass_current_call; int cass_gate;\n'
        "int cass_gate_refuses(void) { return 0; }\nint cass_stub(uint32_t row) { return (int)row + 800; }\n"
        "void cass_log_failure(uint32_t row, int result) { (void)row; (void)result; }\n"
        "void cass_trace_begin(cass_traced *c, uint32_t row) { c->row = row; }\n"
        "void cass_trace_end(const cass_traced *c, const cass_value *v, uint64_t r) { (void)c; (void)v; (void)r; }\n"
    )
    flags = [
        "-std=gnu17",
        "-D_GNU_SOURCE",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Wmissing-prototypes",
        "-Werror",
        "-fPIC",
    ]
    sources = [folder / "gen/api/runtime_entries.c", folder / "bodies.c", folder / "rest.c"]
    return subprocess.run(
        ["gcc", *flags, f"-I{NATIVE}", f"-I{folder / 'gen'}", *sources, "-shared", "-Wl,-z,defs", "-o", f"{folder}/o"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


THERE = (
    "cudaError_t cass_cudaThere(int a, cudaStream_t stream) { return a && stream ? cudaSuccess : cudaErrorUnknown; }"
)
LATER = "cudaError_t cass_cudaLater(int a) { return a ? cudaSuccess : cudaErrorUnknown; }"


@needs_gcc
def test_all_bodies_there(small_table: tuple[Row, ...], tmp_path: Path) -> None:
    done = compile_with(THERE + LATER, tmp_path)
    assert done.returncode == 0, done.stderr


@needs_gcc
def test_an_implemented_row_without_a_body_does_not_link(small_table: tuple[Row, ...], tmp_path: Path) -> None:
    done = compile_with(THERE, tmp_path)
    assert done.returncode != 0
    assert "undefined reference to `cass_cudaLater'" in done.stderr


@needs_gcc
def test_a_body_without_a_row_does_not_compile(small_table: tuple[Row, ...], tmp_path: Path) -> None:
    done = compile_with(THERE + LATER + "cudaError_t cass_cudaStub(int a) { return (cudaError_t)a; }", tmp_path)
    assert done.returncode != 0
    assert "no previous prototype for" in done.stderr
    assert "cass_cudaStub" in done.stderr


@needs_gcc
def test_a_body_with_another_signature_does_not_compile(small_table: tuple[Row, ...], tmp_path: Path) -> None:
    done = compile_with(THERE + "cudaError_t cass_cudaLater(long a) { return (cudaError_t)a; }", tmp_path)
    assert done.returncode != 0
    assert "conflicting types" in done.stderr


def test_standins_have_the_rows_of_their_versions(small_table: tuple[Row, ...]) -> None:
    names = {one.file: [entry.symbol for entry in standins_module.exported(one)] for one in standins_module.STANDINS}
    assert names["libcudart.so.12"] == ["cudaLater", "cudaStub", "cudaThere", "cudaThere_ptsz"]
    assert names["libcudart.so.13"] == ["cudaStub", "cudaThere", "cudaThere_ptsz"]
    assert names["libcuda.so.1"] == []


def test_nothing_is_rewritten_without_a_change(tmp_path: Path) -> None:
    generate_module.generate(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    generate_module.generate(tmp_path)
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}


def test_page_counts_what_is_implemented(small_table: tuple[Row, ...]) -> None:
    text = document_module.document()
    assert "runtime of CUDA 13: 1 of 2 implemented (50 %)" in text
    assert "| `cudaStub` |" in text


@pytest.mark.parametrize(
    ("c_type", "letter"),
    [
        ("void **", "P"), ("const void *", "p"), ("size_t", "u"), ("const char *", "s"), ("cudaStream_t", "p"),
        ("enum cudaMemcpyKind", "ecudaMemcpyKind"), ("dim3", "d"), ("cudaStream_t *", "P"), ("int *", "I"),
        ("struct cudaExtent", "?"), ("CUdeviceptr", "p"), ("CUdevice", "i"), ("float", "f"),
    ],
)  # fmt: skip
def test_trace_letters(c_type: str, letter: str) -> None:
    assert kind(c_type) == letter


def test_enumerators_have_their_values() -> None:
    assert dict(enumerations()["cudaError"])["cudaErrorNotSupported"] == 801
    assert dict(enumerations()["cudaMemcpyKind"]) == {
        "cudaMemcpyHostToHost": 0, "cudaMemcpyHostToDevice": 1, "cudaMemcpyDeviceToHost": 2,
        "cudaMemcpyDeviceToDevice": 3, "cudaMemcpyDefault": 4,
    }  # fmt: skip


def test_fnv1a_reference_values() -> None:
    """Source: the FNV authors' test vectors, 64 bits."""
    assert fnv1a(b"") == 0xCBF29CE484222325
    assert fnv1a(b"a") == 0xAF63DC4C8601EC8C
    assert fnv1a(b"foobar") == 0x85944171F73967E8


def test_recorded_releases_are_well_formed() -> None:
    found = releases()
    assert len(found) >= 7
    for release in found:
        points = release.entry_points()
        offsets = [offset for _, offset, _ in points]
        assert offsets == sorted(set(offsets))
        assert {"cudaMalloc", "__cudaRegisterFatBinary", "cudaGetDeviceCount"} <= {name for name, *_ in points}
        assert sum(start != 0 for *_, start in points) > len(points) // 2
    assert len({release.offsets for release in found}) == len(found)


def test_recording_the_installed_runtime_again_gives_the_same() -> None:
    archive = Path("/usr/local/cuda/lib64/libcudart_static.a")
    if not archive.exists():
        pytest.skip("needs the CUDA toolkit's static runtime")
    from tools.cudart_offsets import record

    fresh: Release = record("fresh", 13000, archive.read_bytes())
    assert any((known.anchors, known.offsets.split()) == (fresh.anchors, fresh.offsets.split()) for known in releases())


@pytest.mark.parametrize("content", [b"", b"!<arch>\n", b"!<arch>\n" + b" " * 48 + b"4         `\nELF?"])
def test_recording_something_else_says_so(content: bytes) -> None:
    from tools.cudart_offsets import record

    with pytest.raises(SystemExit):
        record("wrong", 13000, content)
