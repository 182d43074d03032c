"""The shipped model's network, in plain torch: Qwen2's architecture with a cache of keys and values.

In: a folder with `config.json` and safetensors, tokens at their positions. Out: logits, of which `batch.py` makes
answers.
The transformers library costs several times the network's own work a token, and an import of seconds.
Source of the architecture: Qwen2's configuration and weights as transformers writes them; tests compare the two.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

MAX_HEADER = 16 << 20
KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]  # not cuDNN's: see _masked
Cache = list[tuple[Any, Any]]  # keys and values of each layer: rows, heads, positions, width
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
        self.cache: Cache = []

    @property
    def vocabulary_size(self) -> int:
        return int(self.embedding.shape[0])

    def blank(self, rows: int, room: int) -> Cache:
        """A cache of keys and values for so many rows of up to `room` tokens."""
        s, one = self.shape, self.embedding
        size = (rows, s.shared, room, s.width)
        return [
            (torch.zeros(size, dtype=one.dtype, device=one.device),
             torch.zeros(size, dtype=one.dtype, device=one.device))
            for _ in self.layers
        ]  # fmt: skip

    def start(self, prompt: list[int]) -> Any:
        """Read a prompt; the logits of what follows it, one row."""
        self.cache = self.blank(1, self.shape.window)
        return self.step(torch.tensor([prompt], device=self.embedding.device), 0)

    def keep(self, rows: Any) -> None:
        """Go on with these rows of the cache; a row may come several times."""
        self.cache = [(keys[rows].contiguous(), values[rows].contiguous()) for keys, values in self.cache]

    def step(self, ids: Any, at: int) -> Any:
        """The logits behind the last of `ids` (rows by tokens), which stand from position `at` on."""
        rows, length = ids.shape
        places = torch.arange(at, at + length, device=ids.device).expand(rows, length)
        return self.read(ids, places, at + length, None)[:, -1]

    def step_apart(self, ids: Any, at: Any) -> Any:
        """The same for rows with one token each, every one at a position of its own."""
        end = int(at.max()) + 1
        seen = None
        if not at.is_cuda:
            seen = (at + 1).tolist()
        elif bool((at != at[0]).any()):
            seen = (torch.arange(end, device=at.device)[None] <= at[:, None])[:, None, None]
        return self.read(ids[:, None], at[:, None], end, seen)[:, -1]

    def read(self, ids: Any, places: Any, end: int, seen: Any) -> Any:
        """The logits behind every one of `ids`, which stand at `places`. end: of the cache; seen: a mask for it, or
        how much of it each row sees."""
        hidden = self.embedding[ids]
        turns = self.cosine[places][:, None], self.sine[places][:, None]
        for layer, cache in zip(self.layers, self.cache, strict=True):
            mixed = self._attend(layer, self._normal(hidden, layer.before), cache, places, turns, end, seen)
            hidden = hidden + functional.linear(mixed, layer.out)
            gate, up = functional.linear(self._normal(hidden, layer.after), layer.gates).chunk(2, -1)
            hidden = hidden + functional.linear(functional.silu(gate) * up, layer.down)
        return functional.linear(self._normal(hidden, self.norm), self.head)

    def _normal(self, hidden: Any, weight: Any) -> Any:
        wide = hidden.float()
        scaled = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.shape.epsilon)
        return weight * scaled.to(hidden.dtype)

    def _attend(
        self, layer: _Layer, hidden: Any, cache: tuple[Any, Any], places: Any, turns: tuple[Any, Any], end: int,
        seen: Any,
    ) -> Any:  # fmt: skip
        s, (rows, length, _), (keys, values) = self.shape, hidden.shape, cache
        mixed = functional.linear(hidden, layer.weight, layer.bias).view(rows, length, -1, s.width).transpose(1, 2)
        query, key, value = mixed.split((s.heads, s.shared, s.shared), 1)
        query, key = _turn(query, turns), _turn(key, turns)
        where = places[:, None, :, None].expand(rows, s.shared, length, s.width)
        keys.scatter_(2, where, key)
        values.scatter_(2, where, value)
        key, value = keys[:, :, :end], values[:, :, :end]
        if length == 1:  # the heads of a group are so many queries of one head
            grouped = query.reshape(rows, s.shared, -1, s.width)
            if isinstance(seen, list):
                found = _each(grouped, key, value, seen)
            else:
                found = _masked(grouped, key, value, seen)
            found = found.reshape(rows, s.heads, 1, s.width)
        else:
            group = s.heads // s.shared
            key, value = key.repeat_interleave(group, 1), value.repeat_interleave(group, 1)
            with sdpa_kernel(KERNELS):
                found = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return found.transpose(1, 2).reshape(rows, length, -1)


def _each(queries: Any, keys: Any, values: Any, seen: list[int]) -> Any:
    """Attention of rows with one token each: a processor that looks through what the longest row has said, for all of
    them, takes twice as long as one that goes row by row."""
    if len(set(seen)) == 1:
        return functional.scaled_dot_product_attention(queries, keys, values)
    return torch.cat(
        [
            functional.scaled_dot_product_attention(
                queries[row : row + 1], keys[row : row + 1, :, :end], values[row : row + 1, :, :end]
            )
            for row, end in enumerate(seen)
        ]
    )


def _masked(queries: Any, keys: Any, values: Any, seen: Any) -> Any:
    """The same on a GPU, all rows in one product: torch's own attention takes cuDNN's for this, which plans anew for
    every length of the cache, 8 ms a layer and token."""
    scores = torch.matmul(queries, keys.transpose(2, 3)).float() * queries.shape[-1] ** -0.5
    if seen is not None:
        scores = scores.masked_fill(~seen, -torch.inf)
    return torch.matmul(scores.softmax(-1).to(values.dtype), values)


def _turn(vectors: Any, turns: tuple[Any, Any]) -> Any:
    """Rotary position embedding. turns: cosines and sines of each row's positions."""
    low, high = vectors.chunk(2, -1)
    return vectors * turns[0] + torch.cat([-high, low], -1) * turns[1]
