"""The network: Qwen2's architecture, sized for a checkpoint of 23 or 40 MB in bf16; and how it is written down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from transformers import Qwen2Config, Qwen2ForCausalLM

CONTEXT = 4096
SHARD_BYTES = 14_000_000
_EMBEDDING = "model.embed_tokens.weight"
SIZES = {  # hidden, intermediate, layers, heads, heads of keys and values
    "full": (384, 896, 8, 6, 2),
    "large": (512, 1152, 8, 8, 2),
    "tiny": (64, 128, 2, 2, 1),
}


def make(size: str, vocabulary: list[str], device: str, bf16: bool = False) -> Any:
    """A network with fresh weights. bf16: computed in that on a processor too."""
    hidden, intermediate, layers, heads, shared = SIZES[size]
    config = Qwen2Config(
        vocab_size=len(vocabulary),
        hidden_size=hidden,
        intermediate_size=intermediate,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=shared,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        pad_token_id=vocabulary.index("<pad>"),
        bos_token_id=vocabulary.index("<start>"),
        eos_token_id=vocabulary.index("<end>"),
    )
    network = Qwen2ForCausalLM(config)
    return network.to(device, torch.bfloat16 if bf16 else precision(device))


def precision(device: str) -> Any:
    """What the network computes in: most processors are slow in bf16. device: `cuda`, `cuda:3` of several, `cpu`."""
    return torch.bfloat16 if torch.device(device).type == "cuda" else torch.float32


def read_weights(network: Any, folder: Path, vocabulary: list[str]) -> None:
    """The weights of a checkpoint that `write` made; rows of words that it had under another number, or lacked, are
    found by the word, or fresh. Raises RuntimeError where its shapes are others."""
    stored: dict[str, Any] = {}
    for file in sorted(folder.glob("*.safetensors")):
        stored |= load_file(file)
    words = json.loads((folder / "vocabulary.json").read_text())["tokens"]
    known = {word: row for row, word in enumerate(words)}
    rows = [(row, known[word]) for row, word in enumerate(vocabulary) if word in known]
    embedding = network.model.embed_tokens.weight.detach().clone()
    new, old = (torch.tensor(each, device=embedding.device) for each in zip(*rows, strict=True))
    embedding[new] = stored[_EMBEDDING].to(embedding)[old]
    stored[_EMBEDDING] = embedding
    missing, foreign = network.load_state_dict(stored, strict=False)
    if foreign or set(missing) - {"lm_head.weight"}:  # which is the embedding's
        raise RuntimeError(f"{folder} lacks {missing} and has {foreign} besides")


def write(network: Any, vocabulary: list[str], out: Path, facts: dict[str, Any]) -> None:
    """The checkpoint: bf16 shards with their index, configuration, vocabulary and contract; whole at any time."""
    out.mkdir(parents=True, exist_ok=True)
    weights = {
        name: value.detach().to("cpu", torch.bfloat16).contiguous() for name, value in network.named_parameters()
    }
    shards: list[dict[str, Any]] = [{}]
    for name, value in weights.items():
        if sum(one.nbytes for one in shards[-1].values()) + value.nbytes > SHARD_BYTES:
            shards.append({})
        shards[-1][name] = value
    index: dict[str, str] = {}
    made: list[Path] = []

    def part(name: str) -> Path:
        made.append(out / f"{name}.part")
        return made[-1]

    for number, shard in enumerate(shards, 1):
        file = f"model-{number:05d}-of-{len(shards):05d}.safetensors"
        save_file(shard, part(file), metadata={"format": "pt"})
        made[-1].chmod(0o644)  # the library makes it private; package data is for everyone
        index |= dict.fromkeys(shard, file)
    total = sum(value.nbytes for value in weights.values())
    document = {"metadata": {"total_size": total}, "weight_map": index}
    part("model.safetensors.index.json").write_text(json.dumps(document, indent=1))
    network.config.to_json_file(part("config.json"))
    part("vocabulary.json").write_text(json.dumps({"format": 1, "tokens": vocabulary}, indent=0) + "\n")
    part("cass_contract.json").write_text(json.dumps({"contract": "fields-3", **facts}, indent=1) + "\n")
    for one in made:  # at once, the contract last: whoever copies and finds the same one afterwards has all of one step
        one.rename(one.with_suffix(""))
