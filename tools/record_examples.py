"""Record what the examples print on a real NVIDIA GPU.

Run on a machine with an NVIDIA GPU and nvcc: `python3 tools/record_examples.py OUT.json` builds every example for
that GPU (`-arch=native`) and runs it; `python3 tools/record_examples.py --unpack OUT.json` writes the outputs as
`examples/expected/NAME.txt` and the machine as `examples/expected/RECORDED.json`. Standard library only.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def output_of(*command: str) -> str:
    """Standard output of a command, stripped."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def machine() -> dict[str, str]:
    """GPU, driver and toolkit that the outputs come from."""
    query = "--query-gpu=name,driver_version,compute_cap"
    name, driver, capability = output_of("nvidia-smi", query, "--format=csv,noheader").splitlines()[0].split(", ")
    toolkit = output_of("nvcc", "--version").splitlines()[-2].split(", ")[-1]
    return {"gpu": name, "driver": driver, "compute_capability": capability, "nvcc": toolkit}


def record(source: Path, folder: Path) -> dict[str, object]:
    """Build and run one example twice; the two outputs must agree."""
    program = folder / source.stem
    subprocess.run(["nvcc", "-arch=native", "-o", str(program), str(source)], check=True)
    runs = [subprocess.run([str(program)], capture_output=True, text=True, timeout=60, check=False) for _ in range(2)]
    if runs[0].stdout != runs[1].stdout or runs[0].returncode != runs[1].returncode:
        raise SystemExit(f"{source.name}: two runs differ; the example is not deterministic")
    return {"stdout": runs[0].stdout, "exit_code": runs[0].returncode}


def main(arguments: list[str]) -> None:
    """Record into a JSON file, or unpack one."""
    if arguments[:1] == ["--unpack"]:
        recorded = json.loads(Path(arguments[1]).read_text())
        folder = EXAMPLES / "expected"
        folder.mkdir(exist_ok=True)
        for name, run in recorded["examples"].items():
            (folder / f"{name}.txt").write_text(run["stdout"])
        codes = {name: run["exit_code"] for name, run in recorded["examples"].items()}
        document = {"machine": recorded["machine"], "exit_codes": codes}
        (folder / "RECORDED.json").write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        sources = sorted(EXAMPLES.glob("*.cu"))
        results = {source.stem: record(source, Path(folder)) for source in sources}
    Path(arguments[0]).write_text(json.dumps({"machine": machine(), "examples": results}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
