"""`cass view`: what its page says, compared with what nvcc's listings, the verifier and the cache say."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cass_shim.cli.programs import find_modules
from cass_shim.cli.view import page
from cass_shim.cli.view_kernel import block_evidence
from cass_shim.cli.view_listings import Row, kind_of, link_by_order, ptx_rows
from cass_shim.model.config import Config
from cass_shim.native.build import BUILD
from cass_shim.native.locate import EMULATED_HIP
from tests.cli.conftest import ROOT, SAMPLES, Shell

DEVICE = str(BUILD / EMULATED_HIP)
needs_device = pytest.mark.skipif(not Path(DEVICE).exists(), reason="the emulated device is not built")
ANSWERS = ROOT / "tests" / "translate" / "cass" / "answers"


def facts(text: str) -> list[dict[str, Any]]:
    """What the page's script reads."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    kernels: list[dict[str, Any]] = json.loads(found.group(1))["kernels"]
    return kernels


def view(shell: Shell, program: Path, *options: str, **settings: str) -> dict[str, Any]:
    """The one kernel's facts."""
    page_path = shell.folder / "page.html"
    done = shell.cass("view", program, "-o", page_path, *options, **{"CASS_HIP_LIBRARY": DEVICE, **settings})
    assert done.returncode == 0, done.stdout + done.stderr
    (kernel,) = facts(page_path.read_text())
    return kernel


@needs_device
def test_a_page_shows_all_three_languages_linked(shell: Shell) -> None:
    kernel = view(shell, SAMPLES / "vector_add_static")
    sass = [row[0] for row in kernel["sass"]["rows"]]
    store = next(at for at, text in enumerate(sass) if text.startswith("STG"))
    for column, instruction in (("ptx", "st.global.f32"), ("rdna3", "global_store_b32")):
        linked = [text.strip() for text, _, links, _ in kernel[column]["rows"] if store in links]
        assert len(linked) == 1
        assert linked[0].startswith(instruction)
    assert "a guess" in kernel["ptx"]["note"]
    assert kernel["rdna3"]["note"].endswith("the same machine code as the cached one")


@pytest.mark.nvcc
@needs_device
@pytest.mark.skipif(shutil.which("nvcc") is None or shutil.which("gcc") is None, reason="needs nvcc and gcc")
def test_several_kernels_are_shown_in_the_programs_order(shell: Shell) -> None:
    """They are listed by several processes at once."""
    source, program, page_path = shell.folder / "k.cu", shell.folder / "k.cubin", shell.folder / "page.html"
    names = [f"k{n}" for n in range(4)]
    source.write_text(
        "".join(f'extern "C" __global__ void {name}(int *a) {{ a[threadIdx.x] += {n}; }}\n'
                for n, name in enumerate(names))
    )  # fmt: skip
    subprocess.run(["nvcc", "-arch=sm_80", "-cubin", "-o", program, source], check=True, timeout=120)
    (found,) = find_modules(program, Config())
    done = shell.cass("view", program, "-o", page_path, CASS_HIP_LIBRARY=DEVICE)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = facts(page_path.read_text())
    assert [one["name"] for one in shown] == list(found.module.kernels)
    assert sorted(found.module.kernels) == names
    for one in shown:
        assert one["rdna3"]["note"].endswith("the same machine code as the cached one")
        assert one["trace"]["moments"]


@needs_device
def test_blocks_carry_the_verifiers_coverage(shell: Shell) -> None:
    kernel = view(shell, SAMPLES / "mandelbrot_shared")
    ran = [(block["ran"], block["real"]) for block in kernel["blocks"] if block["evidence"]]
    assert ran and all(here == whole for here, whole in ran)
    assert {block["evidence"] for block in kernel["blocks"]} == {"E1", ""}


