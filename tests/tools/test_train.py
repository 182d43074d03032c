"""The trainer's batches and its rehearsal; the network's weights are of no interest here."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="no torch")
pytest.importorskip("transformers", reason="no transformers")
pytest.importorskip("safetensors", reason="no safetensors")

from safetensors.torch import load_file  # noqa: E402

from cass_shim.model.config import Config  # noqa: E402
from cass_shim.translate.cass import translate_kernel  # noqa: E402
from cass_shim.translate.cass.vocabulary import END  # noqa: E402
from tests.translate.cass.test_fields import (  # noqa: E402
    VECTOR_ADD,
    check,
    joined,
    kernel,
    source_lines,
    target_lines,
    vocabulary,
)
from tools import environment  # noqa: E402
from tools.train.__main__ import Trainer, main, options_of  # noqa: E402
from tools.train.average import average  # noqa: E402
from tools.train.data import batches, load, rename_registers  # noqa: E402
from tools.train.network import make, precision, read_weights, write  # noqa: E402
from tools.train.optimizer import Muon, make_optimizers, orthogonal  # noqa: E402

TOKENS = ["<pad>", "<start>", "<answer>", "<end>", "<newline>", *(f"#{n}" for n in range(256)), "EXIT", "R", "s_endpgm"]


def make_set(folder: Path, amount: int = 60) -> Path:
    """Pairs of 6 to 45 tokens: a prompt of some EXITs, the answer s_endpgm."""
    rng = np.random.default_rng(1)
    one = [[1, *[261] * int(rng.integers(2, 40)), 2, 263, 3] for _ in range(amount)]
    for name in ("train", "seeds", "families"):
        np.savez_compressed(
            folder / f"{name}.npz",
            ids=np.concatenate([np.array(ids, np.uint16) for ids in one]),
            starts=np.cumsum([0, *map(len, one)]),
            answers=np.array([len(ids) - 2 for ids in one], np.int32),
            families=np.zeros(amount, np.uint8),
            names=np.array(["straight"]),
        )
    (folder / "vocabulary.json").write_text(json.dumps({"format": 1, "tokens": TOKENS}))
    return folder


def test_batches_hold_every_pair_once_and_little_padding(tmp_path: Path) -> None:
    split = load(make_set(tmp_path) / "train.npz", "cpu")
    made = list(batches(split, 200, 2048, np.random.default_rng(1)))
    assert sorted(np.concatenate(made).tolist()) == list(range(60))
    assert all(split.lengths[one].max() * len(one) <= 200 for one in made)
    ids, answers = split.batch(made[0], 1)
    for row, number in enumerate(made[0]):
        length = int(split.lengths[number])
        assert ids[row, :length].tolist() == [1, *[261] * (length - 4), 2, 263, 3]
        assert not ids[row, length:].any()
        assert answers[row].nonzero().flatten().tolist() == [length - 2, length - 1]


def test_registers_are_renamed_four_by_four_and_nothing_else() -> None:
    register, zero = TOKENS.index("R"), TOKENS.index("#0")
    row = [1, register, zero + 2, register, zero + 3, zero + 2, register, zero + 200, 261]
    ids = torch.tensor([row] * 50)
    assert torch.equal(rename_registers(ids, register, zero, 0.0), ids)
    torch.manual_seed(1)
    renamed = rename_registers(ids, register, zero, 1.0)
    kept = [0, 1, 3, 5, 6, 7, 8]
    assert torch.equal(renamed[:, kept], ids[:, kept])
    first, second = renamed[:, 2] - zero, renamed[:, 4] - zero
    assert torch.equal(first % 4, torch.full((50,), 2))
    assert torch.equal(second, first + 1)
    assert len(set(first.tolist())) > 5


def test_a_rehearsal_leaves_a_checkpoint_and_goes_on(tmp_path: Path) -> None:
    out, state = tmp_path / "out", tmp_path / "state.pt"
    command = [str(make_set(tmp_path, 200)), str(out), "--rehearse", "--batch", "512", "--state", str(state)]
    assert main([*command, "--minutes", "0.02", "--measure-s", "4"]) == 0
    assert {path.name for path in out.iterdir()} == {
        "cass_contract.json", "config.json", "model-00001-of-00001.safetensors", "model.safetensors.index.json",
        "vocabulary.json",
    }  # fmt: skip
    contract = json.loads((out / "cass_contract.json").read_text())
    assert contract["contract"] == "fields-3"
    assert contract["exact_match"]["seeds"]["tried"] > 0
    assert main([*command, "--minutes", "0.02", "--measure-s", "4"]) == 0
    assert json.loads((out / "cass_contract.json").read_text())["steps"] == contract["steps"]


def test_a_set_that_is_packed_again_is_read_at_the_next_pass(tmp_path: Path) -> None:
    folder = make_set(tmp_path)
    trainer = Trainer(options_of([str(folder), str(tmp_path / "out"), "--rehearse", "--grows"]))
    split = trainer.pairs_of()
    assert trainer.grown(split) is split
    make_set(tmp_path, 200)
    more = trainer.grown(split)
    assert (len(split), len(more), trainer.pairs) == (60, 200, 200)
    assert trainer.grown(more) is more


def test_the_rate_falls_from_its_peak_straight_to_nothing(tmp_path: Path) -> None:
    trainer = Trainer(options_of([str(make_set(tmp_path)), str(tmp_path / "out"), "--rehearse", "--rate", "2.0"]))
    assert trainer.fraction(0.0) == pytest.approx(0.005)
    trainer.step = 1000
    assert [trainer.fraction(share) for share in (0.0, 0.5, 1.0, 1.1)] == [1.0, 0.5, 0.0, 0.0]
    split = load(tmp_path / "train.npz", "cpu")
    trainer.learn(split, np.arange(4), 0.5)
    rates = {group["lr"] for optimizer in trainer.optimizers for group in optimizer.param_groups}
    assert rates == {1.0, 0.5 * trainer.options.muon_rate}


def test_what_goes_on_from_weights_sees_long_pairs_at_once_and_none_too_long(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_set(tmp_path)
    first, more = tmp_path / "first", tmp_path / "more"
    command = [str(tmp_path), str(first), "--rehearse", "--batch", "256", "--steps", "2", "--print-every", "0"]
    assert main([*command, "--measure-s", "1"]) == 0
    assert " longest 512 " in capsys.readouterr().out
    command[1] = str(more)
    assert main([*command, "--init", str(first), "--bf16", "--warmup", "1", "--longest", "30", "--measure-s", "1"]) == 0
    assert " longest 30 " in capsys.readouterr().out


def test_a_processor_computes_in_bf16_where_it_is_told_to(tmp_path: Path) -> None:
    trainer = Trainer(options_of([str(make_set(tmp_path)), str(tmp_path / "out"), "--rehearse", "--bf16"]))
    assert {one.dtype for one in trainer.weights} == {torch.bfloat16}
    assert {one.dtype for one in trainer.masters} == {torch.float32}
    before = trainer.learn(load(tmp_path / "train.npz", "cpu"), np.arange(8), 0.0)
    assert np.isfinite(before)


@pytest.mark.parametrize("shape", [(3, 8, 32), (2, 32, 8), (1, 16, 16)])
def test_muon_s_steps_are_nearly_orthogonal(shape: tuple[int, ...]) -> None:
    torch.manual_seed(1)
    values = torch.linalg.svdvals(orthogonal(torch.randn(shape)))
    assert values.min() > 0.5
    assert values.max() < 1.3


def test_muon_has_the_matrices_of_layers_and_adamw_the_rest() -> None:
    network = make("tiny", TOKENS, "cpu")
    masters = dict(network.named_parameters())
    adam, muon = make_optimizers(masters, 1e-3, 4e-3)
    learned = {id(one) for group in muon.param_groups for one in group["params"]}
    assert learned == {id(one) for name, one in masters.items() if name.endswith("_proj.weight")}
    others = {id(one) for group in adam.param_groups for one in group["params"]}
    assert others == {id(one) for one in masters.values()} - learned
    (only,) = make_optimizers(masters, 1e-3, 0.0)
    assert sum(len(group["params"]) for group in only.param_groups) == len(masters)


def test_muon_steps_downhill_by_the_rate_and_a_stored_state_gives_the_same_step() -> None:
    torch.manual_seed(1)
    first = [torch.randn(8, 8).requires_grad_(), torch.randn(8, 8).requires_grad_(), torch.randn(4, 8).requires_grad_()]
    wanted = [torch.randn(one.shape) for one in first]

    def descend(weights: list[Any], optimizer: Muon) -> None:
        for one, goal in zip(weights, wanted, strict=True):
            one.grad = (one - goal).detach()
        optimizer.step()

    optimizer, before = Muon(first, 0.1), [one.detach().clone() for one in first]
    descend(first, optimizer)
    for one, old in zip(first, before, strict=True):
        assert (one - old * (1 - 0.1 * 0.1)).detach().square().mean().sqrt().item() == pytest.approx(0.02, rel=0.5)
    second = [one.detach().clone().requires_grad_() for one in first]
    other = Muon(second, 0.5)  # the stored state brings its rate
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    descend(first, optimizer)
    descend(second, other)
    for one, same in zip(first, second, strict=True):
        assert torch.equal(one, same)
    for _ in range(200):
        descend(first, optimizer)
    for one, old, goal in zip(first, before, wanted, strict=True):
        assert (one - goal).detach().norm() < 0.6 * (old - goal).norm()


def trained(folder: Path, name: str, *more: str) -> dict[str, Any]:
    """What some steps on the processor leave, by a process of its own or several."""
    state = folder / f"{name}.pt"
    command = [sys.executable, "-m", "tools.train", str(folder), str(folder / name), "--rehearse", "--steps", "8"]
    command += ["--batch", "256", "--measure-s", "0.1", "--state", str(state), *more]
    done = subprocess.run(command, check=True, cwd=environment.ROOT, capture_output=True, text=True)
    assert done.stdout.count("weights on") == done.stdout.count("seeds: ") == 1  # one writes and measures
    stored: dict[str, Any] = torch.load(state, weights_only=True)
    return stored


def test_two_processes_with_half_the_rows_each_step_as_one_with_all(tmp_path: Path) -> None:
    """Two, of a set whose last batches hold one pair only: the process without rows must count for nothing."""
    make_set(tmp_path, 61)
    one, two = trained(tmp_path, "one"), trained(tmp_path, "two", "--gpus", "2", "--grows")
    assert one["step"] == two["step"] == 8
    fresh = trained(tmp_path, "fresh", "--steps", "1", "--rate", "0", "--muon-rate", "0")
    moved = [(first - start).abs().max().item() for first, start in zip(one["masters"], fresh["masters"], strict=True)]
    assert sum(moved) > 1e-3
    for first, second in zip(one["masters"], two["masters"], strict=True):
        assert torch.allclose(first, second, atol=1e-5), (first - second).abs().max()
    contract = json.loads((tmp_path / "two" / "cass_contract.json").read_text())
    assert contract["steps"] == one["step"]


def test_processes_that_see_different_sets_read_again_until_they_see_the_same(tmp_path: Path) -> None:
    """One of two finds the set packed anew a moment before the other does."""
    make_set(tmp_path, 40)
    (tmp_path / "member.py").write_text(GROWING)
    program = "import sys; from tools.train.team import spawn; sys.exit(spawn(2, 'member', sys.argv[1:]))"
    path = os.pathsep.join((str(tmp_path), str(environment.ROOT)))
    command = [sys.executable, "-c", program, str(tmp_path), str(tmp_path / "out"), "--rehearse"]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=False, timeout=120)
    assert done.returncode == 0
    assert {(tmp_path / f"{rank}.txt").read_text() for rank in range(2)} == {"20 20"}


GROWING = """
import os, sys, time
import torch
from pathlib import Path
from tests.tools.test_train import make_set
from tools.train.__main__ import Trainer, options_of
folder, rank = Path(sys.argv[1]), int(os.environ["RANK"])
trainer = Trainer(options_of(sys.argv[1:]))
split = trainer.pairs_of()
if rank == 0:
    make_set(folder, 20)
    (folder / "made").touch()
