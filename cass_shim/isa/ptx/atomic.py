"""Atomics. Source: PTX ISA 9.0 §9.7.13.5 (atom) and §9.7.13.6 (red)."""

from __future__ import annotations

from cass_shim.isa.ptx.memory import SCOPES, access_space
from cass_shim.isa.ptx.spec import Use, Writer, items_of, memory, ptx
from cass_shim.isa.ptx.syntax import Operand, Sink
from cass_shim.isa.ptx.types import TYPES, bits_of

_HEAD = "{order:relaxed|acquire|release|acq_rel}?.{scope:cta|cluster|gpu|sys}?.{space:global|shared|shared::cta}?"
_HINT = "{hint:L2::cache_hint}?"
_GLOBAL_HINT = {"L2::cache_hint": "shared shared::cta"}
_ORDERS = {"": "RELAXED", "relaxed": "RELAXED", "acquire": "ACQUIRE", "release": "RELEASE", "acq_rel": "ACQ_REL"}


def _pointer(w: Writer, i: Use, a: Operand, c: str) -> str:
    space = access_space(w, i, a)
    if space not in ("", "global", "shared"):
        raise i.unsupported(f"an atomic on {space} memory")
    qualifier = {"": "", "global": "GLOBAL ", "shared": "SHARED "}[space]
    return f"({qualifier}{c} *)({w.address(memory(a, i), space)})"


def _ignore(w: Writer, policy: list[Operand]) -> None:
    """A cache policy is a hint, in a register of 64 bits."""
    for operand in policy:
        w.get(operand, "u64")


def _template(i: Use) -> str:
    return f"<__ATOMIC_{_ORDERS[i['order']]}, __HIP_MEMORY_SCOPE_{SCOPES[i['scope']]}>"


def _operate(w: Writer, i: Use, d: Operand, a: Operand, sources: list[Operand]) -> None:
    """One element; the C++ type of the pointer says signedness and format."""
    operation = i["op"]
    for operand in sources if isinstance(d, Sink) else (d, *sources):
        w.agree(operand, i.t)
    c = TYPES[i.t].c
    if operation == "add" and i.t in ("f16x2", "bf16", "bf16x2", "f16"):
        name = f"ptx_atom_add_{i.t}"
        c = "u32" if bits_of(i.t) == 32 else "u16"
        values = [w.get(source, f"b{bits_of(i.t)}") for source in sources]
    else:
        name = f"ptx_atom_{operation}"
        values = [w.get(source, i.t) for source in sources]
    text = f"{name}{_template(i)}({_pointer(w, i, a, c)}, {', '.join(values)})"
    if isinstance(d, Sink):
        w.line(text)
    else:
        w.set(d, f"b{bits_of(i.t)}" if i.t in ("f16x2", "bf16", "bf16x2", "f16") else i.t, text)


_FORMS = (
    "{op:and|or|xor}.{t:b32|b64}",
    "{op:add}.{t:u32|s32|u64|f32|f64}",
    "{op:add}.noftz.{t:f16|f16x2|bf16|bf16x2}",
    "{op:inc|dec}.{t:u32}",
    "{op:min|max}.{t:u32|s32|u64|s64}",
)


@ptx(
    *(f"atom.{_HEAD}.{form}.{_HINT}" for form in _FORMS),
    f"atom.{_HEAD}.{{op:exch}}.{{t:b32|b64}}.{_HINT}",
    never=_GLOBAL_HINT,
)
def atom(w: Writer, i: Use) -> None:
    """d = [a]; [a] = d op b, as one step."""
    d, a, b, *policy = i.take(4 if i["hint"] else 3)
    _ignore(w, policy)
    _operate(w, i, d, a, [b])


@ptx(f"atom.{_HEAD}.{{op:cas}}.{{t:b16|b32|b64}}")
def atom_cas(w: Writer, i: Use) -> None:
    """d = [a]; [a] = d == b ? c : d, as one step."""
    d, a, b, c = i.take(4)
    _operate(w, i, d, a, [b, c])


_RED_HEAD = _HEAD.replace("|acquire|release|acq_rel", "|release")


@ptx(*(f"red.{_RED_HEAD}.{form}.{_HINT}" for form in _FORMS), never=_GLOBAL_HINT)
def red(w: Writer, i: Use) -> None:
    """[a] = [a] op b, as one step."""
    a, b, *policy = i.take(3 if i["hint"] else 2)
    _ignore(w, policy)
    _operate(w, i, Sink(), a, [b])


_VECTOR_HEAD = _RED_HEAD.replace("global|shared|shared::cta", "global")


@ptx(
    f"red.{_VECTOR_HEAD}.{{op:add}}.{_HINT}.{{vec:v2|v4}}.{{t:f32}}",
    f"red.{_VECTOR_HEAD}.{{op:add|min|max}}.noftz.{_HINT}.{{vec:v2|v4|v8}}.{{t:f16|bf16}}",
    f"red.{_VECTOR_HEAD}.{{op:add|min|max}}.noftz.{_HINT}.{{vec:v2|v4}}.{{t:f16x2|bf16x2}}",
)
def red_vector(w: Writer, i: Use) -> None:
    """Element by element: only each element is one step."""
    a, b, *policy = i.take(3 if i["hint"] else 2)
    _ignore(w, policy)
    count = int(i["vec"][1:])
    address = memory(a, i)
    for index, item in enumerate(items_of(b, count, i)):
        step = index * bits_of(i.t) // 8
        _operate(w, i, Sink(), type(address)(address.base, address.offset + step), [item])
