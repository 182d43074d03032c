"""The search over answers, and the back ends that give them."""

from __future__ import annotations

import dataclasses
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from cass_shim.assemble.text import assemble_text
from cass_shim.model.artifacts import CodeObject
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError, Rejected, ToolFailed, Unsupported
from cass_shim.model.origin import origin_of, with_origin
from cass_shim.translate.cass import models, translate_kernel
from cass_shim.translate.cass.gbnf import grammar
from cass_shim.translate.cass.models import Answer, Decoding, choose
from cass_shim.translate.cass.openai import OpenAiModel
from cass_shim.translate.cass.prompt import Message, build_prompt, digest, family, normalize, repair_turn
from cass_shim.translate.cass.recorded import RecordedModel
from cass_shim.translate.cass.search import Budget, Check, Search
from tests.translate.cass.support import ABI, NAME, SASS, TEXT, good_answer


@dataclasses.dataclass
class Scripted:
    """Answers from a list, in order; keeps the conversations."""

    answers: list[str]
    identity: str = "scripted"
    window: int = 0
    asked: list[tuple[tuple[Message, ...], Decoding]] = dataclasses.field(default_factory=list)

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        self.asked.append((messages, decoding))
        return [Answer(self.answers.pop(0), 10) for _ in range(min(decoding.count, len(self.answers)))]

    def count_tokens(self, text: str) -> int:
        return len(text)


check = Check(lambda source: assemble_text(source, ABI), lambda code: None)


def test_the_prompt_is_the_authors() -> None:
    prompt = build_prompt(TEXT)
    first, fence, *rest = prompt.splitlines()
    assert first == "Convert the following CUDA device assembly code to HIP device assembly:"
    assert fence == "```cudaasm"
    assert rest[:3] == [
        "code for sm_80",
        f"Function : {NAME}",
        '.headerflags @"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM80"',
    ]
    assert rest[3] == "/*0000*/ MOV R1, c[0x0][0x28] ; /* 0x00000a0000017a02 */"
    assert rest[4] == "/* 0x000fe40000000f00 */"
    assert rest[-2:] == ["..........", "```"]


def test_encodings_can_be_left_out() -> None:
    assert "0x00000a0000017a02" not in normalize(TEXT, encodings=False)


def test_each_generation_has_its_model() -> None:
    assert [family(sm) for sm in (75, 80, 86, 89, 90)] == ["smA100", "smA100", "sm4090", "sm4090", "sm4090"]


def test_a_greedy_answer_that_passes_ends_the_search() -> None:
    model = Scripted([good_answer()])
    outcome = Search(SASS, TEXT, model, check, Budget()).run()
    assert outcome.source is not None
    assert [(attempt.kind, attempt.reason) for attempt in outcome.attempts] == [("greedy", "")]
    assert model.asked[0][1].temperature == 0
    assert outcome.provenance["prompt"] == digest(model.asked[0][0])


def test_the_assemblers_words_come_back_as_a_repair_turn() -> None:
    bad = good_answer().replace("\ts_endpgm", "\tv_frobnicate v0\n\ts_endpgm")
    model = Scripted([bad, good_answer()])
    outcome = Search(SASS, TEXT, model, check, Budget()).run()
    assert [attempt.kind for attempt in outcome.attempts] == ["greedy", "repair 1"]
    conversation = model.asked[1][0]
    assert [message.role for message in conversation] == ["user", "assistant", "user"]
    assert "v_frobnicate" in conversation[2].content
    assert conversation[1].content == bad


def test_samples_follow_the_repairs() -> None:
    model = Scripted(["no", "no", "no", "still no", good_answer(), "no kernel either"])
    outcome = Search(SASS, TEXT, model, check, Budget(repairs=2, samples=3)).run()
    assert outcome.source is not None
    kinds = [attempt.kind for attempt in outcome.attempts]
    assert kinds[:3] == ["greedy", "repair 1", "repair 2"]
    assert kinds[3:] == ["sample 1", "sample 3", "sample 2"]  # what is cheaply rejected comes before what is verified
    assert model.asked[-1][1].count == 3
    assert model.asked[-1][1].temperature > 0


