"""NVIDIA's nvdisasm as the decoder: runs the wheel's (or the PATH's) tool on the raw code of one function.

In: code bytes and SM. Out: (guard, opcode, operands) as printed, one per 16 bytes. Costs 0.2–0.3 s a process and
60 µs an instruction [measured], so results are kept in the process, by content.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cass_shim.model.errors import Malformed, ToolFailed

WITH_SUFFIX_A = (90, 100, 103, 110, 120, 121)  # the "a" variant prints everything the plain one does, and more
TIMEOUT_S = 300
# Code of sm_80 to sm_89 with a cache policy has its descriptors shown, with the comma on the wrong side (13.5).
DESCRIBED = re.compile(r"\b(R\d+|RZ)desc,\[")
UNPARTED = re.compile(r"^((?:R\d+|RZ)(?:\.reuse)?)(?=\[)")  # 13.0 leaves the comma out before an address without one
_CACHE_ENTRIES = 256
_cache: OrderedDict[tuple[int, bytes], tuple[Printed, ...]] = OrderedDict()


@dataclass(frozen=True, slots=True)
class Printed:
    """One instruction as printed: guard "@!P0" or "", opcode with its modifiers, operand text."""

    guard: str
    opcode: str
    operands: str

    @property
    def text(self) -> str:
        words = [w for w in (self.guard, self.opcode, self.operands.replace(",", ", ")) if w]
        return " ".join(words)


def find_tool(name: str) -> str:
    """Path of nvdisasm or cuobjdump: the pip wheel's first, then PATH. Raises ToolFailed with what to install."""
    for base in sys.path:
        for found in Path(base or ".").glob(f"nvidia/c*/bin/{name}"):
            if os.access(found, os.X_OK):
                return str(found)
    found_on_path = shutil.which(name)
    if found_on_path is None:
        raise ToolFailed(name, stderr=f"not found: pip install nvidia-cuda-{name}")
    return found_on_path


def has_tool(name: str) -> bool:
    """Whether `find_tool` would find it."""
    try:
        find_tool(name)
    except ToolFailed:
        return False
    return True


def disassemble(code: bytes, sm: int) -> tuple[Printed, ...]:
    """All instructions of `code` (a multiple of 16 bytes). Raises Malformed when the tool refuses the bytes."""
    key = (sm, hashlib.sha256(code).digest())
    if key in _cache:
        _cache.move_to_end(key)
        return _cache[key]
    if not code or len(code) % 16:
        raise Malformed(f"code of {len(code)} bytes", where=f"sm_{sm} code")
    printed = _run(code, sm)
    if len(printed) != len(code) // 16:
        raise Malformed(f"nvdisasm printed {len(printed)} of {len(code) // 16} instructions", where=f"sm_{sm} code")
    _cache[key] = printed
    if len(_cache) > _CACHE_ENTRIES:
        _cache.popitem(last=False)
    return printed


def _run(code: bytes, sm: int) -> tuple[Printed, ...]:
    tool = find_tool("nvdisasm")
    with tempfile.NamedTemporaryFile(suffix=".bin") as raw:
        raw.write(code)
        raw.flush()
        command = [tool, "-b", f"SM{sm}{'a' if sm in WITH_SUFFIX_A else ''}", "-ndf", "-json", raw.name]
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolFailed("nvdisasm", command=" ".join(command), stderr=str(error)) from None
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip() or f"exit status {done.returncode}"
        raise Malformed(f"nvdisasm: {message.splitlines()[0]}", where=f"sm_{sm} code")
    try:
        functions = json.loads(done.stdout, object_pairs_hook=_keep_predicates)[1]
        return tuple(_row(row) for function in functions for row in function["sass-instructions"])
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise ToolFailed("nvdisasm", command=" ".join(command), stderr=f"unexpected JSON: {error}") from None


def _keep_predicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A guarded P2R has two "predicate" keys in one object; both are kept, as a list."""
    return {**dict(pairs), "predicates": [value for key, value in pairs if key == "predicate"]}


def _row(fields: dict[str, Any]) -> Printed:
    """One instruction. nvdisasm files P2R's operand PR under "predicate"; guarded, it prints the guard there."""
    guard = next((p for p in fields["predicates"] if p.startswith("@")), "")
    operands = UNPARTED.sub(r"\1,", DESCRIBED.sub(r"\1,desc[", fields.get("operands", "")))
    for file in (p for p in fields["predicates"] if not p.startswith("@")):
        parts = [part for part in operands.split(",") if part != guard or not guard]
        operands = ",".join((parts[0], file, *parts[1:]))
    if fields["opcode"] == "R2P" and not operands.startswith("PR,"):
        operands = "PR," + operands  # left out behind a P2R (13.5.37, with -json only)
    return Printed(guard, fields["opcode"], operands)
