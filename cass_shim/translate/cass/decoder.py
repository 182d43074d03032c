"""The shipped model's network, in plain torch: Qwen2's architecture with a cache of keys and values.

In: a folder with `config.json` and safetensors, a prompt. Out: token ids, for many samples of one prompt at once.
The transformers library costs several times the network's own work a token, and an import of seconds.
Source of the architecture: Qwen2's configuration and weights as transformers writes them; tests compare the two.
"""

from __future__ import annotations

import json
import struct
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

MAX_HEADER = 16 << 20
_TYPES = {"BF16": torch.bfloat16, "F16": torch.float16, "F32": torch.float32}


def read_weights(folder: Path) -> dict[str, Any]:
    """All tensors of the folder's safetensors. Raises ValueError for bytes that are none."""
    found: dict[str, Any] = {}
    for file in sorted(folder.glob("*.safetensors")):
        content = file.read_bytes()
        (length,) = struct.unpack_from("<Q", content) if len(content) >= 8 else (0,)
        if not 0 < length <= min(MAX_HEADER, len(content) - 8):
            raise ValueError(f"{file.name} is no safetensors file")
        body = bytearray(content[8 + length :])
        for name, entry in json.loads(content[8 : 8 + length]).items():
            if name != "__metadata__":
                start, end = entry["data_offsets"]
                if not 0 <= start < end <= len(body):
                    raise ValueError(f"{file.name} is cut off in {name}")
                flat = torch.frombuffer(body, dtype=torch.uint8, offset=start, count=end - start)
                found[name] = flat.view(_TYPES[entry["dtype"]]).reshape(entry["shape"])
    if not found:
        raise ValueError("no *.safetensors there")
    return found


@dataclass(frozen=True, slots=True)
class Shape:
    """What config.json says. group: query heads that share a head of keys and values."""

    layers: int
    heads: int
    shared: int
    width: int
    window: int
    epsilon: float
    theta: float

    @classmethod
    def read(cls, folder: Path) -> Shape:
        """Raises OSError, ValueError, KeyError or TypeError."""
        config = json.loads((folder / "config.json").read_text())
        theta = config.get("rope_theta") or config.get("rope_parameters", {}).get("rope_theta", 10_000.0)
        heads = int(config["num_attention_heads"])
        return cls(
            int(config["num_hidden_layers"]),
            heads,
            int(config["num_key_value_heads"]),
            int(config["hidden_size"]) // heads,
            int(config["max_position_embeddings"]),
            float(config.get("rms_norm_eps", 1e-6)),
            float(theta),
        )


class _Layer:
    """The weights of one layer."""

    def __init__(self, weights: dict[str, Any], number: int) -> None:
        def get(name: str) -> Any:
            return weights[f"model.layers.{number}.{name}"]

        self.before, self.after = get("input_layernorm.weight"), get("post_attention_layernorm.weight")
        names = ("q", "k", "v")
        self.weight = torch.cat([get(f"self_attn.{one}_proj.weight") for one in names])
        self.bias = torch.cat([get(f"self_attn.{one}_proj.bias") for one in names])
        self.out = get("self_attn.o_proj.weight")
        self.gates = torch.cat([get("mlp.gate_proj.weight"), get("mlp.up_proj.weight")])
        self.down = get("mlp.down_proj.weight")


