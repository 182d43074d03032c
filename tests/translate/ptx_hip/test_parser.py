"""The PTX parser: what the grammar allows, where errors are, and that no text makes it crash."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cass_shim.isa.ptx.syntax import Address, Float, Instruction, Integer, Module, Pair, Register, Sink, Symbol, Vector
from cass_shim.model.errors import Malformed
from cass_shim.translate.ptx_hip import lexer
from cass_shim.translate.ptx_hip.names import readable
from cass_shim.translate.ptx_hip.parser import parse_module

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def body(text: str) -> list[Instruction]:
    module = parse_module(f"{HEAD}.visible .entry k(.param .u64 p) {{\n{text}\n}}\n")
    return [one for one in module.functions["k"].body or [] if isinstance(one, Instruction)]


def module(text: str) -> Module:
    return parse_module(HEAD + text)


def test_comments_keep_places_and_hide_nothing_else() -> None:
    """A comment of several lines; what begins one in a string or behind // begins none."""
    text = 'ret; /* one\n two */ .pragma "/*"; // /* \n   /* a */ /* b */ exit;'
    ret, leave = body(text)
    assert (ret.line, ret.column) == (5, 1)
    assert (leave.opcode, leave.line, leave.column) == ("exit", 7, 20)
    with pytest.raises(Malformed, match="line 6, column 6: comment or string without an end"):
        body('ret;\nret; /* .pragma "*";')


def test_a_line_that_stands_there_again_is_not_read_again() -> None:
    lexer._remembered.cache_clear()
    tokens = lexer.tokenize("add.u32 %r1, %r2, 3;\n" * 1000)
    assert lexer._remembered.cache_info().misses == 2  # it, and the empty one at the end
    assert len(tokens) == 8 * 1000 + 1
    assert (tokens[8 * 999].line, tokens[8 * 999].column) == (1000, 1)


def test_spaces_before_what_starts_no_token_take_no_time() -> None:
    """The fuzzer's, 2026-11-22: twice as long with every space, while each was tried as a run of its own."""
    began = time.process_time()
    with pytest.raises(Malformed, match="line 1, column 10001: character 'é'"):
        parse_module(" " * 10_000 + "é")
    assert time.process_time() - began < 1


def test_a_mangled_name_with_a_length_beyond_any() -> None:
    name = f"_ZN{'1' * 5000}aE"
    assert readable(name) == name


def test_header_and_kernel() -> None:
    parsed = parse_module(".version 7.8\n.target sm_90a, debug\n.address_size 64\n.entry k() { ret; }")
    assert (parsed.version, parsed.target, parsed.address_bits) == ((7, 8), ("sm_90a", "debug"), 64)
    assert parsed.functions["k"].entry


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), ("-1", -1), ("0x1F", 31), ("0b101", 5), ("017", 15), ("7U", 7), ("(1 + 2) * 3", 9), ("1 << 4 | 3", 19),
     ("~0", -1), ("!5", 0), ("-7 / 2", -3), ("7 % 4", 3), ("WARP_SZ", 32), ("5 > 3", 1), ("(.s64) -4", -4)],
)  # fmt: skip
def test_constant_expressions(text: str, value: int) -> None:
    (one,) = body(f".reg .b64 %r; mov.b64 %r, {text};")
    assert one.operands[1] == Integer(value)


@pytest.mark.parametrize(
    ("text", "constant"),
    [("0f3F800000", Float(0x3F800000, single=True)), ("0d3FF0000000000000", Float(0x3FF0000000000000)),
     ("1.5", Float(0x3FF8000000000000)), ("2e3", Float(0x409F400000000000)),
     ("-0f3F800000", Float(0xBF800000, single=True))],
)  # fmt: skip
def test_floating_constants(text: str, constant: Float) -> None:
    (one,) = body(f".reg .f64 %f; mov.f64 %f, {text};")
    assert one.operands[1] == constant


def test_operands() -> None:
    text = """.reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<3>; .shared .b8 buffer[64];
    @!%p1 ld.global.v2.u32 {%r1, _}, [%rd1+-8];
    setp.lt.and.s32 %p1|%p2, %r1, -5, !%p0;
    st.shared.u32 [buffer+4], %r2;
    mov.u32 %r3, %tid.x;"""
    load, compare, store, special = body(text)
    assert load.guard == (Register("%p1", "pred"), True)
    assert load.operands[0] == Vector((Register("%r1", "b32"), Sink()))
    assert load.operands[1] == Address(Register("%rd1", "b64"), -8)
    assert compare.operands[0] == Pair(Register("%p1", "pred"), Register("%p2", "pred"))
    assert store.operands[0] == Address(Symbol("buffer"), 4)
    assert special.operands[1] == Register("%tid", "u32", special=True, part=".x")


