"""Puts the interpreter's own bodies into one C text, which the library carries and prepends to what it translates.

In: the headers and body files below. Out: `emulator/native_source.c`, one C string. So translated code and the
interpreter have one description of each instruction, and nothing has to be found beside the library at run time.
"""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path

from cass_shim.isa.rdna3.generate import write_if_changed

HERE = Path(__file__).resolve().parent
HEADERS = (
    "core", "interp", "lanes", "float_exact", "float_rules", "half", "memory_shapes", "native_prelude",
    "native_memory",
)  # fmt: skip
BODIES = (
    "control", "salu", "valu_int", "valu_compare", "valu_convert", "valu_double", "valu_float", "valu_half",
    "valu_packed", "valu_bytes", "modifiers", "approximate", "lane_ops",
)  # fmt: skip

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
_INCLUDE = re.compile(r'^\s*#\s*include\s+[<"].*$', re.MULTILINE)
_MACRO = re.compile(r"^#\s*define\s+(\w+)", re.MULTILINE)
_FUNCTION = re.compile(r"^(?:static (?:inline )?|OUT_OF_LINE |ALWAYS_INLINE )[\w ]*?[ *](\w+)\(", re.MULTILINE)
_STATIC = re.compile(r"^static (?:inline )?(?:__attribute__\(\(always_inline\)\) )?(?=[\w ]+[ *]+\w+\()", re.MULTILINE)


def stripped(text: str) -> str:
    """Without comments, includes (the prelude has what they give) and empty lines."""
    text = _INCLUDE.sub("", _LINE_COMMENT.sub("", _COMMENT.sub(" ", text)))
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip()) + "\n"


def inlined(text: str) -> str:
    """Every function is inlined: a pointer to the wave that escapes would keep its registers in memory."""
    return _STATIC.sub("ALWAYS_INLINE ", text)


def body_text(name: str, shared: set[str]) -> str:
    """One file of bodies; functions that another file has too get the file's name, macros end with the file."""
    text = inlined(stripped((HERE / f"{name}.c").read_text(encoding="utf-8")))
    renamed = sorted(set(_FUNCTION.findall(text)) & shared)
    before = "".join(f"#define {function} {name}_{function}\n" for function in renamed)
    ended = dict.fromkeys([*_MACRO.findall(text), *renamed])
    return before + text + "".join(f"#undef {macro}\n" for macro in ended)


def source_text() -> str:
    """The whole text."""
    files = {name: inlined(stripped((HERE / f"{name}.c").read_text(encoding="utf-8"))) for name in BODIES}
    counts = Counter(function for text in files.values() for function in set(_FUNCTION.findall(text)))
    shared = {function for function, count in counts.items() if count > 1}
    headers = "".join(inlined(stripped((HERE / f"{name}.h").read_text(encoding="utf-8"))) for name in HEADERS)
    first = (HERE / "native_first.h").read_text(encoding="utf-8")
    services = stripped((HERE / "native_services.h").read_text(encoding="utf-8"))
    first = _COMMENT.sub(" ", first).replace('#include "emulator/native_services.h"\n', services)
    frame = stripped((HERE / "native_frame.h").read_text(encoding="utf-8"))
    return first + headers + "".join(body_text(name, shared) for name in BODIES) + frame


def build_zig() -> str:
    """The zig of the environment that builds, for a library that is used where it was built; "" where there is none."""
    spec = importlib.util.find_spec("ziglang")
    return str(Path(spec.origin).parent / "zig") if spec and spec.origin else ""


def generate(folder: Path) -> None:
    """Write emulator/native_source.c below `folder`."""
    lines = (line.replace("\\", "\\\\").replace('"', '\\"') for line in source_text().splitlines())
    text = "".join(f'"{line}\\n"\n' for line in lines)
    head = '#include "emulator/native_unit.h"\n#include "emulator/native_compiler.h"\n\n'
    zig = f'const char native_zig[] = "{build_zig()}";\n'
    target = folder / "emulator" / "native_source.c"
    write_if_changed(target, f"{head}{zig}const char native_bodies[] =\n{text};\n")
