"""How C parameters are passed on to the trace: kind letters, enumerations, casts.

In: parameter types as rows write them, and the declarations in native/shim/cuda_types.h.
"""

from __future__ import annotations

import ast
import functools
import operator
import re
from collections.abc import Callable
from pathlib import Path

CUDA_TYPES = Path(__file__).resolve().parent.parent / "native" / "shim" / "cuda_types.h"

SIGNED = {"int", "CUdevice", "long", "long long", "char", "short"}
UNSIGNED = {"unsigned", "unsigned int", "unsigned long long", "unsigned short", "unsigned char", "size_t",
            "cuuint32_t", "cuuint64_t", "CUdeviceptr", "CUdeviceptr_v1", "cudaTextureObject_t",
            "cudaSurfaceObject_t", "CUtexObject", "CUsurfObject", "CUmemGenericAllocationHandle",
            "cudaGraphConditionalHandle", "CUgraphConditionalHandle"}  # fmt: skip
ADDRESSES = {"CUdeviceptr", "CUmemGenericAllocationHandle"}
POINTED = {"size_t *": "Z", "int *": "I", "unsigned int *": "U", "unsigned long long *": "Z", "float *": "F",
           "CUdeviceptr *": "P", "CUdevice *": "I"}  # fmt: skip


OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.LShift: operator.lshift, ast.BitOr: operator.or_, ast.Add: operator.add, ast.Sub: operator.sub,
}  # fmt: skip


@functools.cache
def enumerations() -> dict[str, list[tuple[str, int]]]:
    """Every `enum` of cuda_types.h by tag and typedef name: (enumerator, value) in order."""
    text = CUDA_TYPES.read_text(encoding="utf-8")
    known = {m[1]: int(m[2], 0) for m in re.finditer(r"#define (\w+) (0x[0-9a-f]+|\d+)$", text, re.M)}
    found: dict[str, list[tuple[str, int]]] = {}
    for match in re.finditer(r"(typedef )?enum (\w*)\s*\{([^}]*)\}([^;]*);", text):
        values: list[tuple[str, int]] = []
        following = 0
        for item in filter(None, (part.strip() for part in match[3].split(","))):
            name, _, expression = (part.strip() for part in item.partition("="))
            if expression:
                following = evaluate(expression, known)
            known[name] = following
            values.append((name, following))
            following += 1
        for alias in filter(None, (match[2], match[4].strip())):
            found[alias] = values
    for match in re.finditer(r"typedef enum (\w+) (\w+);", text):
        found[match[2]] = found[match[1]]
    for match in re.finditer(r"typedef (\w+) (\w+);", text):
        if match[1] in found:
            found[match[2]] = found[match[1]]
    return found


def evaluate(expression: str, known: dict[str, int]) -> int:
    """An enumerator's constant expression: integers, shifts, ors, signs, earlier names, casts to unsigned."""
    text = re.sub(r"\(unsigned( int)?\)", "", expression)
    text = " ".join(re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text).split())

    def value(node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int(number)):
                return number
            case ast.Name(id=name):
                return known[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return OPERATORS[type(op)](value(left), value(right))
        raise ValueError(f"unreadable enumerator {expression!r}")

    return value(ast.parse(text, mode="eval").body)


@functools.cache
def handles() -> frozenset[str]:
    """Typedef names that are pointers (CUstream, cudaStream_t, callbacks)."""
    text = CUDA_TYPES.read_text(encoding="utf-8")
    names = set(re.findall(r"typedef (?:const )?(?:struct )?\w+ \*(\w+);", text))
    names |= set(re.findall(r"typedef [\w \*]+\(\s*\*(\w+)\)", text))
    for old, new in re.findall(r"typedef (\w+) (\w+);", text):
        if old in names:
            names.add(new)
    return frozenset(names)


def bare(c_type: str) -> str:
    """The type without const and tags, single-spaced."""
    return " ".join(word for word in c_type.split() if word not in ("const", "enum", "struct"))


def kind(c_type: str) -> str:
    """The trace letter of a parameter type; enumerations are "e<tag>"."""
    plain = bare(c_type)
    if c_type.replace(" ", "") == "constchar*":
        return "s"
    if plain in POINTED and not c_type.startswith("const"):
        return POINTED[plain]
    if plain.endswith("*"):
        pointee = plain[:-1].strip()
        if not c_type.startswith("const") and (pointee.endswith("*") or pointee in handles()):
            return "P"
        return "p"
    if plain in enumerations():
        return "e" + plain
    if plain in handles() or plain in ADDRESSES:
        return "p"
    if plain in SIGNED:
        return "i"
    if plain in UNSIGNED:
        return "u"
    if plain == "float":
        return "f"
    return "d" if plain == "dim3" else "?"


def as_value(c_type: str, name: str) -> str:
    """Initialiser of a cass_value that holds the argument `name`."""
    letter = kind(c_type)[0]
    if letter in "spPZIUF":
        return f"{{.bits = (uint64_t)(uintptr_t){name}}}" if bare(c_type) not in UNSIGNED else f"{{.bits = {name}}}"
    if letter in "ie":
        return f"{{.bits = (uint64_t)(int64_t){name}}}"
    if letter == "u":
        return f"{{.bits = (uint64_t){name}}}"
    if letter == "f":
        return f"{{.number = (double){name}}}"
    if letter == "d":
        return f"{{.dims = {{{name}.x, {name}.y, {name}.z, 0}}}}"
    return f"{{.bits = (uint64_t)(uintptr_t)&{name}}}"
