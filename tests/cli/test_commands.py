"""Every command on real programs: what it prints, what it writes, how it exits."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from cass_shim.cli.doctor import Check, all_checks, check_model, check_settings
from cass_shim.cli.explain import exit_status
from cass_shim.cli.main import COMMANDS, cli
from cass_shim.cli.precompile import program_files
from cass_shim.cli.programs import demangled
from cass_shim.model.config import Config
from tests.cli.conftest import SAMPLES, Shell

PROGRAM = SAMPLES / "vector_add_static"
KERNEL = "_Z10vector_addPKfS0_Pfi"


def test_every_command_loads() -> None:
    for name in COMMANDS:
        assert cli.get_command(None, name) is not None  # type: ignore[arg-type]


def test_inspect_shows_what_the_program_holds(shell: Shell) -> None:
    done = shell.cass("inspect", PROGRAM, "--json")
    assert done.returncode == 0, done.stderr
    (kernel,) = json.loads(done.stdout)["kernels"]
    facts = {name: kernel[name] for name in ("kernel", "sm", "has_ptx", "params_bytes", "route", "evidence", "cache")}
    assert facts == {
        "kernel": KERNEL,
        "sm": 80,
        "has_ptx": True,
        "params_bytes": 28,
        "route": "lift?",
        "evidence": "",
        "cache": "absent",
    }
    table = shell.cass("inspect", PROGRAM).stdout
    assert "vector_add(float const*, float const*, float*, int)" in table
    assert "sm_80 ptx_80" in table


def test_inspect_says_what_c_would_refuse(shell: Shell) -> None:
    """A damaged entry is not "ready": the client's own reader decides, through the cffi module."""
    assert shell.cass("precompile", PROGRAM).returncode == 0
    (entry,) = (shell.folder / "cache").glob("v*/*/code/*/*")
    whole = entry.read_bytes()
    entry.chmod(0o600)
    entry.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    (kernel,) = json.loads(shell.cass("inspect", PROGRAM, "--json").stdout)["kernels"]
    assert kernel["cache"] == "damaged"
    entry.write_bytes(whole)
    (kernel,) = json.loads(shell.cass("inspect", PROGRAM, "--json").stdout)["kernels"]
    assert kernel["cache"] == "ready"


def test_precompile_explain_inspect_and_rollback_agree(shell: Shell) -> None:
    done = shell.cass("precompile", SAMPLES)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kernels are in the cache" in done.stdout
    (kernel,) = json.loads(shell.cass("inspect", PROGRAM, "--json").stdout)["kernels"]
    assert (kernel["cache"], kernel["route"], kernel["evidence"]) == ("ready", "lift", "E0")
    told = shell.cass("explain", PROGRAM).stdout
    assert "route      lift, evidence E0, cache ready" in told
    assert "no device to run on" in told
    facts = json.loads(shell.cass("cache", "stats", "--json").stdout)
    assert facts["kernels"] >= 3
    assert facts["counters"]["translations"] == facts["kernels"]
    assert 'cass_cache_evidence{kind="E0"}' in shell.cass("cache", "stats", "--prometheus").stdout
    assert "taken out of use, 0 left" in shell.cass("cache", "rollback", "vector_add").stdout
    (kernel,) = json.loads(shell.cass("inspect", PROGRAM, "--json").stdout)["kernels"]
    assert kernel["cache"] == "absent"
    assert shell.cass("cache", "rollback", "vector_add").returncode == 1
    assert "0 bytes left" in shell.cass("cache", "gc", "--size", "0").stdout


def test_every_stage_can_be_entered_from_a_file(shell: Shell) -> None:
    out = shell.folder / "out"
    assert shell.cass("extract", PROGRAM, "--out", out).returncode == 0
    (cubin,) = out.glob("*.cubin")
    (ptx,) = out.glob("*.ptx")
    listing = shell.cass("decode", cubin, "-k", "vector_add").stdout
    assert "EXIT" in listing
    assert f"{KERNEL}:" in listing
    ways = ((cubin, "lift", ("--route", "lift"), "ll"), (ptx, "ptx-hip", ("--to", "hip"), "hip"))
    for file, route, option, extension in ways:
        base = f"{KERNEL}.{route}"
        done = shell.cass("translate", file, *option, "--out", out)
        assert str(out / f"{base}.{extension}") in done.stdout, done.stderr
        done = shell.cass("assemble", out / f"{base}.{extension}", "--out", out)
        assert "VGPRs" in done.stdout, done.stderr
        done = shell.cass("verify", out / f"{base}.hsaco", "--against", cubin)
        assert done.stdout.startswith("E0\n"), done.stderr