def test_inner_scopes_get_names_of_their_own() -> None:
    text = ".reg .b32 t; { .reg .b32 t; mov.b32 t, 1; { .reg .b32 t; mov.b32 t, 2; } } mov.b32 t, 3;"
    names = [one.operands[0].name for one in body(text) if isinstance(one.operands[0], Register)]
    assert len(set(names)) == 3


def test_labels_of_inner_scopes_are_their_own() -> None:
    text = "{ bra L; L: } { bra L; L: } ret;"
    parsed = module(f".entry k() {{ {text} }}")
    targets = [one.operands for one in parsed.functions["k"].body or [] if isinstance(one, Instruction)]
    assert targets[0] != targets[1]


def test_thousands_of_scopes_that_declare_the_same_take_no_time() -> None:
    """Each piece of inline assembly is one; a fuzzer's 12,000 registers of one name took 10 s (39 s: 8,000 scopes)."""
    one = "{ .reg .b32 t; .reg .pred q<3>; .local .b32 v; bra L; L: mov.u32 t, 1; }\n"
    began = time.process_time()
    assert len(body(4000 * one)) == 8000
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (".reg .b32 x; .reg .b32 x;", "x"),
        (".reg .b32 %r<3>; .reg .b64 %r<3>;", "%r"),
        (".reg .b32 %r<3>; .reg .b32 %r2;", "%r2"),
        (".reg .b32 x; .local .b32 x;", "x"),
        (".shared .b32 x; .local .b32 x;", "x"),
        (".reg .b32 p;", "p"),
        (".reg .b32 x; x: ret;", "x"),
        ("x: ret; x: ret;", "x"),
    ],
)
def test_a_scope_declares_a_name_once(text: str, name: str) -> None:
    """ptxas 13.0: "Duplicate definition of variable", of each of these."""
    with pytest.raises(Malformed, match=f"{name} is declared twice in one scope"):
        body(text)


def test_a_name_may_be_declared_again_further_in() -> None:
    body(".reg .b32 x; .reg .b32 %r<3>; { .reg .b64 x; .reg .b32 %r2; .reg .b32 p; x2: ret; } { .reg .pred x; }")


def test_variables_and_initialisers() -> None:
    parsed = module(
        ".visible .global .align 8 .u64 table[3] = {generic(text), f, text+2};\n"
        ".global .align 1 .b8 text[4] = {104, 105};\n"
        ".const .f32 scale = 0f3F000000;\n"
        ".extern .shared .align 16 .b8 dynamic[];\n"
        ".global .b8 address[8] = {0xFF(text), 0xFF00(text), 0xFF0000(text), 0xFF000000(text), 0xFF00000000(text), "
        "0xFF0000000000(text), 0xFF000000000000(text), 0xFF00000000000000(text)};\n"
        ".visible .global .attribute(.managed) .u32 shared_with_host;\n"
    )
    table = parsed.variables["table"]
    assert [one.symbol for one in table.initializer] == ["text", "f", "text"]
    assert (table.initializer[0].generic, table.initializer[2].value) == (True, 2)
    assert parsed.variables["text"].count == 4
    assert parsed.variables["dynamic"].linkage == "extern"
    assert parsed.variables["address"].initializer[1].mask == 0xFF00
    assert parsed.variables["shared_with_host"].managed


def test_functions_prototypes_and_calls() -> None:
    parsed = module(
        """.func (.param .b32 r) f(.param .b64 a);
        .func (.param .b32 r) f(.param .b64 a) { ret; }
        .alias g, f;
        .entry k() { .reg .b64 %rd<2>; .param .b32 x; .param .b64 y;
        call.uni (x), f, (y);
        p: .callprototype (.param .b32 _) _ (.param .b64 _);
        call (x), %rd1, (y), p;
        t: .branchtargets A, B;
        A: B: ret; }"""
    )
    kernel = parsed.functions["k"]
    assert parsed.functions["f"].body is not None
    assert parsed.aliases == {"g": "f"}
    assert len(kernel.prototypes["p"].parameters) == 1
    assert kernel.targets["t"] == ("A", "B")


