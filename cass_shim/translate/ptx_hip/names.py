"""PTX identifiers as C++ identifiers: readable, unique in their scope, never a keyword or a name of the prelude."""

from __future__ import annotations

import functools
import re

from cass_shim.isa.ptx.prelude import pieces

_KEYWORDS = frozenset((
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch",
    "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const", "consteval", "constexpr",
    "constinit", "const_cast", "continue", "co_await", "co_return", "co_yield", "decltype", "default", "delete",
    "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for",
    "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
    "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
    "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct",
    "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
    "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "main",
    "u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "FN",
    "bindings", "carry", "target", "next", "now",
))  # fmt: skip


@functools.cache
def sanitize(name: str) -> str:
    """Letters, digits and underscores only, not starting with a digit."""
    text = re.sub(r"\W", "_", name.lstrip("%").replace("$", "_"))
    return f"_{text}" if not text or text[0].isdigit() else text


_PART = re.compile(r"\d{1,6}(?!\d)")


@functools.cache
def readable(name: str) -> str:
    """A mangled C++ name without what it is mangled with: `_ZZ4scanPfE4tile` → tile, `_ZN4Lock4takeEv` → Lock_take.

    Source: Itanium C++ ABI §5.1 (nested and local names). Any other name, and one of templates, stays as it is.
    """
    local = re.fullmatch(r"_ZZ.*E(\d{1,6})([A-Za-z]\w*?)(?:_\d+)?", name)
    if local is not None and int(local[1]) == len(local[2]):
        return local[2]
    start = re.match(r"_ZN?K?(?=\d)", name)
    parts, at = [], start.end() if start else 0
    while start is not None and (count := _PART.match(name, at)) is not None:
        at = count.end() + int(count[0])
        parts.append(name[count.end() : at])
        if not start[0].startswith("_ZN"):
            break
    if not parts or at > len(name) or name[at : at + 1] == "I" or not all(each.isidentifier() for each in parts):
        return name
    return "_".join(each for each in parts if not each.startswith(("_GLOBAL_", "_INTERNAL_"))) or name


@functools.cache
def _reserved() -> frozenset[str]:
    return _KEYWORDS | pieces().keys()


class Names:
    """Gives each PTX name one C++ name."""

    def __init__(self, outer: Names | None = None) -> None:
        self._given: dict[str, str] = {}
        self._taken: set[str] = set(outer._taken) if outer else set()
        self._reserved = _reserved()

    def of(self, key: str, wanted: str | None = None) -> str:
        """The C++ name of `key`; on first use derived from `wanted` (default: the key itself)."""
        found = self._given.get(key)
        if found is None:
            found = self._given[key] = self.fresh(sanitize(wanted if wanted is not None else key))
        return found

    def fresh(self, hint: str) -> str:
        """A name nobody has."""
        name, number = hint, 1
        while name in self._taken or name in self._reserved or name.startswith("__"):
            number += 1
            name = f"{hint.lstrip('_') if hint.startswith('__') else hint}_{number}"
        self._taken.add(name)
        return name
