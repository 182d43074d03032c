"""Command line of the trainer; `--rehearse` is a tiny network for a minute on the processor."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tools.train.data import Split, batches, load, rename_registers
from tools.train.measure import exact_match
from tools.train.network import CONTEXT, make, read_weights, write
from tools.train.optimizer import make_optimizers

SAVE_EVERY_S = 120
REHEARSED = 600  # pairs that a rehearsal takes at least
GROWTH = 0.15  # share of the time in which the longest pair grows from SHORT tokens to all
SHORT = 512
WARMUP_STEPS = 200


class Trainer:
    """One run. The weights that learn are f32; the network computes with their bf16 copies."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.device = "cuda" if torch.cuda.is_available() and not options.rehearse else "cpu"
        if options.rehearse:
            torch.set_num_threads(1)  # a tiny network gains nothing from more, and loses when they must wait
        torch.manual_seed(options.seed)
        torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for every shape, and batches have many
        self.vocabulary: list[str] = json.loads((options.set / "vocabulary.json").read_text())["tokens"]
        self.network = make("tiny" if options.rehearse else "full", self.vocabulary, self.device)
        if options.init:
            read_weights(self.network, options.init)
        self.body = torch.compile(self.network.model, dynamic=True) if options.compile else self.network.model
        named = {name: one for name, one in self.network.named_parameters() if one.requires_grad}
        self.weights = list(named.values())
        self.masters = [one.detach().float().clone().requires_grad_() for one in self.weights]
        learning = dict(zip(named, self.masters, strict=True))
        self.optimizers = make_optimizers(learning, options.rate, options.muon_rate)
        self.pairs = 0
        self.step, self.seen, self.done = 0, 0, 0.0  # done: share of the time that earlier runs used
        self.register, self.zero = self.vocabulary.index("R"), self.vocabulary.index("#0")
        if options.state and options.state.exists():
            self._resume()

    def _resume(self) -> None:
        stored = torch.load(self.options.state, map_location=self.device, weights_only=True)
        for master, weight, value in zip(self.masters, self.weights, stored["masters"], strict=True):
            master.data.copy_(value)
            weight.data.copy_(value)
        for optimizer, state in zip(self.optimizers, stored["optimizers"], strict=True):
            optimizer.load_state_dict(state)
        self.step, self.seen, self.done = stored["step"], stored["seen"], stored["done"]
        print(f"goes on at step {self.step}, {100 * self.done:.0f} % of the time used", flush=True)

    def save(self, share: float) -> None:
        """The checkpoint, and with --state what a later run needs to go on."""
        facts = {"pairs": self.pairs, "steps": self.step, "tokens": self.seen, "minutes": self.options.minutes}
        facts["share"] = round(share, 3)
        write(self.network, self.vocabulary, self.options.out, facts)
        if self.options.state:
            masters = [one.detach() for one in self.masters]
            optimizers = [one.state_dict() for one in self.optimizers]
            state = {"masters": masters, "optimizers": optimizers, "step": self.step, "seen": self.seen, "done": share}
            torch.save(state, f"{self.options.state}.part")
            Path(f"{self.options.state}.part").rename(self.options.state)

    def fraction(self, share: float) -> float:
        """Warm-up by steps, then straight to zero over the time, which averages the last steps as a mean of weights
        would (Bergsma et al. 2025, "Straight to zero")."""
        return float(max(0.0, 1 - share) * min(1.0, (self.step + 1) / WARMUP_STEPS))

    def learn(self, split: Split, chosen: np.ndarray, share: float) -> Any:
        """One step; the loss, still on the device."""
        ids, answers = split.batch(chosen)
        ids = rename_registers(ids, self.register, self.zero, self.options.rename)
        causal: dict[str, Any] = {"full_attention": None}  # prepared: no mask tensor, plain causal attention
        body = self.body(input_ids=ids[:, :-1], attention_mask=causal, use_cache=False)
        hidden = body.last_hidden_state
        wanted = answers[:, 1:]
        logits = self.network.lm_head(hidden[wanted])
        loss = functional.cross_entropy(logits.float(), ids[:, 1:][wanted])
        loss.backward()
        for master, weight in zip(self.masters, self.weights, strict=True):
            master.grad = weight.grad.float()
            weight.grad = None
        norm = torch.nn.utils.clip_grad_norm_(self.masters, 1.0, foreach=True)
        finite = bool(torch.isfinite(norm))  # one bad batch must not end the run
        for optimizer in self.optimizers if finite else ():
            for group in optimizer.param_groups:
                group["lr"] = group["peak"] * self.fraction(share)
            optimizer.step()
        torch._foreach_copy_([one.data for one in self.weights], [one.data for one in self.masters])
        self.step += 1
        self.seen += int(ids.numel())
        return loss.detach()

    def run(self) -> None:
        """Train until the time is over, writing weights on the way and at the end."""
        options = self.options
        split = load(options.set / "train.npz", self.device)
        if options.rehearse:  # one hundredth, of a set that is not one itself
            split.lengths = split.lengths[: max(REHEARSED, len(split) // 100)]
        if options.share < 1:
            split.lengths = split.lengths[: max(1, int(len(split) * options.share))]
        self.pairs = len(split.lengths)
        rng = np.random.default_rng(options.seed + self.step)
        budget, started = 60 * options.minutes * (1 - self.done), time.monotonic()
        saved = printed = started
        share, epoch = self.done, 0
        while share < 1:
            longest = int(min(CONTEXT, SHORT + (CONTEXT - SHORT) * share / GROWTH))
            longest = max(longest, int(split.lengths.min()))  # a pass is never empty
            for chosen in batches(split, options.batch, longest, rng):
                share = self.done + (1 - self.done) * (time.monotonic() - started) / max(budget, 1e-9)
                if share >= 1:
                    break
                loss = self.learn(split, chosen, share)
                now = time.monotonic()
                if now - printed >= options.print_every:
                    printed = now
                    self.report(now - started, f"pass {epoch} longest {longest}", loss.item(), share)
                if now - saved >= SAVE_EVERY_S:
                    self.save(share)
                    saved = time.monotonic()
            epoch += 1
        self.save(1.0)

    def report(self, seconds: float, place: str, loss: float, share: float) -> None:
        """One line of progress."""
        speed = f"{self.seen / seconds:,.0f} tokens/s"
        rate = f"rate {self.options.rate * self.fraction(share):.2e}"
        print(f"{seconds:6.1f} s step {self.step} {place} loss {loss:.4f} {rate} {speed}", flush=True)

    def measure(self) -> dict[str, Any]:
        """Exact match on the held-out splits."""
        found: dict[str, Any] = {}
        for name in ("seeds", "families"):
            split = load(self.options.set / f"{name}.npz", self.device)
            if self.options.rehearse:
                split.lengths = split.lengths[:8]
            found[name] = exact_match(self.network, split, self.options.measure_s / 2, self.vocabulary.index("<end>"))
            print(f"{name}: {json.dumps(found[name])}", flush=True)
        return found


def options_of(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.train", description="Train the model of the cass route.")
    parser.add_argument("set", type=Path, help="folder of `tools.pairs pack`")
    parser.add_argument("out", type=Path, help="where the checkpoint goes")
    parser.add_argument("--minutes", type=float, default=7.0, help="of training; measuring comes on top")
    parser.add_argument("--batch", type=int, default=65_536, help="tokens of a step (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=2.5e-3, help="peak learning rate of AdamW")
    parser.add_argument("--muon-rate", type=float, default=4e-3, help="Muon's for matrices; 0: AdamW for all")
    parser.add_argument("--rename", type=float, default=0.0, help="share of pairs whose SASS registers are permuted")
    parser.add_argument("--share", type=float, default=1.0, help="of the training pairs, the first ones")
    parser.add_argument("--finished", default="", help="name of an empty file in OUT that says that all was measured")
    parser.add_argument("--init", type=Path, help="a checkpoint to start from, with the set's vocabulary")
    parser.add_argument("--state", type=Path, help="file for going on later; read when it exists")
    parser.add_argument("--measure-s", type=float, default=80.0, help="seconds for exact match on held-out pairs")
    parser.add_argument("--print-every", type=float, default=5.0, help="seconds between lines")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compile", action="store_true", help="let torch.compile fuse the network's small steps")
    parser.add_argument("--rehearse", action="store_true", help="a tiny network and 1 %% of the pairs, no GPU")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Returns the exit status."""
    options = options_of(arguments)
    trainer = Trainer(options)
    amount = sum(one.numel() for one in trainer.weights)
    print(f"{amount:,} weights on {trainer.device}, {len(trainer.vocabulary)} tokens", flush=True)
    trainer.run()
    found = trainer.measure()
    contract = options.out / "cass_contract.json"
    contract.write_text(json.dumps({**json.loads(contract.read_text()), "exact_match": found}, indent=1) + "\n")
    if options.finished:
        (options.out / options.finished).touch()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
