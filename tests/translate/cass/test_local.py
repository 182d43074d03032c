"""The in-process back end on a real checkpoint: a tiny Qwen2 with random weights, made here."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cass_shim.model.errors import ToolFailed, Unsupported
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


def test_requests_that_wait_together_share_a_batch_and_get_their_own_answers(checkpoint: Path) -> None:
    alone, together = LocalModel(str(checkpoint)), LocalModel(str(checkpoint))
    prompts = [(Message("user", "Convert " + "x" * number),) for number in range(8)]
    decoding = Decoding(max_tokens=10, timeout_s=60)
    wanted = [alone.generate(one, decoding) for one in prompts]
    together._lock.acquire()  # so that all of them wait
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(together.generate, one, decoding) for one in prompts]
        while len(together._waiting) < 8:
            time.sleep(0.01)
        together._lock.release()
        assert [one.result(timeout=120) for one in asked] == wanted
    assert together.batches == [8]
    assert alone.batches == [1] * 8


def test_a_failure_of_torch_is_everybodys_tool_failure(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = LocalModel(str(checkpoint))

    def fail(**_: object) -> None:
        raise RuntimeError("out of memory")

    model._load()
    assert model._loaded is not None
    monkeypatch.setattr(model._loaded[2], "generate", fail)
    with pytest.raises(ToolFailed, match="out of memory"):
        model.generate((Message("user", "x"),), Decoding(max_tokens=4))


def test_offline_a_name_that_is_not_there_is_one_line_at_once(tmp_path: Path) -> None:
    """In a process of its own: the libraries read the variables when they are imported."""
    code = (
        "from cass_shim.translate.cass.local import LocalModel\n"
        "from cass_shim.translate.cass.models import Decoding, Message\n"
        "try:\n    LocalModel('nobody/no-such-model').generate((Message('user', 'x'),), Decoding())\n"
        "except Exception as error:\n    print(type(error).__name__, error)"
    )
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=120)
    assert done.stdout.startswith(
        "Unsupported unsupported translator cass: model nobody/no-such-model cannot be loaded"
    )
    assert done.stdout.count("\n") == 1
