"""Atomics. Source: PTX ISA 9.0 §9.7.13.5 (atom) and §9.7.13.6 (red)."""

from __future__ import annotations

from cass_shim.isa.ptx.memory import SCOPES, access_space, generic_address, take_policy
from cass_shim.isa.ptx.spec import Use, Writer, items_of, memory, ptx
from cass_shim.isa.ptx.syntax import Operand, Sink
from cass_shim.isa.ptx.types import TYPES, bits_of

_HEAD = "{order:relaxed|acquire|release|acq_rel}?.{scope:cta|cluster|gpu|sys}?.{space:global|shared|shared::cta}?"
_HINT = "{hint:L2::cache_hint}?"
_GLOBAL_HINT = {"L2::cache_hint": "shared shared::cta"}
_HALVES = frozenset(("f16", "f16x2", "bf16", "bf16x2"))
_ORDERS = {"": "RELAXED", "relaxed": "RELAXED", "acquire": "ACQUIRE", "release": "RELEASE", "acq_rel": "ACQ_REL"}


def _pointer(w: Writer, i: Use, a: Operand, c: str) -> str:
    space = access_space(w, i, a)
    if space not in ("", "global", "shared"):
        raise i.unsupported(f"an atomic on {space} memory")
    qualifier = {"": "", "global": "GLOBAL ", "shared": "SHARED "}[space]
    at = w.address(memory(a, i), space)
    return f"({qualifier}{c} *){at if at.isidentifier() else f'({at})'}"


def _template(i: Use) -> str:
    return f"<__ATOMIC_{_ORDERS[i['order']]}, __HIP_MEMORY_SCOPE_{SCOPES[i['scope']]}>"


def _operate(w: Writer, i: Use, d: Operand, a: Operand, sources: list[Operand]) -> None:
    """One element; the C++ type of the pointer says signedness and format."""
    t = i.t
    for operand in sources if isinstance(d, Sink) else (d, *sources):
        w.agree(operand, t)
    name, c = f"ptx_atom_{i['op']}", TYPES[t].c
    if t in _HALVES:  # by their bits, compared and swapped
        name, c, t = f"{name}_{t}", f"u{bits_of(t)}", f"b{bits_of(t)}"
    values = ", ".join(w.get(source, t) for source in sources)
    if t == "b128":
        text = f"{name}_128({generic_address(w, i, a)}, {values})"
    else:
        text = f"{name}{_template(i)}({_pointer(w, i, a, c)}, {values})"
    if isinstance(d, Sink):
        w.line(text)
    else:
        w.set(d, t, text)


_FORMS = (
    "{op:and|or|xor}.{t:b32|b64}",
    "{op:add}.{t:u32|s32|u64|f32|f64}",
    "{op:add}.noftz.{t:f16|f16x2|bf16|bf16x2}",
    "{op:inc|dec}.{t:u32}",
    "{op:min|max}.{t:u32|s32|u64|s64}",
)


@ptx(
    *(f"atom.{_HEAD}.{form}.{_HINT}" for form in _FORMS),
    f"atom.{_HEAD}.{{op:exch}}.{{t:b32|b64|b128}}.{_HINT}",
    never=_GLOBAL_HINT,
)
def atom(w: Writer, i: Use) -> None:
    """d = [a]; [a] = d op b, as one step."""
    d, a, b, *policy = i.take(4 if i["hint"] else 3)
    take_policy(w, i, policy)
    _operate(w, i, d, a, [b])


@ptx(f"atom.{_HEAD}.{{op:cas}}.{{t:b16|b32|b64|b128}}")
def atom_cas(w: Writer, i: Use) -> None:
    """d = [a]; [a] = d == b ? c : d, as one step."""
    d, a, b, c = i.take(4)
    _operate(w, i, d, a, [b, c])


_RED_HEAD = _HEAD.replace("|acquire|release|acq_rel", "|release")


@ptx(*(f"red.{_RED_HEAD}.{form}.{_HINT}" for form in _FORMS), never=_GLOBAL_HINT)
def red(w: Writer, i: Use) -> None:
    """[a] = [a] op b, as one step."""
    a, b, *policy = i.take(3 if i["hint"] else 2)
    take_policy(w, i, policy)
    _operate(w, i, Sink(), a, [b])


_VECTORS = (
    "{op:add}.{hint:L2::cache_hint}?.{vec:v2|v4}.{t:f32}",
    "{op:add|min|max}.noftz.{hint:L2::cache_hint}?.{vec:v2|v4|v8}.{t:f16|bf16}",
    "{op:add|min|max}.noftz.{hint:L2::cache_hint}?.{vec:v2|v4}.{t:f16x2|bf16x2}",
)


def _elements(w: Writer, i: Use, d: Operand, a: Operand, b: Operand) -> None:
    """Element by element: only each element is one step."""
    count = int(i["vec"][1:])
    address = memory(a, i)
    results = [Sink()] * count if isinstance(d, Sink) else items_of(d, count, i)
    for index, (result, item) in enumerate(zip(results, items_of(b, count, i), strict=True)):
        step = index * bits_of(i.t) // 8
        _operate(w, i, result, type(address)(address.base, address.offset + step), [item])


@ptx(*(f"red.{_RED_HEAD}.{form}" for form in _VECTORS), never={"v2 v4 v8": "shared shared::cta"})
def red_vector(w: Writer, i: Use) -> None:
    """[a] = [a] op b for each element."""
    a, b, *policy = i.take(3 if i["hint"] else 2)
    take_policy(w, i, policy)
    _elements(w, i, Sink(), a, b)


@ptx(*(f"atom.{_HEAD}.{form}" for form in _VECTORS), never={"v2 v4 v8": "shared shared::cta"})
def atom_vector(w: Writer, i: Use) -> None:
    """d = [a]; [a] = d op b for each element."""
    d, a, b, *policy = i.take(4 if i["hint"] else 3)
    take_policy(w, i, policy)
    _elements(w, i, d, a, b)
