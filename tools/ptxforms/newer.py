"""Probes of forms of sm_100 and sm_120, recorded on sm_90 by what PTX's manual defines them by.

Halves of `.f32x2` are f32 on their own, `add.f32.f16` converts its source exactly first, `redux.f32` is a minimum of
all lanes, accesses of 256 bits are two of 128. The NaN of a result is any NaN, as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

from cass_shim.isa.ptx.types import bits_of
from tools.ptxforms.every import STILL
from tools.ptxforms.probes import Probe, load, of_form, store
from tools.ptxforms.signatures import Form


def _packed(name: str, operands: list[str]) -> list[str]:
    """Both halves of each operand, apart."""
    scalar = name.removesuffix("x2")
    lines = [f"mov.b64 {{%f32_{80 + 2 * k}, %f32_{81 + 2 * k}}}, {each};" for k, each in enumerate(operands[1:])]
    for half in (0, 1):
        sources = ", ".join(f"%f32_{80 + 2 * k + half}" for k in range(len(operands) - 1))
        lines.append(f"{scalar} %f32_{90 + half}, {sources};")
    return [*lines, f"mov.b64 {operands[0]}, {{%f32_90, %f32_91}};"]


def _mixed(name: str, operands: list[str]) -> list[str]:
    """Sources of 16 bits as f32, which is exact."""
    scalar, _, narrow = name.rpartition(".")
    count = 2 if scalar.startswith("fma") else 1
    lines = [f"cvt.f32.{narrow} %f32_{80 + k}, {each};" for k, each in enumerate(operands[1 : 1 + count])]
    sources = [f"%f32_{80 + k}" for k in range(count)] + operands[1 + count :]
    return [*lines, f"{scalar} {operands[0]}, {', '.join(sources)};"]


def _finite(name: str, operands: list[str]) -> list[str]:
    """Rounded to TF32, what is too large then is the largest; NaN stays one."""
    rounded = name.replace(".satfinite", "")
    return [f"{rounded} %b32_80, {operands[1]}; and.b32 %b32_81, %b32_80, 0x7fffffff;"
            " setp.eq.u32 %pred_80, %b32_81, 0x7f800000; and.b32 %b32_82, %b32_80, 0x80000000;"
            f" or.b32 %b32_82, %b32_82, 0x7f7fe000; selp.b32 {operands[0]}, %b32_82, %b32_80, %pred_80;"]  # fmt: skip


def _wide(name: str, operands: list[str]) -> list[str]:
    """Two accesses of half the elements."""
    opcode, *modifiers = name.split(".")
    kept = [each for each in modifiers if each not in STILL]
    half = ".".join((opcode, *({"v8": "v4", "v4": "v2"}.get(each, each) for each in kept)))
    vector, address = (operands[0], operands[1]) if opcode == "ld" else (operands[1], operands[0])
    names = vector.strip("{}").split(", ")
    lines = []
    for at, part in enumerate((names[: len(names) // 2], names[len(names) // 2 :])):
        place = f"{address[:-1]}+{16 * at}]"
        given = "{" + ", ".join(part) + "}"
        lines.append(f"{half} {given}, {place};" if opcode == "ld" else f"{half} {place}, {given};")
    return lines


def _bits(modifiers: list[str]) -> int:
    """Of an access."""
    return bits_of(modifiers[-1]) * next((int(each[1:]) for each in modifiers if each in ("v2", "v4", "v8")), 1)


def stand_in(form: Form) -> Probe | None:
    """The form's probe with what stands for it on sm_90; None where this module knows nothing."""
    probe = of_form(form)
    text = next(line for line in probe.body if line.startswith(form.name))
    operands = re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s;]+", text.removeprefix(form.name))
    opcode, modifiers = form.name.split(".")[0], form.name.split(".")
    if form.name.endswith(".f32x2"):
        lines = _packed(form.name, operands)
    elif opcode in ("add", "sub", "fma") and re.search(r"\.f32\.b?f16$", form.name):
        lines = _mixed(form.name, operands)
    elif opcode == "cvt" and form.name.endswith("tf32.f32"):
        lines = _finite(form.name, operands)
    elif opcode in ("ld", "st") and "param" not in modifiers and _bits(modifiers) == 256:
        lines = _wide(form.name, operands)
    else:
        return None
    body = [part for line in probe.body for part in (lines if line == text else [line])]
    return replace(probe, stands=tuple(body))


def reductions() -> Iterator[Probe]:
    """redux of f32: a minimum or maximum over the warp, by exchanges."""
    for op, absolute, nan in product(("min", "max"), ("", ".abs"), ("", ".NaN")):
        form = f"redux.sync.{op}{absolute}{nan}.f32"
        first, last = load("f32", "%f32_0", 0), store("f32", "%f32_10", 0)
        lines = [f"{'abs.f32' if absolute else 'mov.f32'} %f32_10, %f32_0;"]
        for distance in (1, 2, 4, 8, 16):
            lines.append(
                f"mov.b32 %b32_80, %f32_10; shfl.sync.bfly.b32 %b32_81, %b32_80, {distance}, 31, 0xffffffff;"
                f" mov.b32 %f32_81, %b32_81; {op}{nan}.f32 %f32_10, %f32_10, %f32_81;"
            )
        body = (*first, f"{form} %f32_10, %f32_0, 0xffffffff;", *last)
        yield Probe(form, body, stands=(*first, *lines, *last))


def all_newer(refused: Iterable[Form]) -> Iterator[Probe]:
    """Of the forms that sm_90 has not, those that have a stand-in."""
    for form in refused:
        probe = stand_in(form) if not form.name.startswith("redux") else None
        if probe is not None:
            yield probe
    yield from reductions()