class Network:
    """A network ready to answer. dtype: what it computes in."""

    def __init__(self, folder: Path, device: str, dtype: torch.dtype) -> None:
        self.shape = Shape.read(folder)
        weights = {name: value.to(device, dtype) for name, value in read_weights(folder).items()}
        self.embedding = weights["model.embed_tokens.weight"]
        self.head = weights.get("lm_head.weight", self.embedding)
        self.norm = weights["model.norm.weight"]
        self.layers = [_Layer(weights, number) for number in range(self.shape.layers)]
        rates = self.shape.theta ** -(torch.arange(0, self.shape.width, 2, device=device) / self.shape.width)
        angles = torch.outer(torch.arange(self.shape.window, device=device), rates)
        angles = torch.cat([angles, angles], 1)
        self.cosine, self.sine = angles.cos().to(dtype), angles.sin().to(dtype)
        self.cache: list[tuple[Any, Any]] = []

    @property
    def vocabulary_size(self) -> int:
        return int(self.embedding.shape[0])

    def start(self, prompt: list[int]) -> Any:
        """Read a prompt; the logits of what follows it, one row."""
        s, one = self.shape, self.embedding
        room = (1, s.shared, s.window, s.width)
        make = torch.zeros
        self.cache = [
            (make(room, dtype=one.dtype, device=one.device), make(room, dtype=one.dtype, device=one.device))
            for _ in self.layers
        ]
        return self.step(torch.tensor([prompt], device=one.device), 0)

    def keep(self, rows: Any) -> None:
        """Go on with these rows of the cache; a row may come several times."""
        self.cache = [(keys[rows].contiguous(), values[rows].contiguous()) for keys, values in self.cache]

    def step(self, ids: Any, at: int) -> Any:
        """The logits behind the last of `ids` (rows by tokens), which stand from position `at` on."""
        hidden = self.embedding[ids]
        end = at + ids.shape[1]
        for layer, (keys, values) in zip(self.layers, self.cache, strict=True):
            mixed = self._attend(layer, self._normal(hidden, layer.before), keys, values, at, end)
            hidden = hidden + functional.linear(mixed, layer.out)
            gate, up = functional.linear(self._normal(hidden, layer.after), layer.gates).chunk(2, -1)
            hidden = hidden + functional.linear(functional.silu(gate) * up, layer.down)
        return functional.linear(self._normal(hidden[:, -1], self.norm), self.head)

    def _normal(self, hidden: Any, weight: Any) -> Any:
        wide = hidden.float()
        scaled = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.shape.epsilon)
        return weight * scaled.to(hidden.dtype)

    def _attend(self, layer: _Layer, hidden: Any, keys: Any, values: Any, at: int, end: int) -> Any:
        s, (rows, length, _) = self.shape, hidden.shape
        mixed = functional.linear(hidden, layer.weight, layer.bias).view(rows, length, -1, s.width).transpose(1, 2)
        query, key, value = mixed.split((s.heads, s.shared, s.shared), 1)
        query, key = self._turn(query, at, end), self._turn(key, at, end)
        keys[:, :, at:end], values[:, :, at:end] = key, value
        key, value = keys[:, :, :end], values[:, :, :end]
        if length == 1:  # the heads of a group are so many queries of one head
            grouped = query.reshape(rows, s.shared, -1, s.width)
            found = functional.scaled_dot_product_attention(grouped, key, value).reshape(rows, s.heads, 1, s.width)
        else:
            group = s.heads // s.shared
            key, value = key.repeat_interleave(group, 1), value.repeat_interleave(group, 1)
            found = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return found.transpose(1, 2).reshape(rows, length, -1)

    def _turn(self, vectors: Any, at: int, end: int) -> Any:
        low, high = vectors.chunk(2, -1)
        return vectors * self.cosine[at:end] + torch.cat([-high, low], -1) * self.sine[at:end]


def answers(
    network: Network, prompt: list[int], end: int, count: int, temperature: float, most: int, seconds: float
) -> list[list[int]]:
    """Up to `most` tokens for each of `count` answers, to the end token or the end of the time.

    temperature 0: the likeliest token each time, and one answer.
    """
    until = time.monotonic() + seconds
    count = count if temperature > 0 else 1
    logits = network.start(prompt).expand(count, -1)
    network.keep(torch.zeros(count, dtype=torch.long, device=logits.device))
    made: list[list[int]] = [[] for _ in range(count)]
    rows = list(range(count))
    for position in range(len(prompt), len(prompt) + most):
        chosen = _choose(logits, temperature)
        for row, token in zip(rows, chosen.tolist(), strict=True):
            made[row].append(token)
        going = [place for place, row in enumerate(rows) if made[row][-1] != end]
        if not going or position + 1 >= len(prompt) + most or time.monotonic() >= until:
            break
        if len(going) < len(rows):
            rows = [rows[place] for place in going]
            kept = torch.tensor(going, device=logits.device)
            network.keep(kept)
            chosen = chosen[kept]
        logits = network.step(chosen[:, None], position)
    return made


def _choose(logits: Any, temperature: float) -> Any:
    if temperature <= 0:
        return logits.argmax(-1)
    return torch.multinomial(torch.softmax(logits.float() / temperature, -1), 1)[:, 0]
