"""A model small enough for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.translate.cass.test_fields import folder_of, vocabulary


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A network with random weights as transformers writes it, and the same network in transformers."""
    torch = pytest.importorskip("torch", reason="no torch")
    transformers = pytest.importorskip("transformers", reason="no transformers")
    folder = tmp_path_factory.mktemp("tiny")
    folder_of(folder)
    torch.manual_seed(1)
    config = transformers.Qwen2Config(
        vocab_size=len(vocabulary().tokens), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=512, tie_word_embeddings=True,
    )  # fmt: skip
    network = transformers.Qwen2ForCausalLM(config).to(torch.bfloat16)
    network.save_pretrained(folder, max_shard_size="20KB")
    return folder, network.float().eval()
