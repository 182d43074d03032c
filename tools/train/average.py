"""The mean of checkpoints of one run: what a falling rate gives at its end, as far as few of them can.

    python3 -m tools.train.average OUT CHECKPOINT CHECKPOINT…

Where a training was cut off at a high rate, its weights stand anywhere around the place that they would settle at;
the mean of several is nearer (Kaddour 2022, "Stop wasting my time! Saving days of ImageNet and BERT training with
latest weight averaging").
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

JSON = ("config.json", "vocabulary.json", "model.safetensors.index.json")


def average(out: Path, checkpoints: Sequence[Path]) -> None:
    """Write the mean. Raises ValueError where vocabularies or shards differ."""
    last = checkpoints[-1]
    shards = sorted(file.name for file in last.glob("*.safetensors"))
    for one in checkpoints:
        if sorted(file.name for file in one.glob("*.safetensors")) != shards:
            raise ValueError(f"{one} has other shards than {last}")
        if (one / "vocabulary.json").read_text() != (last / "vocabulary.json").read_text():
            raise ValueError(f"{one} has another vocabulary than {last}")
    out.mkdir(parents=True, exist_ok=True)
    for name in shards:
        stored = [load_file(one / name) for one in checkpoints]
        mean = {key: torch.stack([one[key].float() for one in stored]).mean(0).bfloat16() for key in stored[0]}
        save_file(mean, out / name, metadata={"format": "pt"})
        (out / name).chmod(0o644)
    for name in JSON:
        shutil.copy(last / name, out / name)
    contracts: list[dict[str, Any]] = [json.loads((one / "cass_contract.json").read_text()) for one in checkpoints]
    facts = {**contracts[-1], "mean_of_steps": [one["steps"] for one in contracts]}
    facts.pop("exact_match", None)  # of the last one alone
    (out / "cass_contract.json").write_text(json.dumps(facts, indent=1) + "\n")


def main(arguments: list[str]) -> int:
    """Returns the exit status."""
    if len(arguments) < 3:
        print(__doc__)
        return 2
    average(Path(arguments[0]), [Path(one) for one in arguments[1:]])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