@needs_device
def test_the_step_through_computes_what_the_kernel_does(shell: Shell) -> None:
    """Lane 5 of block 0 adds its two loads and stores behind; the sum is checked here, in another way."""
    import struct

    kernel = view(shell, SAMPLES / "vector_add_static", "--lane", "5")
    sass = [row[0] for row in kernel["sass"]["rows"]]
    loaded = []
    for at, ran, written in kernel["trace"]["moments"]:
        (value,) = (*written.values(), None)[:1]
        if sass[at].startswith("S2R") and "TID" in sass[at] and "CTAID" not in sass[at]:
            assert value == 5
        if sass[at].startswith("LDG"):
            loaded.append(struct.unpack("<f", struct.pack("<I", value))[0])
        if sass[at].startswith("FADD"):
            rounded = struct.unpack("<f", struct.pack("<f", sum(loaded)))[0]
            assert struct.unpack("<f", struct.pack("<I", value))[0] == rounded
        assert ran or sass[at].startswith("@")
    assert len(loaded) == 2
    assert sass[kernel["trace"]["moments"][-1][0]] == "EXIT"


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None or shutil.which("gcc") is None, reason="needs nvcc and gcc")
def test_a_kernel_that_never_ends_is_followed_for_a_while(shell: Shell) -> None:
    source, program = shell.folder / "k.cu", shell.folder / "k.cubin"
    source.write_text('extern "C" __global__ void k(volatile int *a) { while (a[0] >= 0) a[1] = a[1] + 1; }\n')
    subprocess.run(["nvcc", "-arch=sm_80", "-cubin", "-o", program, source], check=True, timeout=120)
    kernel = view(shell, program, CASS_HIP_LIBRARY="/nonexistent")
    assert len(kernel["trace"]["moments"]) == 2000
    assert kernel["trace"]["ended"] == "Only the first 2000 instructions are kept"


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None or shutil.which("gcc") is None, reason="needs nvcc and gcc")
def test_ptx_alone_is_shown_without_links(shell: Shell) -> None:
    source, program = shell.folder / "k.cu", shell.folder / "k.ptx"
    source.write_text('extern "C" __global__ void k(int *a) { a[threadIdx.x] = 1; }\n')
    subprocess.run(["nvcc", "-arch=sm_80", "-ptx", "-o", program, source], check=True, timeout=120)
    kernel = view(shell, program)
    assert kernel["sass"] == {"rows": [], "note": "the module holds PTX only"}
    assert any("st.global.u32" in row[0] for row in kernel["ptx"]["rows"])
    assert any("global_store_b32" in row[0] for row in kernel["rdna3"]["rows"])
    assert "not linked; the same machine code" in kernel["rdna3"]["note"]
    assert kernel["trace"]["why"] == "the module holds PTX only"


@needs_device
def test_a_lane_that_is_not_there_is_named(shell: Shell) -> None:
    kernel = view(shell, SAMPLES / "vector_add_static", "--lane", "99999")
    assert "no lane 99999, only 128" in kernel["trace"]["why"]


@needs_device
def test_a_rejected_answer_is_shown_with_its_counterexample(shell: Shell) -> None:
    """A model that answers with a subtraction; the same inputs added and subtracted give both numbers."""
    answers = shell.folder / "answers"
    shutil.copytree(ANSWERS, answers)
    for path in answers.glob("_Z10vector_add*"):
        path.write_text(path.read_text().replace("v_add_f32", "v_sub_f32"))
    program = SAMPLES / "vector_add_static"
    kernel = view(shell, program, CASS_TRANSLATORS="cass,lift", CASS_MODEL=str(answers))
    assert kernel["route"] == "lift"
    found = re.search(
        r"differs from the reference in \d+ words \[grid .* (0x\w+) instead of (0x\w+)",
        str(kernel["passed_over"]["cass"]),
    )
    assert found is not None
    assert found.group(1) != found.group(2)


def test_a_kernel_without_a_translation_has_its_reason_and_no_rdna3(shell: Shell) -> None:
    page_path = shell.folder / "page.html"
    settings = {"CASS_HIP_LIBRARY": "/nonexistent", "CASS_MIN_EVIDENCE": "E4"}
    done = shell.cass("view", SAMPLES / "vector_add_static", "-o", page_path, **settings)
    assert done.returncode == 1, done.stderr
    (kernel,) = facts(page_path.read_text())
    assert "evidence E0 is below CASS_MIN_EVIDENCE=E4" in kernel["refusal"]
    assert (kernel["route"], kernel["evidence"]) == ("", "none")
    assert kernel["rdna3"] == {"rows": [], "note": "there is no translation"}
    assert {block["evidence"] for block in kernel["blocks"]} == {"none", ""}
    assert kernel["trace"]["moments"]


def test_without_a_device_nothing_is_claimed(shell: Shell) -> None:
    kernel = view(shell, SAMPLES / "symbols_shared_sass", "--kernel", "polynomial", CASS_HIP_LIBRARY="/nonexistent")
    assert kernel["evidence"] == "E0"
    assert {block["evidence"] for block in kernel["blocks"]} <= {"E0", ""}
    assert kernel["ptx"]["note"] == "the program holds no PTX for this kernel"


def test_the_page_fetches_nothing(shell: Shell) -> None:
    view(shell, SAMPLES / "vector_add_static", CASS_HIP_LIBRARY="/nonexistent")
    text = (shell.folder / "page.html").read_text()
    assert not re.findall(r"""https?:|(?:src|href)=|url\(|@import|fetch\(""", text)


