"""Writes `cass_shim/verify/vectored.json`: `python -m tests.verify.vector_index`.

A form is listed when every recorded probe of it agrees with the interpreter, NaN payloads apart. The test beside it
recomputes the list, so it cannot claim more than the recorded data shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cass_shim.model.errors import Unsupported
from cass_shim.verify.mufu import nearest
from cass_shim.verify.vectored import form_keys
from tests.isa.sass import row_judge as rows
from tests.isa.sass import tensor_sums
from tests.isa.sass import test_hardware_vectors as recorded
from tests.isa.sass import test_memory_vectors as memory
from tools.sassvectors.inputs import LANES, inputs
from tools.sassvectors.rows import ROWS

SHOWN = Path(__file__).parents[1] / "vectors" / "ptx" / "shown-sm90.json"
SOURCE = "tests/vectors/sass and tests/vectors/ptx/shown-sm90.json, by tests/verify/vector_index.py"
INDEX = Path(__file__).parents[2] / "cass_shim" / "verify" / "vectored.json"


def _nan(words: Any, wide: Any) -> Any:
    single = (words & np.uint32(0x7FFF_FFFF)) > np.uint32(0x7F80_0000)
    return single | wide


def _half_equal(a: Any, b: Any, limit: int) -> Any:
    """Words whose halves are equal or both NaN above `limit` (the infinity of the format)."""
    x, y = (np.ascontiguousarray(v).view(np.uint16) for v in (a, b))
    same = (x == y) | (((x & 0x7FFF) > limit) & ((y & 0x7FFF) > limit))
    return same.reshape(-1, 2).all(axis=1)


def agrees(probe: dict[str, Any]) -> bool | None:
    """Whether the interpreter reproduces one probe, any NaN for any NaN."""
    try:
        state = recorded.computed(probe["text"], int(probe["word"], 16))
    except Unsupported:
        return None
    lanes, offset = LANES, probe["offset"]
    columns = []
    for register in probe["registers"]:
        expected = recorded.words()[offset : offset + lanes]
        found = np.broadcast_to(np.asarray(state.get_reg(32 + register, False)), (lanes,))
        columns.append((found, expected))
        offset += lanes
    doubles = probe["text"].startswith("D") and len(columns) == 2
    both_nan = np.zeros(lanes, bool)
    if doubles:
        highs = [(c & np.uint32(0x7FFF_FFFF)) >= np.uint32(0x7FF0_0000) for c in columns[1]]
        both_nan = highs[0] & highs[1] & ~_infinite(columns[0][0], columns[1][0]) & ~_infinite(*(c[1] for c in columns))
    floating = probe["text"].startswith(("F", "D", "H"))
    for found, expected in columns:
        same = found == expected
        if floating:
            same |= _nan(found, both_nan) & _nan(expected, both_nan)
        if probe["text"].startswith("H") or "F16" in probe["text"] or "BF16" in probe["text"]:
            same |= _half_equal(found, expected, 0x7F80 if "BF16" in probe["text"] else 0x7C00)
        if not same.all():
            return False
    if probe["predicates"]:
        expected = recorded.words()[offset : offset + lanes]
        for k in probe["predicates"]:
            found = np.broadcast_to(np.asarray(state.get_pred(4 + k, False)), (lanes,))
            if not np.array_equal(found, (expected >> k & 1).astype(bool)):
                return False
    return True


def _infinite(low: Any, high: Any) -> Any:
    return (low == 0) & ((high & np.uint32(0x7FFF_FFFF)) == np.uint32(0x7FF0_0000))


# Every uniform register of a probe that agrees was filled by these (`tools.sassvectors.rows`).
MOVED = {("R2UR", "0:UR"), ("R2UR", "1:R")}


# The error that PTX states for what MUFU computes, in units in the last place or as an absolute error. Source: PTX ISA
# 9.0, §9.7.3 (rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh); the 64H forms start an iteration.
UNITS = {"RCP": 1, "RSQ": 2, "SQRT": 2, "EX2": 2, "RCP64H": 1, "RSQ64H": 1}
RELATIVE = {"TANH": 2.0**-10.987}  # of normal results
ABSOLUTE = {"SIN": 2.0**-20.5, "COS": 2.0**-20.5, "LG2": 2.0**-22}


def approximates(probe: dict[str, Any]) -> bool | None:
    """Whether our model of a MUFU keeps the stated error on the recorded values; None: the probe is one constant."""
    name, source = probe["text"].split(" ", 1)[0], probe["text"].rsplit(" ", 1)[1]
    of_rows = "mode" in probe
    function = name.split(".")[1]
    if name.count(".") > 1:  # halves: no error is stated for what our model does with them
        return None
    given = inputs(probe["name"] if of_rows else probe["text"])[: ROWS if of_rows else None, 4].copy()
    if source.strip("-|") in ("R12", "UR12", "c[0x0][0x220]"):
        given = given & np.uint32(0x7FFF_FFFF) if "|" in source else given
        given = given ^ np.uint32(0x8000_0000) if source[0] == "-" else given
    elif of_rows and (int(probe["word"], 16) >> 9 & 7) == 4:  # one constant
        given[:] = int(probe["word"], 16) >> 32 & 0xFFFF_FFFF
    else:
        return None
    if of_rows:
        want = rows.recorded(probe)[:, 0]
    else:
        want = recorded.words()[probe["offset"] : probe["offset"] + LANES]
    got = nearest(function.lower(), given)
    infinity = np.uint32(0x7FF0_0000 if function.endswith("64H") else 0x7F80_0000)
    nan = [(v & np.uint32(0x7FFF_FFFF)) > infinity for v in (want, got)]
    same = (want == got) | (nan[0] & nan[1])
    if function in UNITS:
        same |= np.abs(want.astype(np.int64) - got.astype(np.int64)) <= UNITS[function]
    elif function in RELATIVE:
        with np.errstate(invalid="ignore"):
            a, b = (v.view(np.float32).astype(np.float64) for v in (want, got))
        same |= np.abs(a - b) <= RELATIVE[function] * np.abs(b) + 2.0**-126
    elif function in ABSOLUTE:
        with np.errstate(all="ignore"):
            a, b = (v.view(np.float32).astype(np.float64) for v in (want, got))
            same |= np.abs(a - b) <= ABSOLUTE[function] * (np.maximum(1, np.abs(b)) if function == "LG2" else 1)
    return bool(same.all())


def remembers(probe: dict[str, Any]) -> bool | None:
    """Whether the interpreter reproduces one probe of a load, store or atomic operation."""
    try:
        return memory.differences(probe) == ""
    except Unsupported:
        return None


def reproduces(probe: dict[str, Any]) -> bool | None:
    """Whether the interpreter reproduces one probe with operands of any kind; None: the instruction has no meaning."""
    difference = rows.verdicts()[probe["name"]]
    return None if difference is None else difference == ""


def adds_up(probe: dict[str, Any]) -> bool:
    """Whether our sums of products are as near to the GPU's as another order may be, which PTX leaves open.

    How the GPU adds is known (`tests/isa/sass/tensor_sums.py` reproduces every bit); no program can count on it.
    """
    return tensor_sums.apart(probe, tensor_sums.ours(probe)) == []


def _judged() -> Iterator[tuple[list[tuple[str, str]], bool]]:
    """The keys of every recorded probe, and whether the interpreter reproduces it; those it cannot judge left out."""
    kinds: list[tuple[Callable[[dict[str, Any]], bool | None], list[dict[str, Any]]]] = [
        (agrees, recorded.document()["probes"]),
        (remembers, memory.DOCUMENT["probes"]),
        (reproduces, rows.document()["probes"]),
    ]
    for exact, probes in kinds:
        for probe in probes:
            judge = {"MUFU": approximates, "HMMA": adds_up}.get(probe["text"].split(".")[0], exact)
            verdict = judge(probe)
            if verdict is not None:
                yield form_keys(recorded.instruction(probe["text"], int(probe["word"], 16))), verdict


def forms() -> dict[str, list[str]]:
    """Form → the kinds of its operands that agreeing probes have.

    A probe that does not agree takes with it what only it has; where it has nothing of its own, its whole form.
    """
    shown = json.loads(SHOWN.read_text(encoding="utf-8"))["forms"]
    seen = {(form, slot) for form, slots in shown.items() for slot in slots} | MOVED
    wrong: list[list[tuple[str, str]]] = []
    for keys, fine in _judged():
        if fine:
            seen |= set(keys)
        else:
            wrong.append(keys)
    for keys in wrong:
        if not set(keys) - seen:
            form = keys[0][0]
            seen = {key for key in seen if key[0] != form}
    found: dict[str, list[str]] = {}
    for form, slot in sorted(seen):
        found.setdefault(form, []).append(slot)
    return found


def main() -> None:
    lines = ",\n".join(f"{json.dumps(form)}: {json.dumps(slots)}" for form, slots in forms().items())
    head = json.dumps({"source": SOURCE, "machine": recorded.document()["machine"]}, indent=1)[:-2]
    INDEX.write_text(f'{head},\n "forms": {{\n{lines}\n}}\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