def test_a_language_and_a_route_that_does_not_write_it_are_refused(shell: Shell) -> None:
    done = shell.cass("translate", PROGRAM, "--to", "hip", "--route", "lift")
    assert done.returncode == 2
    assert "--to hip is route ptx-hip, not lift" in done.stderr


def test_a_wrong_code_object_is_rejected(shell: Shell) -> None:
    out = shell.folder / "out"
    shell.cass("extract", PROGRAM, "--out", out)
    (cubin,) = out.glob("*.cubin")
    shell.cass("translate", cubin, "--out", out)
    shell.cass("assemble", out / f"{KERNEL}.lift.ll", "--out", out)
    sidecar = out / f"{KERNEL}.lift.json"
    value = json.loads(sidecar.read_text())
    value["symbol"] = "something_else"
    sidecar.write_text(json.dumps(value))
    assert shell.cass("verify", out / f"{KERNEL}.lift.hsaco", "--against", cubin).returncode in (1, 125)


def test_daemon_start_status_stop(shell: Shell) -> None:
    assert shell.cass("daemon", "status").returncode == 1
    assert shell.cass("daemon", "start").returncode == 0
    facts = json.loads(shell.cass("daemon", "status", "--json").stdout)
    assert facts["running"]
    assert shell.cass("daemon", "start").returncode == 0
    assert json.loads(shell.cass("daemon", "status", "--json").stdout)["pid"] == facts["pid"]
    assert shell.cass("daemon", "stop").stdout == "stopped\n"
    assert shell.cass("daemon", "stop").stdout == "not running\n"


@pytest.mark.parametrize("command", ["inspect", "decode", "extract", "explain", "precompile"])
def test_files_that_are_no_programs_are_one_line(shell: Shell, command: str) -> None:
    (shell.folder / "text").write_text("hello")
    (shell.folder / "cut").write_bytes(PROGRAM.read_bytes()[:5000])
    for name in ("text", "cut", "missing", "."):
        done = shell.cass(command, name)
        assert "Traceback" not in done.stderr, done.stderr
        if name in ("text", "missing"):
            read = (command, name) == ("precompile", "text")  # it goes on with other files, and has none
            assert done.returncode == (1 if read else 125), (command, name)
            assert len((done.stderr or done.stdout).splitlines()) >= 1


def test_a_program_without_cuda_says_so(shell: Shell) -> None:
    done = shell.cass("inspect", "/bin/true")
    assert done.returncode == 0
    assert "no CUDA kernels" in done.stdout


def test_wrong_settings_are_125(shell: Shell) -> None:
    done = shell.cass("inspect", PROGRAM, CASS_DEVICE="cuda")
    assert (done.returncode, done.stderr) == (125, "cass: CASS_DEVICE='cuda': expected auto or hip or emulated\n")


def test_dry_run_translates_and_does_not_run(shell: Shell) -> None:
    done = shell.cass("run", "--dry-run", "--", PROGRAM)
    assert done.returncode == 0, done.stderr
    assert "route      lift" in done.stdout
    assert shell.cass("run", "--dry-run", "--", "no-such-program").returncode == 127


def test_statuses_of_children_are_a_shell_s() -> None:
    assert [exit_status(code) for code in (0, 3, -9, -11)] == [0, 3, 137, 139]


def test_doctor_names_every_part_and_a_fix_for_what_is_wrong(shell: Shell) -> None:
    done = shell.cass("doctor", "--json")
    checks = {one["name"]: one for one in json.loads(done.stdout)}
    assert {"packages", "native parts", "toolchain", "nvdisasm", "cache", "daemon"} <= set(checks)
    assert checks["toolchain"]["state"] == "ok"
    assert checks["daemon"]["state"] == "ok"
    assert all(one["fix"] for one in checks.values() if one["state"] != "ok")
    broken = any(one["state"] == "broken" for one in checks.values())
    assert done.returncode == int(broken)


