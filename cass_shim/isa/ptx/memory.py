"""Loads, stores, addresses and moves. Source: PTX ISA 9.0 §9.7.9.

Cache operators, eviction priorities and prefetch sizes are hints: they are accepted and change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from cass_shim.isa.ptx.spec import Use, Writer, items_of, memory, ptx
from cass_shim.isa.ptx.syntax import Address, Integer, Operand, Register, Symbol, Vector
from cass_shim.isa.ptx.types import TYPES, bits_of

DATA = "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64|b128"
SPACES = "global|shared|shared::cta|local|const|param|param::entry|param::func"
_L1 = "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"
_L2 = "L2::evict_normal|L2::evict_first|L2::evict_last"
_HINTS = f"{{{_L1}}}?.{{l2:{_L2}}}?.{{hint:L2::cache_hint}}?"
_PREFETCH = "L2::64B|L2::128B|L2::256B"
_CACHED = f"{_L1}|{_L2}|L2::cache_hint|{_PREFETCH}".replace("|", " ")
# Hints are of global memory only; a cache operator and an eviction priority exclude each other.
_UNCACHED = {_CACHED: "shared shared::cta local const param param::entry param::func",
             "ca cg cs lu cv wb wt": f"{_L1}|{_L2}".replace("|", " "), "volatile": "local"}  # fmt: skip
SCOPES = {"": "AGENT", "cta": "WORKGROUP", "cluster": "AGENT", "gpu": "AGENT", "sys": "SYSTEM"}
_FIELDS = ("x", "y", "z", "w", "x2", "y2", "z2", "w2")

# Space → the suffix of the access functions of prelude/memory.hip.
_SUFFIX = {"": "generic", "global": "global", "shared": "shared", "shared::cta": "shared", "local": "local",
           "const": "const"}  # fmt: skip


def access_space(w: Writer, i: Use, operand: Operand) -> str:
    """The space of an access: as written, else that of the variable it names, else generic."""
    space = i["space"] or w.space_of(operand)
    return "shared" if space == "shared::cta" else space


def _vector_type(c: str, count: int) -> str:
    return c if count == 1 else f"v{count}<{c}>"


@ptx(
    f"ld.{{weak}}?.{{space:{SPACES}}}?.{{ca|cg|cs|lu|cv}}?.{{nc}}?.{_HINTS}.{{{_PREFETCH}}}?.{{vec:v2|v4|v8}}?.{{t:{DATA}}}",
    f"ldu.{{space:global}}?.{{vec:v2|v4}}?.{{t:{DATA}}}",
    only={"nc": "global"},
    never=_UNCACHED,
)
def ld(w: Writer, i: Use) -> None:
    """d = [a]; vectors element by element, narrow values extended to the register."""
    d, a = _hinted(w, i)
    if i["space"].startswith("param"):
        w.parameter_load(i, _types(i))
        return
    load = f"ptx_ld_{_suffix(w, i, a)}<{_vector_type(TYPES[i.t].c, _count(i))}>({_place(w, i, a)})"
    _spread(w, i, d, load)


def take_policy(w: Writer, i: Use, policy: Sequence[Operand]) -> None:
    """A cache policy is a hint, in a register of 64 bits."""
    for operand in policy:
        if isinstance(operand, Register) and bits_of(operand.type) != 64:
            raise i.unsupported(f"a cache policy in a .{operand.type} register")
        w.get(operand, "u64")


def _hinted(w: Writer, i: Use) -> tuple[Operand, Operand]:
    """The two operands; a cache policy stands after them where `.L2::cache_hint` says so."""
    first, second, *policy = i.take(3 if i["hint"] else 2)
    take_policy(w, i, policy)
    count, bits = _count(i), bits_of(i.t)
    wide = count * bits == 256 and bits in (32, 64)  # of sm_100
    if (
        count > 1
        and count * bits > 128
        and not (wide and i["space"] in ("", "global") and i.instruction.opcode != "ldu")
    ):
        raise i.unsupported(f"a vector of {count * bits} bits")
    if count == 8 and bits != 32:
        raise i.unsupported(f"eight elements of {i.t}")
    if i["l2"] and not wide:
        raise i.unsupported("an eviction priority of the second level with less than 256 bits")
    return first, second


_SHARED_OR_GLOBAL = "global|shared|shared::cta"


@ptx(
    f"ld.{{order:volatile}}.{{space:{SPACES}}}?.{{{_PREFETCH}}}?.{{vec:v2|v4}}?.{{t:{DATA}}}",
    f"ld.{{order:relaxed|acquire}}.{{scope:cta|cluster|gpu|sys}}.{{space:{_SHARED_OR_GLOBAL}}}?.{_HINTS}"
    f".{{{_PREFETCH}}}?.{{vec:v2|v4|v8}}?.{{t:{DATA}}}",
    f"ld.{{order:mmio}}.relaxed.{{scope:sys}}.{{space:global}}?.{{t:{DATA}}}",
    never=_UNCACHED,
)
def ld_ordered(w: Writer, i: Use) -> None:
    """A load the compiler may not move, split or repeat; .acquire orders what follows."""
    d, a = _hinted(w, i)
    _needs_order(w, i, a)
    if i.t == "b128" and _count(i) == 1:
        w.set(d, "b128", f"ptx_ld_128({generic_address(w, i, a)})")
        return
    order = {"acquire": "ACQUIRE"}.get(i["order"], "RELAXED")
    count, c, where, suffix = _count(i), TYPES[i.t].c, _at(w, i, a), _suffix(w, i, a)
    total = count * bits_of(i.t)
    function, scope = f"ptx_ld_{suffix}_{order.lower()}", f"__HIP_MEMORY_SCOPE_{_scope(i)}"
    if total <= 64:
        _spread(w, i, d, f"{function}<{_vector_type(c, count)}, {scope}>({where})")
        return
    if total == 128:
        _spread(w, i, d, f"ptx_ld_{suffix}_whole<{_vector_type(c, count)}>({where})")
        if order == "ACQUIRE":
            w.line(_fence(i, order))
        return
    names = []
    for index in range(count):  # PTX has each element in one step, and no more
        name = w.fresh("part")
        at = f"{where} + {index * bits_of(i.t) // 8}"
        w.line(f"{c} {name} = {function}<{c}, {scope}>({at})")
        names.append(name)
    for item, name in zip(items_of(d, count, i), names, strict=True):
        w.set(item, i.t, name)


def _scope(i: Use) -> str:
    return "SYSTEM" if i["order"] in ("volatile", "mmio") and not i["scope"] else SCOPES[i["scope"]]


def _fence(i: Use, order: str) -> str:
    scope = {"WORKGROUP": '"workgroup"', "SYSTEM": '""'}.get(_scope(i), '"agent"')
    return f"__builtin_amdgcn_fence(__ATOMIC_{order}, {scope})"


_WRITTEN = "global|shared|shared::cta|local|param|param::func"


@ptx(
    f"st.{{weak}}?.{{space:{_WRITTEN}}}?.{{wb|cg|cs|wt}}?.{_HINTS}.{{vec:v2|v4|v8}}?.{{t:{DATA}}}",
    never=_UNCACHED,
)
def st(w: Writer, i: Use) -> None:
    """[a] = b; a wider register gives its low bits."""
    a, b = _hinted(w, i)
    if i["space"].startswith("param"):
        w.parameter_store(i, _types(i))
        return
    count = _count(i)
    values = [w.get(item, i.t) for item in items_of(b, count, i)]
    value = values[0] if count == 1 else f"v{count}<{TYPES[i.t].c}>{{{', '.join(values)}}}"
    w.line(f"ptx_st_{_suffix(w, i, a)}<{_vector_type(TYPES[i.t].c, count)}>({_place(w, i, a)}, {value})")


@ptx(
    f"st.{{order:volatile}}.{{space:{_WRITTEN}}}?.{{vec:v2|v4}}?.{{t:{DATA}}}",
    f"st.{{order:relaxed|release}}.{{scope:cta|cluster|gpu|sys}}.{{space:{_SHARED_OR_GLOBAL}}}?.{_HINTS}"
    f".{{vec:v2|v4|v8}}?.{{t:{DATA}}}",
    f"st.{{order:mmio}}.relaxed.{{scope:sys}}.{{space:global}}?.{{t:{DATA}}}",
    never=_UNCACHED,
)
def st_ordered(w: Writer, i: Use) -> None:
    """A store the compiler may not move, split or drop; .release orders what precedes."""
    a, b = _hinted(w, i)
    _needs_order(w, i, a)
    if i.t == "b128" and _count(i) == 1:
        w.line(f"ptx_st_128({generic_address(w, i, a)}, {w.get(b, 'b128')})")
        return
    order = {"release": "RELEASE"}.get(i["order"], "RELAXED")
    count, c, where, suffix = _count(i), TYPES[i.t].c, _at(w, i, a), _suffix(w, i, a)
    total, function = count * bits_of(i.t), f"ptx_st_{suffix}_{order.lower()}"
    values = [w.get(item, i.t) for item in items_of(b, count, i)]
    vector = values[0] if count == 1 else f"{_vector_type(c, count)}{{{', '.join(values)}}}"
    if total == 128:
        if order == "RELEASE":
            w.line(_fence(i, order))
        w.line(f"ptx_st_{suffix}_whole({where}, {vector})")
    elif total < 128:
        w.line(f"{function}<{_vector_type(c, count)}, __HIP_MEMORY_SCOPE_{_scope(i)}>({where}, {vector})")
    else:
        for index, value in enumerate(values):
            at = f"{where} + {index * bits_of(i.t) // 8}" if index else where
            w.line(f"{function}<{c}, __HIP_MEMORY_SCOPE_{_scope(i)}>({at}, {value})")


def _needs_order(w: Writer, i: Use, a: Operand) -> None:
    if i["space"].startswith("param") or access_space(w, i, a) == "const":
        raise i.unsupported("an ordered access to read-only memory")


def generic_address(w: Writer, i: Use, a: Operand) -> str:
    """The address of an access as one that names memory of any space."""
    space, at = access_space(w, i, a), _at(w, i, a)
    return f"ptx_from_{space}({at})" if space in ("shared", "local") else at


def _types(i: Use) -> list[str]:
    return [i.t] * _count(i)


def _count(i: Use) -> int:
    return int(i["vec"][1:]) if i["vec"] else 1


def _suffix(w: Writer, i: Use, a: Operand) -> str:
    return _SUFFIX[access_space(w, i, a)]


def _at(w: Writer, i: Use, a: Operand) -> str:
    return w.address(memory(a, i), access_space(w, i, a))


def _place(w: Writer, i: Use, a: Operand) -> str:
    """The address as arguments: where accesses share a pointer, clang sees which are neighbours, and joins them."""
    base, offset = w.place(memory(a, i), access_space(w, i, a))
    return f"{base}, {offset}" if offset else base


def _spread(w: Writer, i: Use, d: Operand, load: str) -> None:
    """Assign a loaded vector to the elements of `d`."""
    count = _count(i)
    if count == 1:
        w.set(d, i.t, load)
        return
    name = w.fresh("loaded")
    w.line(f"auto {name} = {load}")
    for item, part in zip(items_of(d, count, i), _FIELDS, strict=False):
        w.set(item, i.t, f"{name}.{part}")


@ptx("mov.{t:pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64|b128}")
def mov(w: Writer, i: Use) -> None:
    """Copy, the address of a variable, or packing and unpacking of {…}."""
    d, a = i.take(2)
    if isinstance(d, Vector):
        _unpack(w, i, d, a)
    elif isinstance(a, Vector):
        w.set(d, f"b{bits_of(i.t)}", _pack(w, i, a))
    elif isinstance(a, Symbol):
        width = f"u{bits_of(i.t)}"
        w.set(d, width, w.address(a, w.space_of(a)))
    elif TYPES[i.t].kind in "us":
        w.agree(d, i.t)
        w.set(d, f"b{bits_of(i.t)}", w.whole(a, i.t))
    else:
        w.set(d, i.t, w.get(a, i.t))


def _pack(w: Writer, i: Use, a: Vector) -> str:
    bits = bits_of(i.t) // len(a.items)
    if f"b{bits}" not in TYPES or bits == bits_of(i.t):
        raise i.unsupported(f"{len(a.items)} parts in {i.t}")
    c = TYPES[f"u{bits_of(i.t)}"].c if bits_of(i.t) <= 64 else "u128"
    _bytes_in_bytes(i, a, bits)
    parts = []
    for index, item in enumerate(a.items):
        value = f"({c}){w.get(item, f'b{bits}')}"
        parts.append(f"{value} << {index * bits}" if index else value)
    return " | ".join(parts)


def _bytes_in_bytes(i: Use, parts: Vector, bits: int) -> None:
    """Elements of 8 bits are registers of 8 bits, where other instructions take wider ones for them."""
    for each in parts.items:
        if bits == 8 and isinstance(each, Register) and bits_of(each.type) != bits:
            raise i.unsupported(f"{each.name} for {bits} bits")


def _unpack(w: Writer, i: Use, d: Vector, a: Operand) -> None:
    total = bits_of(i.t)
    bits = total // len(d.items)
    if f"b{bits}" not in TYPES or bits == total:
        raise i.unsupported(f"{len(d.items)} parts of {i.t}")
    _bytes_in_bytes(i, d, bits)
    name = w.get(a, f"b{total}")
    if not name.isidentifier():
        value, name = name, w.fresh("whole")
        w.line(f"{TYPES[f'b{total}'].c} {name} = {value}")
    c = TYPES[f"b{bits}"].c
    for index, item in enumerate(d.items):
        w.set(item, f"b{bits}", f"({c})({name} >> {index * bits})" if index else f"({c}){name}")


@ptx("cvta.{space:global|shared|shared::cta|local|const|param|param::entry}.{t:u64}")
def cvta(w: Writer, i: Use) -> None:
    """The generic address of an address in a space."""
    d, a = i.take(2)
    space = i["space"].split("::")[0]
    if isinstance(a, Symbol) or (isinstance(a, Address) and isinstance(a.base, Symbol)):
        w.set(d, "u64", w.address(a, ""))
    elif space in ("shared", "local"):
        w.set(d, "u64", f"ptx_from_{space}((u32){w.get(a, 'u64')})")
    else:
        w.set(d, "u64", w.get(a, "u64"))


@ptx("cvta.to.{space:global|shared|shared::cta|local|const|param|param::entry}.{t:u64}")
def cvta_to(w: Writer, i: Use) -> None:
    """The address in a space of a generic address."""
    d, a = i.take(2)
    space = i["space"].split("::")[0]
    value = w.get(a, "u64")
    w.set(d, "u64", f"ptx_to_{space}({value})" if space in ("shared", "local") else value)


@ptx("isspacep.{space:global|shared|shared::cta|local|const|param|param::entry}")
def isspacep(w: Writer, i: Use) -> None:
    """Whether a generic address lies in a space; one of 32 bits is extended by zeros.

    Constant variables lie in global memory here; an address is constant where it is in one of them.
    """
    d, a = i.take(2)
    short = isinstance(a, Register) and not a.special and a.type in ("b32", "u32", "s32")
    value, space = w.get(a, "u32" if short else "u64"), i["space"].split("::")[0]
    constants = w.constants() if space in ("const", "global") else []
    inside = " || ".join(f"ptx_is_in({value}, {address}, {size})" for address, size in constants)
    if space == "const":
        w.set(d, "pred", inside or "false")
    elif space == "global" and inside:
        w.set(d, "pred", f"ptx_is_global({value}) && !({inside})")
    else:
        w.set(d, "pred", f"ptx_is_{space}({value})")


@ptx(
    "prefetch.{space:global|local}?.{L1|L2}",
    "prefetch.global.{L2::evict_last|L2::evict_normal}",
    "prefetchu.L1",
    "applypriority.{global}?.{L2::evict_normal}",
    "discard.{global}?.{L2}",
)
def cache_hint(w: Writer, i: Use) -> None:
    """Advice to the cache. discard lets the contents become undefined; leaving them is one such outcome."""
    count = 2 if i.instruction.opcode in ("discard", "applypriority") else 1
    space = next((each for each in ("global", "local") if each in i.instruction.modifiers), "")
    address = memory(i.take(count)[0], i)
    if isinstance(address.base, Integer) and space != "local":
        raise i.unsupported("a number for an address")
    if i.instruction.opcode == "prefetchu" and w.space_of(address) not in ("", "global", "const"):
        raise i.unsupported("an address that is not generic")
    w.address(address, space)
    if count == 2 and i.operands[1] != Integer(128):
        raise i.unsupported("a size other than 128")


@ptx("createpolicy.{fractional|range}.{global}?.{L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged}"
     ".{L2::evict_first|L2::evict_unchanged}?.{t:b64}", "createpolicy.{cvt}.{L2}.{t:b64}")  # fmt: skip
def createpolicy(w: Writer, i: Use) -> None:
    """A cache policy is opaque and every use of one is a hint; 0 stands for it."""
    w.set(i.operands[0], "b64", "0")


@ptx("alloca.{t:u32|u64}")
def alloca(w: Writer, i: Use) -> None:
    """Local memory on the stack until the function returns; its local address."""
    d, size = i.take(2, 3)[:2]
    w.set(d, i.t, f"(u32)(LOCAL u8 *)__builtin_alloca_with_align({w.get(size, i.t)}, 128)")


@ptx("stacksave.{t:u32|u64}")
def stacksave(w: Writer, i: Use) -> None:
    """The stack is per call here, so its mark carries nothing."""
    w.set(i.take(1)[0], i.t, "0")


@ptx("stackrestore.{t:u32|u64}")
def stackrestore(w: Writer, i: Use) -> None:
    """Memory of alloca is given back when the function returns."""
    i.take(1)