def test_the_same_assembly_is_not_judged_twice() -> None:
    def refuse(code: CodeObject) -> None:
        raise Rejected("wrong result", witness="lane 3")

    model = Scripted([good_answer(), good_answer() + "; the same bytes"])
    outcome = Search(SASS, TEXT, model, Check(check.assemble, refuse), Budget(repairs=1, samples=0)).run()
    assert outcome.source is None
    assert "lane 3" in outcome.attempts[0].reason
    assert "same assembly" in outcome.attempts[1].reason


def test_the_token_budget_ends_the_search() -> None:
    model = Scripted(["no"] * 10)
    outcome = Search(SASS, TEXT, model, check, Budget(tokens=15, repairs=9)).run()
    assert len(outcome.attempts) == 2


def test_a_prompt_beyond_the_window_is_unsupported() -> None:
    with pytest.raises(Unsupported, match=r"prompt length"):
        Search(SASS, TEXT, Scripted([], window=50), check, Budget()).run()


def index(directory: Path, messages: tuple[Message, ...], text: str) -> None:
    (directory / "one.md").write_text(text)
    entry = {"file": "one.md", "kernel": NAME, "note": "test"}
    (directory / "answers.json").write_text(json.dumps({"format": 1, "answers": {digest(messages): entry}}))


def test_recorded_answers_end_to_end(tmp_path: Path) -> None:
    index(tmp_path, (Message("user", build_prompt(TEXT)),), good_answer())
    source = translate_kernel(TEXT, SASS, Config.read({"CASS_MODEL": str(tmp_path)}), check)
    assert source.text.startswith("; cass model: recorded answers")
    code = assemble_text(source, ABI)
    assert code.symbol == NAME
    said = code.provenance  # what a record of the cache holds
    assert said["model"].startswith("recorded answers") and said["decoding"] == "greedy, temperature 0"
    assert said["candidates"] == "1" and said["prompt"] == digest((Message("user", build_prompt(TEXT)),))
    assert said["route"] == "assembly text"


def test_an_origin_is_what_stands_in_front_and_nothing_of_the_answer() -> None:
    text = with_origin("; cass model: forged\n\ts_endpgm\n", {"model": "real", "note": "a\nb: c"})
    assert text.startswith("; cass model: real\n; cass note: a b: c\n; cass model: forged\n")
    assert origin_of(text) == {"model": "real", "note": "a b: c"}
    assert origin_of("\ts_endpgm\n; cass model: later\n") == {} == origin_of("")


def test_an_unrecorded_prompt_is_a_tool_failure(tmp_path: Path) -> None:
    index(tmp_path, (Message("user", "something else"),), good_answer())
    with pytest.raises(ToolFailed, match=r"none for conversation"):
        translate_kernel(TEXT, SASS, Config.read({"CASS_MODEL": str(tmp_path)}))


def test_a_recorded_file_outside_its_directory_is_refused(tmp_path: Path) -> None:
    messages = (Message("user", "x"),)
    entry = {"file": "../../etc/passwd"}
    (tmp_path / "answers.json").write_text(json.dumps({"answers": {digest(messages): entry}}))
    with pytest.raises(CassError, match="outside"):
        RecordedModel(tmp_path).generate(messages, Decoding())


def test_nothing_configured_says_what_to_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setattr(models, "SHIPPED", tmp_path)  # a package without a checkpoint
    with pytest.raises(Unsupported, match="set CASS_MODEL"):
        choose("", 80)


def test_rejected_answers_are_named(tmp_path: Path) -> None:
    first = Message("user", build_prompt(TEXT))
    index(tmp_path, (first,), "I am sorry.")
    with pytest.raises(Rejected, match=r"greedy: .*no code for the kernel"):
        translate_kernel(TEXT, SASS, Config.read({"CASS_MODEL": str(tmp_path)}), check)


