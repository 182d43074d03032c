"""The pipeline's order and policy, with stages that do what a test tells them; and once with the real ones."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from cass_shim import pipeline
from cass_shim.cli.programs import find_modules
from cass_shim.model.artifacts import CodeObject, Evidence, LlvmModule, Verified
from cass_shim.model.config import SM_ORDER, Config
from cass_shim.model.entry import read_entry
from cass_shim.model.errors import Malformed, Rejected, Unsupported
from cass_shim.model.kernel_abi import AbiClass
from cass_shim.model.sidecar import read_sidecar
from cass_shim.module import Module, load_module, module_manifest
from cass_shim.pipeline import NoTranslation, Work, translate

SAMPLES = Path(__file__).resolve().parents[1] / "examples" / "prebuilt"
KERNEL = "_Z10vector_addPKfS0_Pfi"


@pytest.fixture(scope="module")
def module() -> Module:
    (found,) = find_modules(SAMPLES / "vector_add_static", Config())
    return found.module


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Translators that answer with their own name or raise `stages[name]`; evidence is `stages["evidence"]`."""
    behaviour: dict[str, object] = {"evidence": Evidence.E1}

    def translator(name: str) -> object:
        def run(work: Work) -> LlvmModule:
            error = behaviour.get(name)
            if isinstance(error, Exception):
                raise error
            return LlvmModule(f"; {name}", work.kernel)

        return run

    def assemble(source: LlvmModule, abi: object) -> CodeObject:
        return CodeObject(source.text.encode(), source.symbol, AbiClass.CASS1, (), 0, provenance={"by": source.text})

    def verify(work: Work, code: CodeObject, route: str = "", seed: int = 1) -> Verified:
        behaviour.setdefault("seeds", {})[route] = seed  # type: ignore[index]
        error = behaviour.get("verify")
        if isinstance(error, Exception) and bytes(behaviour.get("wrong", b"lift")) in code.elf:  # type: ignore[call-overload]
            raise error
        evidence = behaviour["evidence"]
        assert isinstance(evidence, Evidence)
        return Verified(code, evidence, {"seed": 1})

    monkeypatch.setattr(pipeline, "TRANSLATORS", {name: translator(name) for name in ("cass", "lift", "ptx-hip")})
    monkeypatch.setattr(pipeline, "assemble", assemble)
    monkeypatch.setattr(pipeline, "verify", verify)
    return behaviour


def test_the_first_translator_serves(module: Module, stages: dict[str, object]) -> None:
    answer = translate(module, KERNEL, Config())
    assert (answer.record.route, answer.record.evidence, dict(answer.record.passed_over)) == ("lift", "E1", {})
    entry = read_entry(answer.content)
    assert entry.key.hex() == answer.record.key == module.key(KERNEL, "gfx1100").digest.hex()
    assert (entry.route, entry.code.elf) == ("lift", b"; lift")
    assert answer.record.provenance["by"] == "; lift"


def test_the_order_is_the_policy_s(module: Module, stages: dict[str, object]) -> None:
    config = dataclasses.replace(Config(), translators="cass, ptx-hip")
    assert translate(module, KERNEL, config).record.route == "cass"


def test_a_model_is_judged_on_inputs_its_search_never_met(module: Module, stages: dict[str, object]) -> None:
    translate(module, KERNEL, dataclasses.replace(Config(), translators="cass"))
    translate(module, KERNEL, Config())
    assert stages["seeds"] == {"cass": pipeline.FINAL_SEED, "lift": 1}


def test_what_fails_only_in_the_final_check_says_so(module: Module, stages: dict[str, object]) -> None:
    stages["verify"] = Rejected("differs", kernel=KERNEL)
    stages["wrong"] = b"cass"
    answer = translate(module, KERNEL, dataclasses.replace(Config(), translators="cass,ptx-hip"))
    assert answer.record.route == "ptx-hip"
    assert answer.record.passed_over["cass"].startswith("only in the final check on fresh inputs:")


