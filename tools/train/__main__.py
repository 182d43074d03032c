"""Command line of the trainer; `--rehearse` is a tiny network for a minute on the processor."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tools.train.data import Split, batches, load, rename_registers
from tools.train.measure import exact_match
from tools.train.network import CONTEXT, SIZES, make, read_weights, write
from tools.train.optimizer import make_optimizers
from tools.train.team import EQUAL_EVERY, Team, spawn

REHEARSED = 600  # pairs that a rehearsal takes at least
GROWTH = 0.15  # share of the time in which the longest pair grows from SHORT tokens to all
SHORT = 512
WARMUP_STEPS = 200


class Trainer:
    """One run. The weights that learn are f32; the network computes with their bf16 copies."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.team = Team(on_processor=options.rehearse)
        self.device = self.team.device
        if options.rehearse:
            torch.set_num_threads(1)  # a tiny network gains nothing from more, and loses when they must wait
        torch.manual_seed(options.seed)
        torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for every shape, and batches have many
        self.vocabulary: list[str] = json.loads((options.set / "vocabulary.json").read_text())["tokens"]
        size = "tiny" if options.rehearse else options.size
        self.network = make(size, self.vocabulary, self.device, options.bf16)
        if options.init:
            read_weights(self.network, options.init, self.vocabulary)
        self.body = torch.compile(self.network.model, dynamic=True) if options.compile else self.network.model
        named = {name: one for name, one in self.network.named_parameters() if one.requires_grad}
        self.weights = list(named.values())
        self.masters = [one.detach().float().clone().requires_grad_() for one in self.weights]
        learning = dict(zip(named, self.masters, strict=True))
        self.optimizers = make_optimizers(learning, options.rate, options.muon_rate)
        self.pairs, self.packed = 0, 0  # packed: when the set was
        self.step, self.seen, self.done = 0, 0, 0.0  # done: share of the time that earlier runs used
        self.share = 0.0  # of the time, as all processes know it
        self.register, self.zero = self.vocabulary.index("R"), self.vocabulary.index("#0")
        if options.state and options.state.exists():
            self._resume()
        self.team.equal(self.masters)  # fresh ones are equal already: the seed is
        torch.manual_seed(options.seed + self.team.rank)

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
        """The checkpoint, and with --state what a later run needs to go on; the first process writes."""
        if self.team.rank:
            return
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
        return float(max(0.0, 1 - share) * min(1.0, (self.step + 1) / self.options.warmup))

    def learn(self, split: Split, chosen: np.ndarray, share: float) -> float:
        """One step of all processes; the loss over the whole batch. share: of the time, by this process's clock."""
        rows = self.team.part(chosen)
        weight = 1.0 if len(rows) else 0.0  # fewer rows than processes: compute another's, and let it count nothing
        ids, answers = split.batch(rows if len(rows) else chosen[:1])
        ids = rename_registers(ids, self.register, self.zero, self.options.rename)
        causal: dict[str, Any] = {"full_attention": None}  # prepared: no mask tensor, plain causal attention
        body = self.body(input_ids=ids[:, :-1], attention_mask=causal, use_cache=False)
        hidden = body.last_hidden_state
        wanted = answers[:, 1:]
        logits = self.network.lm_head(hidden[wanted])
        summed = functional.cross_entropy(logits.float(), ids[:, 1:][wanted], reduction="sum")
        loss = summed * (weight / int(split.answered[chosen].sum()))  # of the batch, not of these rows
        loss.backward()
        gradients = [one.grad.float() for one in self.weights]
        clock = 0.0 if self.team.rank else share
        gradients, facts = self.team.add(gradients, (clock, loss.detach(), ids.numel()))
        for master, weight_, gradient in zip(self.masters, self.weights, gradients, strict=True):
            master.grad, weight_.grad = gradient, None
        norm = torch.nn.utils.clip_grad_norm_(self.masters, 1.0, foreach=True)
        finite = bool(torch.isfinite(norm))  # one bad batch must not end the run
        self.share, whole, tokens = facts.tolist()
        for optimizer in self.optimizers if finite else ():
            for group in optimizer.param_groups:
                group["lr"] = group["peak"] * self.fraction(self.share)
            optimizer.step()
        self.step += 1
        self.seen += int(tokens)
        if self.step % EQUAL_EVERY == 0:
            self.team.equal(self.masters)
        torch._foreach_copy_([one.data for one in self.weights], [one.data for one in self.masters])
        return float(whole)

    def pairs_of(self) -> Split:
        """What the options leave of the training pairs."""
        options = self.options
        self.packed = (options.set / "train.npz").stat().st_mtime_ns  # before it is read: a later one is another
        split = load(options.set / "train.npz", self.device)
        if options.only:
            split = split.of_families(options.only.split(","))
        if options.rehearse:  # one hundredth, of a set that is not one itself
            split.lengths = split.lengths[: max(REHEARSED, len(split) // 100)]
        amount = max(1, int(len(split) * options.share))
        split.lengths = split.lengths[: min(amount, options.pairs or amount)]
        self.pairs = len(split.lengths)
        return split

    def grown(self, split: Split) -> Split:
        """The set as it is now, where it was packed again meanwhile; this one where it was not. All read the same."""
        now, before = (self.options.set / "train.npz").stat().st_mtime_ns, self.packed
        if self.team.agree(now) and self.team.agree(before) and now == before:
            return split
        more = self.pairs_of()
        while not self.team.agree(self.packed):  # packed again between one's reading and another's
            more = self.pairs_of()
        if not self.team.rank:
            print(f"{self.pairs} pairs from here", flush=True)
        return more

    def run(self) -> None:
        """Train until the time is over, writing weights on the way and at the end."""
        options, split = self.options, self.pairs_of()
        rng = np.random.default_rng(options.seed + self.step)
        budget, started = 60 * options.minutes * (1 - self.done), time.monotonic()
        saved = printed = started
        self.share, epoch = self.done, 0
        while self.share < 1:
            split = self.grown(split) if options.grows else split
            longest = SHORT + int((CONTEXT - SHORT) * self.share / GROWTH)
            longest = options.longest if options.init else min(options.longest, longest)  # weights that know long ones
            longest = max(longest, int(split.lengths.min()))  # a pass is never empty
            for chosen in batches(split, options.batch, longest, rng):
                if options.steps and self.step >= options.steps:
                    self.share = 1.0
                if self.share >= 1:
                    break
                used = (time.monotonic() - started) / max(budget, 1e-9)
                share = self.step / options.steps if options.steps else self.done + (1 - self.done) * used
                loss = self.learn(split, chosen, share)
                now = time.monotonic()
                if now - printed >= options.print_every:
                    printed = now
                    self.report(now - started, f"pass {epoch} longest {longest}", loss, self.share)
                if now - saved >= options.save_every:
                    self.save(self.share)
                    saved = time.monotonic()
            epoch += 1
        self.save(1.0)

    def report(self, seconds: float, place: str, loss: float, share: float) -> None:
        """One line of progress."""
        if self.team.rank:
            return
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
    parser.add_argument("--steps", type=int, default=0, help="train for so many steps instead")
    parser.add_argument("--gpus", type=int, default=1, help="processes that train as one, a GPU each")
    parser.add_argument(
        "--size", default="full", choices=[one for one in SIZES if one != "tiny"], help="of the network"
    )
    parser.add_argument("--batch", type=int, default=65_536, help="tokens of a step of all GPUs (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=2.5e-3, help="peak learning rate of AdamW")
    parser.add_argument("--muon-rate", type=float, default=4e-3, help="Muon's for matrices; 0: AdamW for all")
    parser.add_argument("--warmup", type=int, default=WARMUP_STEPS, help="steps until the rate is at its peak")
    parser.add_argument("--rename", type=float, default=0.0, help="share of pairs whose SASS registers are permuted")
    parser.add_argument("--share", type=float, default=1.0, help="of the training pairs, the first ones")
    parser.add_argument("--pairs", type=int, default=0, help="at most so many of them (0: all)")
    parser.add_argument(
        "--longest", type=int, default=CONTEXT, help="tokens of the longest pair (default: %(default)s)"
    )
    parser.add_argument("--grows", action="store_true", help="look at each pass whether SET was packed anew")
    parser.add_argument("--only", default="", help="families to train on, with commas between (default: all)")
    parser.add_argument("--save-every", type=float, default=60.0, help="seconds between writings of the weights")
    parser.add_argument("--finished", default="", help="name of an empty file in OUT that says that all was measured")
    parser.add_argument("--init", type=Path, help="a checkpoint to start from")
    parser.add_argument("--state", type=Path, help="file for going on later; read when it exists")
    parser.add_argument("--measure-s", type=float, default=80.0, help="seconds for exact match on held-out pairs")
    parser.add_argument("--print-every", type=float, default=5.0, help="seconds between lines")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compile", action="store_true", help="let torch.compile fuse the network's small steps")
    parser.add_argument(
        "--bf16", action="store_true", help="on a processor too: faster where it has instructions for it"
    )
    parser.add_argument("--rehearse", action="store_true", help="a tiny network and 1 %% of the pairs, no GPU")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Returns the exit status."""
    options = options_of(arguments)
    if options.gpus > 1 and "RANK" not in os.environ:
        return spawn(options.gpus, "tools.train", arguments)
    trainer = Trainer(options)
    amount = sum(one.numel() for one in trainer.weights)
    if not trainer.team.rank:
        print(f"{amount:,} weights on {options.gpus} x {trainer.device}, {len(trainer.vocabulary)} tokens", flush=True)
    trainer.run()
    trainer.team.leave()
    if trainer.team.rank:
        return 0
    found = trainer.measure()
    contract = options.out / "cass_contract.json"
    contract.write_text(json.dumps({**json.loads(contract.read_text()), "exact_match": found}, indent=1) + "\n")
    if options.finished:
        (options.out / options.finished).touch()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