def test_doctor_sees_what_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    environment = {"CASS_CACHE_DIR": str(shared), "CASS_RUNTIME_DIR": str(shared), "CASS_DEVICE": "hip"}
    monkeypatch.setenv("HSA_OVERRIDE_GFX_VERSION", "11.0.0")
    found: dict[str, Check] = {one.name: one for one in all_checks(Config.read(environment))}
    assert found["cache"].state == "broken"
    assert found["daemon"].state == "broken"
    assert found["environment"].state == "warning"
    assert found["AMD device"].state in ("broken", "ok")


def test_names_are_printed_as_cpp_has_them() -> None:
    assert demangled("_Z3addPfi") == "add(float*, int)"
    assert demangled("plain") == "plain"
    assert demangled("_Zbroken") == "_Zbroken"


def test_only_files_that_may_hold_code_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\x7fELF")
    (tmp_path / "b.ptx").write_text(".version 8.0")
    (tmp_path / "c.txt").write_text("no")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert [path.name for path in program_files([tmp_path])] == ["a", "b.ptx"]


def test_cass_run_hands_over(shell: Shell) -> None:
    from cass_shim.native.build import BUILD

    launcher = BUILD / "cass-run"
    if not launcher.exists():
        pytest.skip("cass-run is not built")
    done = subprocess.run(
        [launcher, "--dry-run", "--", PROGRAM],
        env=shell.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "route      lift" in done.stdout


def test_doctor_names_variables_that_are_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASS_TRANSLATOR", "lift")
    monkeypatch.setenv("CASS_SIGNING_KEY_FILE_OF_MINE", "x")
    monkeypatch.setenv("CASS_EMU_THREADS", "1")
    found = {one.detail.split()[0]: one for one in check_settings() if one.state == "warning"}
    assert found.keys() == {"CASS_TRANSLATOR", "CASS_SIGNING_KEY_FILE_OF_MINE"}
    assert found["CASS_TRANSLATOR"].fix == "did you mean CASS_TRANSLATORS?"
    monkeypatch.delenv("CASS_TRANSLATOR")
    monkeypatch.delenv("CASS_SIGNING_KEY_FILE_OF_MINE")
    monkeypatch.setenv("CASS_DEVICE", "emulated")
    (row,) = check_settings()
    assert row.state == "ok" and "CASS_DEVICE" in row.detail


def test_doctor_says_what_the_model_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cass_shim.translate.cass import models
    from tests.translate.cass.test_fields import folder_of

    def found(**settings: str) -> list[Check]:
        return list(check_model(Config.read(settings)))

    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setattr(models, "SHIPPED", tmp_path / "nothing")
    assert found() == []
    assert [(one.state, bool(one.fix)) for one in found(CASS_TRANSLATORS="cass,lift")] == [("warning", True)]
    settings = {"CASS_TRANSLATORS": "cass", "CASS_MODEL": str(folder_of(tmp_path))}
    monkeypatch.setattr("cass_shim.cli.doctor.find_spec", lambda name: None)
    assert "needs torch" in found(**settings)[0].detail
    monkeypatch.setattr("cass_shim.cli.doctor.find_spec", lambda name: name)
    monkeypatch.setattr("cass_shim.cli.doctor.KFD", tmp_path / "kfd")
    assert found(**settings)[0].state == "ok"
    (tmp_path / "kfd").touch()  # a machine with an AMD card
    for built, state in (("cu130", "warning"), ("cpu", "warning"), ("", "warning"), ("rocm6.4", "ok")):
        monkeypatch.setattr("cass_shim.cli.doctor.torch_build", lambda built=built: built)
        (row,) = found(**settings)
        assert row.state == state, row
        assert state == "ok" or all(word in row.fix for word in ("ROCm", "llama.cpp", "vLLM", "CASS_MODEL"))