def test_hostile_names_stay_text() -> None:
    text = page("<script>@DATA@", [{"name": "</script><script>alert(1)</script>"}])
    assert text.count("<script") == 2
    assert facts(text)[0]["name"] == "</script><script>alert(1)</script>"


def test_without_a_cache_it_says_so(shell: Shell) -> None:
    done = shell.cass("view", SAMPLES / "vector_add_static", CASS_CACHE="0")
    assert done.returncode == 125
    assert "unset CASS_CACHE=0" in done.stderr


def test_wrong_kernel_is_named(shell: Shell) -> None:
    done = shell.cass("view", SAMPLES / "vector_add_static", "--kernel", "nope")
    assert done.returncode == 125
    assert "no kernel nope; it has vector_add(" in done.stderr


def test_a_page_that_cannot_be_written_is_a_clear_error(shell: Shell) -> None:
    done = shell.cass("view", SAMPLES / "vector_add_static", "-o", "/nonexistent/page.html")
    assert done.returncode == 125
    assert "name another file with -o" in done.stderr


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None or shutil.which("gcc") is None, reason="needs nvcc and gcc")
def test_nvccs_line_table_links_ptx_exactly(shell: Shell) -> None:
    source, program = shell.folder / "k.cu", shell.folder / "k"
    source.write_text(
        "__global__ void k(float *a, int n) { a[threadIdx.x] = sqrtf(a[threadIdx.x]) * n; }\nint main() {}\n"
    )
    subprocess.run(["nvcc", "-arch=sm_80", "-lineinfo", "-o", program, source], check=True, timeout=120)
    kernel = view(shell, program, CASS_HIP_LIBRARY="/nonexistent")
    assert "nvcc's own line table" in kernel["ptx"]["note"]
    sass = [row[0] for row in kernel["sass"]["rows"]]
    linked = {
        text.split()[0]: {sass[at].split(".")[0].split()[0] for at in links}
        for text, _, links, _ in kernel["ptx"]["rows"]
    }
    assert linked["ld.global.f32"] == {"LDG"}
    assert linked["st.global.f32"] == {"STG"}
    assert "MUFU" in linked["sqrt.rn.f32"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("@!P0 LDG.E.64 R4, [R4.64]", "load global"),
        ("@%p1 ld.global.nc.f32 %f1, [%rd1];", "load global"),
        ("global_load_b64 v[2:3], v[2:3], off", "load global"),
        ("LDSM.16.M88.4 R4, [R0]", "load shared"),
        ("BAR.SYNC.DEFER_BLOCKING 0x0", "barrier"),
        ("s_barrier", "barrier"),
        ("ATOMS.ADD RZ, [R2], R3", "atomic"),
        ("REDG.E.ADD.STRONG.GPU [R2.64], R5", "atomic"),
        ("IADD3 R2, R2, 0x1, RZ", ""),
        ("ret;", "end"),
    ],
)  # fmt: skip
def test_kinds(text: str, kind: str) -> None:
    assert kind_of(text) == kind


def test_order_links_what_occurs_equally_often_and_the_common_rest() -> None:
    left = [Row("ld.global.f32 %f1"), Row("bar.sync 0;"), Row("st.global.f32 %f1"), Row("st.global.f32 %f2")]
    right = [Row("BAR.SYNC 0x0"), Row("LDG.E R1"), Row("STG.E R1")]
    link_by_order(left, right)
    assert [row.links for row in left] == [[1], [0], [2], []]


def test_ptx_of_a_kernel_takes_what_it_calls_along() -> None:
    text = """.func (.param .b32 r) used(
.param .b32 x
)
{
ret; // }
}
.func other() { ret; }
.extern .func declared(.param .b32 x);
.visible .entry k()
{
call (r), used, (x);
}""".splitlines()
    shown = [number for number, _ in ptx_rows(text, "k")]
    assert shown == [9, 10, 11, 12, 1, 2, 3, 4, 5, 6]


def test_block_evidence_is_never_more_than_what_ran() -> None:
    def block(ran: int, real: int, *forms: str) -> dict[str, object]:
        return {"ran": ran, "real": real, "unvectored": list(forms)}

    assert block_evidence(block(3, 4), "E1") == "E0"
    assert block_evidence(block(4, 4), "E1u") == "E1"
    assert block_evidence(block(4, 4, "SHFL.UP"), "E1u") == "E1u"
    assert block_evidence(block(4, 4), "E0") == "E0"
    assert block_evidence(block(-1, 4), "E1u") == "E1u"
    assert block_evidence(block(3, 4), "E2") == "E0"
    assert block_evidence(block(3, 4), "E4") == "E4"
    assert block_evidence(block(0, 0), "E1") == ""
