"""The in-process back end on a real checkpoint: a tiny Qwen2 with random weights, made here."""

from __future__ import annotations

from pathlib import Path

import pytest

from cass_shim.model.errors import Unsupported
from cass_shim.translate.cass.local import LocalModel
from cass_shim.translate.cass.models import Decoding, Message

torch = pytest.importorskip("torch", reason="no torch")
transformers = pytest.importorskip("transformers", reason="no transformers")

TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory as Hugging Face writes it: config, safetensors, byte-level tokenizer, chat template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    folder = tmp_path_factory.mktemp("checkpoint")
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([*alphabet, "<|end|>"])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>")
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.Qwen2Config(
        vocab_size=len(vocabulary), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, max_position_embeddings=512, eos_token_id=vocabulary["<|end|>"], bos_token_id=None,
    )  # fmt: skip
    transformers.Qwen2ForCausalLM(config).save_pretrained(folder)
    return folder


def test_greedy_answers_are_repeatable_and_loaded_once(checkpoint: Path) -> None:
    model = LocalModel(str(checkpoint))
    messages = (Message("user", "Convert the following"),)
    decoding = Decoding(max_tokens=12, timeout_s=60)
    first, second = (model.generate(messages, decoding)[0] for _ in range(2))
    assert first == second
    assert 0 < first.tokens <= 12
    assert model.window == 512
    assert model.count_tokens("abc") == 3


def test_samples_come_in_one_batch(checkpoint: Path) -> None:
    model = LocalModel(str(checkpoint))
    answers = model.generate((Message("user", "x"),), Decoding(max_tokens=8, temperature=0.8, count=3, timeout_s=60))
    assert len(answers) == 3


def test_a_missing_model_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="cannot be loaded"):
        LocalModel(str(tmp_path / "nothing")).generate((Message("user", "x"),), Decoding(max_tokens=4))
