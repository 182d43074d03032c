"""Probes of control flow, calls and the stack: each lane takes a way of its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from cass_shim.isa.ptx.memory import DATA
from cass_shim.isa.ptx.types import bits_of
from tools.ptxforms.oracle import register
from tools.ptxforms.probes import Probe, load, store
from tools.ptxforms.signatures import Form

_CALL = frozenset({"call"})
_LOCAL = frozenset({"local"})
_OWN = "and.b32 %u32_60, %lane, 3; setp.eq.u32 %pred_60, %u32_60, 0; mov.b32 %b32_10, 5;"
_KEPT = tuple(store("b32", "%b32_10", 0))


def branches() -> Iterator[Probe]:
    """bra, brx.idx, ret and exit."""
    for uni in ("", ".uni"):
        where = "setp.lt.u32 %pred_60, %lane, 9999;" if uni else _OWN
        skip = f"{{ @%pred_60 bra{uni} OVER; mov.b32 %b32_10, 7; OVER: }}"
        yield Probe(f"bra{uni}", (_OWN, where, skip, *_KEPT))
        loop = "{ AGAIN: add.u32 %b32_10, %b32_10, 3; sub.u32 %u32_60, %u32_60, 1;"
        turns = "mov.u32 %u32_60, 6;" if uni else "and.b32 %u32_60, %lane, 15; add.u32 %u32_60, %u32_60, 1;"
        yield Probe(f"bra{uni} loop", (_OWN, turns, f"{loop} setp.ne.u32 %pred_60, %u32_60, 0;"
                    f" @%pred_60 bra{uni} AGAIN; }}", *_KEPT))  # fmt: skip
        index = "mov.u32 %u32_60, 2;" if uni else ""
        table = "{ TABLE: .branchtargets L0, L1, L2, L3;" + f" brx.idx{uni} %u32_60, TABLE;" + " ".join(
            f" L{k}: add.u32 %b32_10, %b32_10, {10 ** k};{' bra OVER;' if k != 1 else ''}" for k in range(4)
        ) + " OVER: }"  # fmt: skip
        yield Probe(f"brx.idx{uni}", (_OWN, index, table, *_KEPT))
        yield Probe(
            f"ret{uni}", (_OWN, "setp.ge.u32 %pred_60, %lane, 32;" if uni else "", f"@%pred_60 ret{uni};", *_KEPT)
        )
    for form in ("trap", "brkpt"):  # the launch fails
        yield Probe(form, (f"{form};", _OWN, *_KEPT))
    yield Probe("exit", (_OWN, "@%pred_60 exit;", *_KEPT))


def calls() -> Iterator[Probe]:
    """Direct, through a register with a prototype or a table, recursive, and parameters of every type."""
    seven = "and.b32 %b32_0, %lane, 7;"
    for uni in ("", ".uni"):
        yield Probe(f"call{uni}", (seven, f"call{uni} (%b32_10), twice, (%b32_0);", *_KEPT), _CALL)
        if not uni:
            yield Probe("call guarded", (_OWN, seven, "@%pred_60 call (%b32_10), twice, (%b32_0);", *_KEPT), _CALL)
        pick = "mov.u64 %u64_60, twice;" + (
            "" if uni else " mov.u64 %u64_61, negated; selp.b64 %u64_60, %u64_60, %u64_61, %pred_60;")  # fmt: skip
        proto = (
            f"{{ PROTO: .callprototype (.reg .b32 _) _ (.reg .b32 _); call{uni} (%b32_10), %u64_60, (%b32_0), PROTO; }}"
        )
        yield Probe(f"call{uni} prototype", (_OWN, seven, pick, proto, *_KEPT), _CALL)
        table = f"{{ TABLE: .calltargets twice, negated; call{uni} (%b32_10), %u64_60, (%b32_0), TABLE; }}"
        yield Probe(f"call{uni} table", (_OWN, seven, pick, table, *_KEPT), _CALL)
    yield Probe("call recursive", (seven, "call (%b32_10), sum_to, (%b32_0);", *_KEPT), _CALL)
    for t, vector, space in product(DATA.split("|"), ("", ".v2", ".v4"), ("param", "param::func")):
        count = int(vector[2:] or 1)
        if count * bits_of(t) <= 128:
            form = f"{space}{vector}.{t}"
            yield _parameter(f"ld.{form} of a call", f"st.{form}", f"ld.{form}", t, count)


def of_parameter(form: Form) -> Probe | None:
    """The probe of a load or store of a function's parameter with all its modifiers; None where it is another's."""
    opcode, *modifiers = form.name.split(".")
    if "param::func" not in modifiers and (opcode, "param" in modifiers) != ("st", True):
        return None
    t = modifiers[-1]
    vector = next((each for each in modifiers if each in ("v2", "v4")), "")
    plain = f"param.{vector}.{t}" if vector else f"param.{t}"
    store_form, load_form = (form.name, f"ld.{plain}") if opcode == "st" else (f"st.{plain}", form.name)
    return _parameter(f"{form.name} of a call", store_form, load_form, t, int(vector[1:] or 1))


def _parameter(name: str, stores_by: str, loads_by: str, t: str, count: int) -> Probe:
    """Elements of a type to a function and back, as `ld` and `st` of its parameters."""
    names = [register(t, at) for at in range(2 * count)]
    step = 16 if t == "b128" else 8
    loads = [line for at in range(count) for line in load(t, names[at], step * at)]
    given, back = ("{" + ", ".join(part) + "}" if count > 1 else part[0] for part in (names[:count], names[count:]))
    width = max(bits_of(t) // 8, 2)
    stores = [line for at in range(count) for line in store(t, names[count + at], width * at)]
    head = "{ .param .align 32 .b8 arg[32]; .param .align 32 .b8 res[32];"
    call = f"{stores_by} [arg+16], {given}; call (res), echo, (arg); {loads_by} {back}, [res+16]; }}"
    return Probe(name, (*loads, f"{head} {call}", *stores), _CALL)


def stacks() -> Iterator[Probe]:
    """alloca, stacksave and stackrestore: two blocks that keep what is put into them."""
    lane = "and.b32 %u32_62, %lane, 3; shl.b32 %u32_62, %u32_62, 4; add.u32 %u32_62, %u32_62, 32;"
    for t in ("u32", "u64"):
        one, two = f"%{t}_60", f"%{t}_61"
        size = (lane, f"mov.u32 %{t}_63, %u32_62;" if t == "u32" else f"cvt.{t}.u32 %{t}_63, %u32_62;")
        values = (*load("b32", "%b32_0", 0), *load("b32", "%b32_1", 8))
        blocks = f"alloca.{t} {one}, %{t}_63; alloca.{t} {two}, 64, 32;"
        narrow = f"mov.u32 %u32_65, {two};" if t == "u32" else f"cvt.u32.{t} %u32_65, {two};"
        use = (f"st.local.b32 [{one}+28], %b32_0; st.local.b32 [{two}+60], %b32_1;",
               f"ld.local.b32 %b32_10, [{one}+28]; ld.local.b32 %b32_11, [{two}+60];",
               narrow, "and.b32 %u32_65, %u32_65, 31;")  # fmt: skip
        kept = (*_KEPT, *store("b32", "%b32_11", 4), *store("u32", "%u32_65", 8))
        yield Probe(f"alloca.{t}", (*size, *values, blocks, *use, *kept))
        mark, again = f"stacksave.{t} %{t}_66;", f"stackrestore.{t} %{t}_66; alloca.{t} {one}, 48;"
        more = f"st.local.b32 [{one}+44], %b32_1; ld.local.b32 %b32_10, [{one}+44];"
        yield Probe(f"stacksave.{t}", (*size, *values, mark, blocks, *use, again, more, *kept))


def all_flow() -> Iterator[Probe]:
    """All of them."""
    for make in (branches, calls, stacks):
        yield from make()
