"""The programs that record surface forms: which kernels are together, and what of their output is kept."""

from __future__ import annotations

import lzma
import subprocess
from pathlib import Path

import pytest

from tests.native.runtime_support import NEED_NVCC, built
from tools.ptxforms import surface_forms, surface_stores

# What each geometry has of them.
SIZES = {"1d": {"width"}, "2d": {"width", "height"}, "3d": {"width", "height", "depth"}, "a1d": {"width"},
         "a2d": {"width", "height"}, "cube": {"width", "height"}, "acube": {"width", "height"}}  # fmt: skip


def _of(kind: str) -> list[range]:
    """The modules whose kernels' names begin so."""
    return [part for part in surface_forms.modules() if surface_forms.cases()[part.start].name.startswith(kind)]


@pytest.mark.nvcc
@pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)
@pytest.mark.parametrize("kind", ["txq.num_mipmap_levels", "txq.width"])
def test_what_needs_the_size_of_a_descriptor_is_a_module_of_its_own(kind: str, tmp_path: Path) -> None:
    """An H200 launched no kernel of a module that has such a relocation."""
    source, cubin = tmp_path / "module.cu", tmp_path / "made.cubin"
    source.write_text(surface_forms.kernels(_of(kind)[0]))
    folder = str(Path(surface_forms.__file__).parent)
    subprocess.run(["nvcc", "-arch=sm_90", "-I", folder, "-cubin", "-o", str(cubin), str(source)], check=True)
    assert (b"refDescSize\0" in cubin.read_bytes()) == (kind == "txq.num_mipmap_levels")


@pytest.mark.nvcc
@pytest.mark.slow
@pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)
@pytest.mark.parametrize(("code", "route"), [("compute_90", "ptx-hip"), ("sm_90", "lift")])
@pytest.mark.parametrize("kinds", [("suq.width", "txq.width"), ("sured",)])
def test_queries_and_reductions_give_what_a_gpu_gave(
    kinds: tuple[str, ...], code: str, route: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [part for kind in kinds for part in _of(kind)]
    program = surface_forms.build(tmp_path, code, parts)
    monkeypatch.setenv("CASS_TRANSLATORS", route)
    lines = surface_forms.run([str(built() / "cass-run"), str(program)], parts=parts).splitlines()
    counted, wrong = surface_forms.compared("\n".join(lines))
    assert counted["equal"] == len(lines) > 90
    assert set(wrong.values()) == {"missing"}


def test_recorded_queries_are_what_textures_and_surfaces_were_made_of() -> None:
    lines = [one for one in lzma.decompress(surface_forms.RECORDED.read_bytes()).decode().splitlines() if "q." in one]
    seen = set()
    for name, geometry, _, *words in map(str.split, lines):
        query, what = name.split(".")[0], name.split(".")[1]
        if what in SIZES[geometry]:
            assert {int(word, 16) for word in words[::4]} == {surface_forms.SIDE}, (name, geometry)
            seen.add((query, what, geometry))
    assert len(seen) == 13 + 9


def test_every_kernel_is_in_one_module() -> None:
    cases, modules = surface_forms.cases(), surface_forms.modules()
    assert [number for part in modules for number in part] == list(range(len(cases)))
    assert len(cases) > 1200
    assert all(len({cases[number].name.split(".")[0] for number in part}) == 1 for part in modules)
    table = surface_forms.table(modules)
    assert all(f'{{"{case.name}", ' in table for case in cases)
    assert all(sum(line.startswith("FORM(") for line in surface_forms.kernels(part).splitlines()) == len(part)
               for part in modules)  # fmt: skip


def test_an_error_that_stays_takes_one_form_only(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\nfor n in $(seq $1 $(($2 - 1))); do\necho at $n\n'
                       '[ $n = 4 ] && exit 3\n[ $n = 6 ] && sleep 60\necho form$n 1d - 0\ndone\n')  # fmt: skip
    program.chmod(0o755)
    failed = [surface_forms.cases()[number].name for number in (4, 6)]
    assert surface_forms.printed([str(program)], range(3, 9), 2).splitlines() == [
        "form3 1d - 0", f"error {failed[0]}: exit 3", "form5 1d - 0", f"error {failed[1]}: exit -1",
        "form7 1d - 0", "form8 1d - 0"]  # fmt: skip
    assert surface_forms.printed(["/bin/false"], range(3, 9), 2) == "error 3..9: exit 1\n"


def test_what_a_gpu_printed_is_kept_and_what_it_refused_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surface_forms, "RECORDED", tmp_path / "kept.xz")
    error = "error launch cudaErrorNotSupported"
    with pytest.raises(ValueError, match="no line of a form, 2 errors"):
        surface_forms.keep(f"{error}\n{error}\n")
    assert not surface_forms.RECORDED.exists()
    said = surface_forms.keep(f"suq.width.b32 1d - 10\n{error}\ntxq.width.b32 2d 0 10\n{error}\n")
    assert said.splitlines() == ["2 lines", f"2 times {error}"]
    kept = lzma.decompress(surface_forms.RECORDED.read_bytes()).decode()
    assert surface_forms.compared(kept)[0] == {"equal": 2}
    assert surface_forms.compared(kept.replace("2d 0 10", "2d 0 11"))[0] == {"equal": 1, "different": 1}


def test_what_stores_of_several_lanes_to_one_texel_may_leave() -> None:
    name, number = "sust.b.1d.b16.clamp", 580
    store = surface_stores.store_of(name, "1d", 2)
    assert (store.count, store.element, store.outside) == (1, 2, "clamp")
    before, found = surface_stores.possible(store, number, False)
    assert len(before) == 32 and sum(map(len, found.values())) == surface_stores.LANES

    def changed(which: int) -> dict[int, int]:
        after = {at + k: values[which][k] for at, values in found.items() for k in range(2)}
        return {at: byte for at, byte in after.items() if byte != before[at]}

    assert all(surface_stores.may_stand(store, number, False, changed(which)) for which in (0, -1))
    assert changed(0) != changed(-1)
    assert not surface_stores.may_stand(store, number, False, {})
    assert not surface_stores.may_stand(store, number, False, changed(0) | {40: 1})
    place, values = next(iter(found.items()))
    other = next(byte for byte in range(256) if all(value[0] != byte for value in values))
    assert not surface_stores.may_stand(store, number, False, changed(0) | {place: other})


def test_recorded_stores_are_what_some_order_of_lanes_leaves() -> None:
    lines = [one for one in lzma.decompress(surface_forms.RECORDED.read_bytes()).decode().splitlines()
             if one.startswith("sust")]  # fmt: skip
    assert len(lines) == 420
    for line in lines[::7]:
        words = line.split()
        assert surface_forms._may_stand(line, words[3:]), line