def test_debug_sections_files_and_pragmas_are_skipped() -> None:
    parsed = module(
        '.file 1 "a.cu"\n.entry k() .maxntid 256, 1, 1 .minnctapersm 2 {\n.loc 1 3 0\n.pragma "nounroll";\nret;\n}\n'
        ".section .debug_abbrev { .b8 1, 2, 3\n .b32 label+4\n }\n"
    )
    assert parsed.functions["k"].tuning == {"maxntid": (256, 1, 1), "minnctapersm": (2,)}


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("nonsense", "line 1, column 1", "PTX starts with .version"),
        (HEAD + ".entry k() {\n  add.u32 %r1, %r2, 3;\n}", "line 5, column 11", "%r1 is not declared"),
        (HEAD + ".entry k() {\n  ret\n}", "line 6, column 1", "expected ;"),
        (HEAD + ".entry k() {\n", "line 5, column 1", "expected }"),
        (HEAD + ".entry k() { /* \n", "line 4, column 14", "without an end"),
        (HEAD + ".frob 3\n", "line 4, column 1", "unknown directive .frob"),
        (HEAD + ".const .u32 c = 0800;", "line 4, column 17", "a number that is none"),  # the fuzzer's, 2026-11-22
        (HEAD + f".const .u32 c = -{'1' * 5000};", "line 4, column 18", "a number that is none"),
        (HEAD + f".entry k() {{ .reg .b32 %r<{'9' * 5000}>; }}", "line 4, column 27", "a number that is none"),
        (HEAD + f".entry k() {{ .reg .b32 %r<9>; mov.u32 %r{'1' * 5000}, 1; }}", "line 4", "is not declared"),
        (".version 0x8\n", "line 1, column 1", "a version that is none"),
        (f".version {'8' * 5000}.0\n", "line 1, column 1", "a version that is none"),
        (HEAD + ".entry k() { .reg .b32 %r<2>; mov.b32 %r5, 0; }", "line 4", "%r5 is not declared"),
        (HEAD + ".entry k() { .reg .b32 %r; @%r ret; }", "line 4", "not a predicate"),
        (HEAD + ".global .b32 x[2] = {1, 2, 3};", "line 4", "more initialisers"),
        (HEAD + ".global .align 3 .b32 x;", "line 4", "alignment 3"),
        (".version 8.0\n.target sm_80\n.address_size 32\n", "line 3", "only 64-bit"),
        (HEAD + ".entry k() { L: L: ret; }", "line 4", "declared twice"),
        (HEAD + ".entry k() { ret; } .entry k() { ret; }", "line 4", "defined twice"),
        (HEAD + ".const .b32 x = 1 / 0;", "line 4", "division by zero"),
        (HEAD + '.entry k() { .reg .b32 %r; mov.b32 %r, "a"; }', "line 4", "expected a constant"),
    ],
)
def test_errors_name_their_place(text: str, place: str, reason: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_module(text)
    assert place in str(caught.value)
    assert reason in str(caught.value)


def test_limits_hold() -> None:
    for text in (
        ".entry k() { .reg .b32 %r<99999999999>; }",
        ".global .b8 x[99999999999];",
        ".entry k() " + "{" * 1000,
        ".global .b32 x = " + "(" * 5000 + "1" + ")" * 5000 + ";",
        ".global .b32 x = " + "-" * 5000 + "1;",
        ".global .b32 x[4] = " + "{" * 5000,
    ):
        with pytest.raises(Malformed):
            module(text)


def test_a_long_module_parses_in_time() -> None:
    line = "add.s32 %r{0}, %r{1}, 3;\n"
    text = "".join(line.format(1 + at % 90, 1 + (at * 7) % 90) for at in range(10_000))
    started = time.process_time()
    assert len(body(f".reg .b32 %r<100>;\n{text}")) == 10_000
    assert time.process_time() - started < 2.0


TOKENS = [".", "{", "}", "(", ")", "[", "]", ";", ",", ":", "@", "!", "+", "-", "<", ">", "|", "%r1", "%p1", "k", "L",
          ".reg", ".entry", ".func", ".param", ".b32", ".u64", ".pred", ".shared", ".align", "4", "0x10", "0f00000000",
          "mov", ".u32", "bra", "ret", "call", "_", "generic", ".global", "=", ".v2", "\n", '"s"', ".pragma", ".alias",
          ".branchtargets", ".callprototype", ".loc", ".section", ".version 8.0", "-5", "%tid", ".x",
          "WARP_SZ"]  # fmt: skip


@settings(max_examples=1500, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=60))
def test_any_tokens_parse_or_are_malformed(tokens: list[str]) -> None:
    for text in (
        HEAD + " ".join(tokens),
        HEAD + ".entry k() { .reg .b32 %r1; .reg .pred %p1; " + " ".join(tokens) + "}",
    ):
        try:
            parse_module(text)
        except Malformed:
            continue


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_any_text_parses_or_is_malformed(text: str) -> None:
    try:
        parse_module(HEAD + text)
    except Malformed:
        return
