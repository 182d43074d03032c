"""Several processes, one GPU each, that train as one.

Every process has all weights and the same batches in the same order, computes its rows' share of a step's gradient, and
takes the same step along the sum. The clock is the first process's, so all end with the same step. NVLink multicast
stays off: where GPUs are lent by a host that others share, it can put them out of service.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import distributed

EQUAL_EVERY = 500  # steps after which all take the first one's weights: kernels of a GPU may add in another order
QUIET = {  # one host only: no network but its own, no multicast
    "NCCL_NVLS_ENABLE": "0",
    "TORCH_SYMM_MEM_DISABLE_MULTICAST": "1",
    "NCCL_SOCKET_IFNAME": "lo",
    "GLOO_SOCKET_IFNAME": "lo",
}


class Team:
    """This process's place among the others; alone unless `RANK` and `WORLD_SIZE` say otherwise."""

    def __init__(self, on_processor: bool) -> None:
        self.rank, self.size = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        on_gpu = torch.cuda.is_available() and not on_processor
        self.device = ("cuda" if self.size == 1 else f"cuda:{self.rank}") if on_gpu else "cpu"
        if self.size == 1:
            return
        for name, value in QUIET.items():
            os.environ.setdefault(name, value)
        if on_gpu:
            torch.cuda.set_device(self.rank)
        distributed.init_process_group(
            "nccl" if on_gpu else "gloo",
            init_method=f"file://{os.environ['TEAM_FILE']}" if "TEAM_FILE" in os.environ else "env://",  # torchrun's
            rank=self.rank,
            world_size=self.size,
        )

    def part(self, chosen: np.ndarray) -> np.ndarray:
        """This process's rows of a batch; like lengths stand together, so the parts are about as large."""
        return chosen[self.rank :: self.size]

    def add(self, gradients: list[Any], facts: Sequence[Any]) -> tuple[list[Any], Any]:
        """The sums over all processes, of gradients and of some numbers, in one exchange."""
        numbers = torch.stack([torch.as_tensor(one, dtype=torch.float32, device=self.device) for one in facts])
        if self.size == 1:
            return gradients, numbers
        flat = torch.cat([*(one.reshape(-1) for one in gradients), numbers])
        distributed.all_reduce(flat)
        *summed, numbers = flat.split([*(one.numel() for one in gradients), len(facts)])
        return [one.view_as(like) for one, like in zip(summed, gradients, strict=True)], numbers

    def agree(self, number: int) -> bool:
        """Whether all processes hold the same number, which all of them are told."""
        if self.size == 1:
            return True
        both = torch.tensor([number, -number], device=self.device)
        distributed.all_reduce(both, distributed.ReduceOp.MAX)
        most, least = both.tolist()
        return bool(most == -least)

    def equal(self, weights: Sequence[Any]) -> None:
        """Everyone's weights become the first one's."""
        for one in weights if self.size > 1 else ():
            distributed.broadcast(one.detach(), 0)

    def leave(self) -> None:
        """The last exchange is over."""
        if self.size > 1:
            distributed.destroy_process_group()


def spawn(amount: int, module: str, arguments: list[str]) -> int:
    """Run `python3 -m module arguments` as a team; the worst exit status. One that fails ends the others."""
    with tempfile.TemporaryDirectory() as folder:
        shared = {**QUIET, **os.environ, "WORLD_SIZE": str(amount), "TEAM_FILE": str(Path(folder) / "team")}
        command = [sys.executable, "-m", module, *arguments]
        members = [subprocess.Popen(command, env={**shared, "RANK": str(rank)}) for rank in range(amount)]
        while any(one.poll() is None for one in members):
            if any(one.poll() for one in members):
                for one in members:
                    one.terminate()
            time.sleep(0.1)
        return max(abs(one.wait()) for one in members)