while not (folder / "made").exists():
    time.sleep(0.01)
if rank == 1:  # it read what the other one has not seen yet
    split = trainer.pairs_of()
split = trainer.grown(split)
(folder / f"{rank}.txt").write_text(f"{trainer.pairs} {len(split.lengths)}")
trainer.team.leave()
"""


@pytest.mark.parametrize(
    "device, wanted", [("cuda", torch.bfloat16), ("cuda:3", torch.bfloat16), ("cpu", torch.float32)]
)
def test_every_gpu_of_a_team_computes_in_bf16(device: str, wanted: Any) -> None:
    assert precision(device) == wanted


def test_a_member_of_the_team_that_fails_ends_the_others(tmp_path: Path) -> None:
    (tmp_path / "member.py").write_text(
        "import os, sys, time\nsys.exit(3) if os.environ['RANK'] == '1' else time.sleep(60)\n"
    )
    program = "import sys; from tools.train.team import spawn; sys.exit(spawn(2, 'member', []))"
    path = os.pathsep.join((str(tmp_path), str(environment.ROOT)))
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, check=False)
    assert done.returncode
    assert time.monotonic() - started < 40


def test_training_takes_some_families_only(tmp_path: Path) -> None:
    make_set(tmp_path, 10)
    split = load(tmp_path / "train.npz", "cpu")
    split.families[3:5], split.names = 1, ["straight", "loop"]
    some = split.of_families(["loop"])
    assert len(some) == 2
    for number, row in enumerate((3, 4)):
        (ids, answers), (wanted, right) = some.batch(np.array([number]), 1), split.batch(np.array([row]), 1)
        assert torch.equal(ids, wanted)
        assert torch.equal(answers, right)
        assert some.answered[number] == right.sum().item()
    with pytest.raises(ValueError, match="no such"):
        split.of_families(["no such"])


@pytest.mark.slow
def test_a_network_that_knows_one_kernel_by_heart_serves_it(tmp_path: Path) -> None:
    """From training to a verified translation, with nothing in between that a real checkpoint would not use."""
    sass, _ = kernel()
    answer = joined(target_lines(VECTOR_ADD.splitlines()))
    words = vocabulary()
    ids = [*words.prompt(joined(source_lines(sass))), *words.encode(answer), words.ids[END]]
    words.write(tmp_path)
    np.savez_compressed(
        tmp_path / "train.npz",
        ids=np.array(ids, np.uint16),
        starts=np.array([0, len(ids)]),
        answers=np.array([len(ids) - len(words.encode(answer)) - 1], np.int32),
        families=np.zeros(1, np.uint8),
        names=np.array(["guard"]),
    )
    options = options_of([str(tmp_path), str(tmp_path / "out"), "--rehearse", "--rate", "1e-2", "--rename", "0"])
    trainer, split = Trainer(options), load(tmp_path / "train.npz", "cpu")
    trainer.step = 100  # past most of the warm-up
    for _ in range(400):
        if trainer.learn(split, np.array([0]), 0.0) < 0.01:
            break
    trainer.save(1.0)
    config = Config.read({"CASS_MODEL": str(tmp_path / "out")})
    source = translate_kernel("", sass, config, check)
    assert "; cass decoding: greedy" in source.text
    assert source.text.startswith("; cass model: out ")


def test_training_goes_on_from_a_checkpoint_s_weights_and_refuses_others(tmp_path: Path) -> None:
    torch.manual_seed(1)
    first, second = make("tiny", TOKENS, "cpu"), make("tiny", TOKENS, "cpu")
    write(first, TOKENS, tmp_path / "checkpoint", {})
    read_weights(second, tmp_path / "checkpoint", TOKENS)
    for (name, wanted), found in zip(first.named_parameters(), second.parameters(), strict=True):
        assert torch.equal(found, wanted.to(torch.bfloat16).to(torch.float32)), name
    with pytest.raises(RuntimeError, match="mismatch"):
        read_weights(make("full", TOKENS, "cpu"), tmp_path / "checkpoint", TOKENS)


def test_words_keep_their_rows_in_a_larger_vocabulary(tmp_path: Path) -> None:
    torch.manual_seed(1)
    first = make("tiny", TOKENS, "cpu")
    write(first, TOKENS, tmp_path / "checkpoint", {})
    more = [*TOKENS[:-1], "NEW", TOKENS[-1]]
    second = make("tiny", more, "cpu")
    fresh = second.model.embed_tokens.weight[-2].detach().clone()
    read_weights(second, tmp_path / "checkpoint", more)
    stored = first.model.embed_tokens.weight.to(torch.bfloat16).to(torch.float32)
    found = second.model.embed_tokens.weight
    assert torch.equal(found[:-2], stored[:-1])
    assert torch.equal(found[-1], stored[-1])
    assert torch.equal(found[-2], fresh)


def test_the_mean_of_checkpoints_is_a_checkpoint(tmp_path: Path) -> None:
    for seed, name in enumerate(("one", "two")):
        torch.manual_seed(seed)
        write(make("tiny", TOKENS, "cpu"), TOKENS, tmp_path / name, {"steps": seed + 1, "exact_match": {}})
    average(tmp_path / "mean", [tmp_path / "one", tmp_path / "two"])
    one, two, mean = (load_file(next((tmp_path / name).glob("*.safetensors"))) for name in ("one", "two", "mean"))
    for name, value in mean.items():
        assert torch.allclose(value.float(), (one[name].float() + two[name].float()) / 2, atol=2e-3)
    read_weights(make("tiny", TOKENS, "cpu"), tmp_path / "mean", TOKENS)
    contract = json.loads((tmp_path / "mean" / "cass_contract.json").read_text())
    assert contract["mean_of_steps"] == [1, 2]
    assert "exact_match" not in contract
    write(make("tiny", [*TOKENS, "X"], "cpu"), [*TOKENS, "X"], tmp_path / "other", {"steps": 3})
    with pytest.raises(ValueError, match="another vocabulary"):
        average(tmp_path / "mean", [tmp_path / "one", tmp_path / "other"])
