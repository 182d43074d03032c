"""ptxas as the judge of which forms exist: one call for many instructions, each on a line of its own."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.ptxforms.signatures import Form

VERSION = "9.0"
# PTX type → prefix of the probe's registers, which are declared of exactly that type.
REGISTERS = (
    "pred",
    "b16",
    "b32",
    "b64",
    "b128",
    "u16",
    "u32",
    "u64",
    "s16",
    "s32",
    "s64",
    "f32",
    "f64",
    "f16",
    "f16x2",
)
_STANDS_FOR = {"u8": "u16", "s8": "s16", "b8": "b16", "bf16": "b16", "bf16x2": "b32", "tf32": "b32", "e4m3x2": "b16",
               "e5m2x2": "b16", "u16x2": "b32", "f32x2": "b64", "s16x2": "b32", "": "b32"}  # fmt: skip
BATCH = 400
_ERROR = re.compile(r"line (\d+)\s*; (?:error|fatal)\s*:\s*(.*)")


def declared(type_name: str) -> str:
    """The type of a register that holds a value of this type."""
    return _STANDS_FOR.get(type_name, type_name)


def register(type_name: str, number: int) -> str:
    """A register of exactly this type."""
    return f"%{declared(type_name)}_{number}"


def written(form: Form) -> str:
    """The form as one PTX instruction."""
    operands = []
    for number, (shape, type_name, count, _) in enumerate(form.operands):
        first = register(type_name, 8 * number)
        if shape == "V" and count > 1:
            operands.append("{" + ", ".join(register(type_name, 8 * number + k) for k in range(count)) + "}")
        elif shape == "A":
            operands.append(address(form))
        elif shape == "P":
            operands.append(f"{first}|{register('pred', 8 * number)}")
        elif shape == "I":
            operands.append(constant(form.name, number))
        else:
            operands.append(first)
    return f"{form.name}{' ' if operands else ''}{', '.join(operands)};"


def constant(name: str, number: int) -> str:
    """A constant that the position takes."""
    if name.startswith(("bar", "barrier")):
        return "32" if number and ".red" not in name else "1"
    return {"discard": "128", "applypriority": "128", "setmaxnreg": "64", "pmevent": "7"}.get(
        name.split(".")[0], "0x96"
    )


def address(form: Form) -> str:
    """A variable of the form's space."""
    space = form.space.split("::")[0]
    opcode = form.name.split(".")[0]
    if "param" in form.name.split(".") or "param::entry" in form.name:
        return "[p0]"
    if "param::func" in form.name:
        return "[argument]"
    if opcode == "mbarrier" and not space:
        return "[in_shared]"
    return {"shared": "[in_shared]", "local": "[in_local]", "const": "[in_const]", "": "[%u64_99]"}.get(
        space, "[in_global]"
    )


def module(lines: Sequence[str], sm: str) -> tuple[str, int]:
    """A PTX module with the lines in one kernel, and the number of the first of them."""
    head = [
        f".version {VERSION}",
        f".target sm_{sm}",
        ".address_size 64",
        ".global .align 64 .b8 in_global[1024]; .const .align 64 .b8 in_const[1024];",
        ".visible .entry probe(.param .align 64 .b8 p0[512]) {",
        ".shared .align 64 .b8 in_shared[1024]; .local .align 64 .b8 in_local[1024];"
        " .param .align 64 .b8 argument[512];",
        *(f".reg .{name} %{name}_<100>;" for name in REGISTERS if name != "b128" or sm not in ("75",)),
    ]
    return "\n".join([*head, *lines, "ret;", "}", ""]), len(head) + 1


def refusals(lines: Sequence[str], sm: str, ptxas: str = "ptxas") -> dict[int, str]:
    """Line index → ptxas's words, for those it refuses."""
    refused: dict[int, str] = {}
    waiting = [list(range(at, min(at + BATCH, len(lines)))) for at in range(0, len(lines), BATCH)]
    while waiting:
        kept = waiting.pop()
        words, done = _judged([lines[index] for index in kept], sm, ptxas)
        refused.update({kept[place]: text for place, text in words.items()})
        if done:
            continue
        kept = [index for index in kept if index not in refused]
        if words:  # a parsing error ends a run: the rest is judged again
            waiting.append(kept)
        elif len(kept) > 1:
            waiting += [kept[: len(kept) // 2], kept[len(kept) // 2 :]]
        else:
            refused[kept[0]] = "ptxas fails without a word"
    return refused


def _judged(lines: Sequence[str], sm: str, ptxas: str) -> tuple[dict[int, str], bool]:
    """Refused lines with ptxas's words, and whether it took the module as a whole."""
    text, first = module(lines, sm)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.ptx"
        source.write_text(text)
        command = [ptxas, f"-arch=sm_{sm}", "-O0", "-o", str(Path(folder) / "out"), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    words: dict[int, str] = {}
    for line, text in _ERROR.findall(done.stderr):
        if 0 <= int(line) - first < len(lines):
            words.setdefault(int(line) - first, text)
    return words, done.returncode == 0