@pytest.mark.parametrize("stage", ["lift", "verify"])
@pytest.mark.parametrize(
    "error",
    [
        Unsupported("HGMMA", kernel="k", address=16),
        Rejected("differs", witness="seed 3"),
        Malformed("bad"),
        OSError(28, "No space left on device"),
        ImportError("gone"),
        KeyError("a bug"),
        RecursionError("deep"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_one_translator_raises_the_next_serves(
    module: Module, stages: dict[str, object], stage: str, error: Exception
) -> None:
    stages[stage] = error
    answer = translate(module, KERNEL, Config())
    assert answer.record.route == "ptx-hip"
    assert list(answer.record.passed_over) == ["lift"]
    assert answer.record.passed_over["lift"]


def test_every_reason_is_told(module: Module, stages: dict[str, object]) -> None:
    stages["lift"], stages["ptx-hip"] = Unsupported("HGMMA"), ZeroDivisionError("oops")
    config = dataclasses.replace(Config(), translators="lift,ptx-hip,magic")
    with pytest.raises(NoTranslation) as caught:
        translate(module, KERNEL, config)
    text = str(caught.value)
    assert KERNEL in text
    assert "lift: unsupported HGMMA" in text
    assert "ptx-hip: internal error, ZeroDivisionError: oops" in text
    assert "magic: unsupported translator magic: known are cass, lift, ptx-hip" in text


def test_evidence_below_the_bar_is_refused(module: Module, stages: dict[str, object]) -> None:
    stages["evidence"] = Evidence.E1U
    assert translate(module, KERNEL, dataclasses.replace(Config(), min_evidence="E1u")).record.evidence == "E1u"
    with pytest.raises(NoTranslation, match="evidence E1u is below CASS_MIN_EVIDENCE=E2"):
        translate(module, KERNEL, dataclasses.replace(Config(), min_evidence="E2"))


def test_an_unknown_kernel_is_malformed(module: Module) -> None:
    with pytest.raises(Malformed, match="no kernel nothing"):
        translate(module, "nothing", Config())


def test_artifacts_are_kept(module: Module, stages: dict[str, object], tmp_path: Path) -> None:
    translate(module, KERNEL, dataclasses.replace(Config(), keep=str(tmp_path / "kept")))
    names = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert names == [f"{KERNEL}.lift.{extension}" for extension in ("hsaco", "json", "ll")]
    sidecar = read_sidecar((tmp_path / "kept" / f"{KERNEL}.lift.json").read_text())
    assert (sidecar.kernel, sidecar.route, sidecar.abi) == (KERNEL, "lift", module.kernels[KERNEL])


def test_a_directory_that_cannot_be_written_keeps_nothing(module: Module, stages: dict[str, object]) -> None:
    assert translate(module, KERNEL, dataclasses.replace(Config(), keep="/proc/nowhere")).record.route == "lift"


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"kernel": "k", "abi": {"params": 3}})])
def test_a_bad_sidecar_is_malformed(text: str) -> None:
    with pytest.raises(Malformed, match="not a sidecar"):
        read_sidecar(text)


# ---- modules ------------------------------------------------------------------------------------------------


def test_a_region_gives_the_module_that_the_program_registers(module: Module) -> None:
    (found,) = find_modules(SAMPLES / "vector_add_static", Config())
    again = load_module(found.region, found.entry_offset, found.digest)
    assert again.digest == module.digest == found.digest
    assert again.ptx is not None
    with pytest.raises(Malformed, match="lies elsewhere"):
        load_module(found.region, found.entry_offset + 8, found.digest)


def test_an_entry_without_code_has_no_kernels(module: Module) -> None:
    (found,) = find_modules(SAMPLES / "vector_add_static", Config())
    empty = load_module(found.region, found.entry_offset, bytes(32))
    assert dict(empty.kernels) == {}
    assert module_manifest(empty, "gfx1100").module == bytes(32)


def test_ptx_alone_has_the_same_kernels(module: Module) -> None:
    assert module.ptx is not None
    alone = load_module(module.ptx.text.encode())
    assert list(alone.kernels) == list(module.kernels)
    assert alone.kernels[KERNEL].params == module.kernels[KERNEL].params
    assert alone.key(KERNEL, "gfx1100").digest != module.key(KERNEL, "gfx1100").digest


def test_ptx_alone_is_unsupported_for_what_reads_sass(module: Module) -> None:
    assert module.ptx is not None
    alone = load_module(module.ptx.text.encode())
    config = dataclasses.replace(Config(), translators="lift")
    with pytest.raises(NoTranslation, match="PTX-only module"):
        translate(alone, KERNEL, config)


def test_the_order_of_generations_has_no_doubles() -> None:
    assert len(set(SM_ORDER)) == len(SM_ORDER)


@pytest.mark.parametrize("route", ["lift", "ptx-hip"])
def test_a_real_kernel_goes_the_whole_way(module: Module, route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Contract checks at least; the agreement with the reference has tests of its own."""
    monkeypatch.setenv("CASS_HIP_LIBRARY", "/nonexistent")
    answer = translate(module, KERNEL, dataclasses.replace(Config(), translators=route))
    assert answer.record.route == route
    assert read_entry(answer.content).code.elf.startswith(b"\x7fELF")