class Handler(http.server.BaseHTTPRequestHandler):
    """A chat server that speaks what its class says."""

    replies: ClassVar[list[tuple[int, bytes]]] = []
    seen: ClassVar[list[dict[str, object]]] = []
    owner: ClassVar[str] = "somebody"

    def do_GET(self) -> None:
        known = {"id": "cass-test", "max_model_len": 32768, "owned_by": Handler.owner}
        self._send(200, json.dumps({"data": [known]}).encode())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Handler.seen.append(json.loads(body))
        self._send(*Handler.replies.pop(0))

    def _send(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    Handler.replies, Handler.seen, Handler.owner = [], [], "somebody"
    running = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    running.server_close()


def chat(*texts: str, finish: str = "stop") -> bytes:
    choices = [{"message": {"role": "assistant", "content": text}, "finish_reason": finish} for text in texts]
    return json.dumps({"choices": choices, "usage": {"completion_tokens": 40}}).encode()


def test_a_server_gives_the_same_result_as_recorded_answers(server: str, tmp_path: Path) -> None:
    Handler.replies = [(200, chat(good_answer()))]
    model = OpenAiModel(server)
    assert (model.name, model.window) == ("cass-test", 32768)
    by_server = Search(SASS, TEXT, model, check, Budget()).run().source
    index(tmp_path, (Message("user", build_prompt(TEXT)),), good_answer())
    by_record = Search(SASS, TEXT, RecordedModel(tmp_path), check, Budget()).run().source
    assert by_server == by_record
    assert Handler.seen[0]["messages"] == [{"role": "user", "content": build_prompt(TEXT)}]
    assert Handler.seen[0]["temperature"] == 0


@pytest.mark.parametrize(
    ("owner", "field"), [("vllm", "structured_outputs"), ("sglang", "ebnf"), ("llamacpp", "grammar")]
)
def test_a_server_that_can_is_given_the_grammar(server: str, owner: str, field: str) -> None:
    Handler.owner = owner
    Handler.replies = [(200, chat(good_answer()))]
    OpenAiModel(server, "cass-test").generate((Message("user", "x"),), Decoding())
    given = Handler.seen[0][field]
    assert (given["grammar"] if isinstance(given, dict) else given) == grammar()


def test_a_server_that_refuses_the_grammar_is_asked_without_it(server: str) -> None:
    Handler.owner = "vllm"
    Handler.replies = [(400, b"unsupported"), (200, chat(good_answer())), (200, chat(good_answer()))]
    model = OpenAiModel(server)
    model.generate((Message("user", "x"),), Decoding())
    model.generate((Message("user", "x"),), Decoding())
    assert ["structured_outputs" in one for one in Handler.seen] == [True, False, False]


def test_an_answer_cut_by_the_limit_is_rejected(server: str) -> None:
    Handler.replies = [(200, chat(good_answer(), finish="length"))]
    outcome = Search(SASS, TEXT, OpenAiModel(server), check, Budget(repairs=0, samples=0)).run()
    assert "token limit" in outcome.attempts[0].reason


@pytest.mark.parametrize(
    ("status", "content"),
    [(500, b"out of memory"), (200, b"<html>"), (200, b"[]"), (200, b"{}"), (200, b'{"choices": [{}]}')],
)
def test_a_broken_server_is_a_tool_failure(server: str, status: int, content: bytes) -> None:
    Handler.replies = [(status, content)]
    with pytest.raises(ToolFailed):
        OpenAiModel(server).generate((Message("user", "x"),), Decoding(timeout_s=5))


def test_an_unreachable_server_is_a_tool_failure() -> None:
    with pytest.raises(ToolFailed):
        OpenAiModel("http://127.0.0.1:9", "name").generate((Message("user", "x"),), Decoding(timeout_s=2))


def test_repair_turns_are_bounded() -> None:
    assert len(repair_turn("x" * 100_000)) < 2200
