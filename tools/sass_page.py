"""`python -m tools.sass_page > docs/sass.md`: every SASS instruction we know, from the tables that run it.

A row: mnemonic, modifiers with a meaning, SMs whose encoding our decoder describes (else nvdisasm is asked), and how
many of its forms have vectors recorded on an NVIDIA GPU that the interpreter reproduces. In the virtual environment.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from cass_shim.isa.encoding.decoder import table
from cass_shim.isa.encoding.grammar import rows
from cass_shim.isa.spec import CONTROL, Effect, specs
from cass_shim.verify.vectored import index, indirect
from tools import environment
from tools.wheels.times import times

WHEELS = environment.ROOT / "docs" / "wheels.json"  # by tools.wheels
SMS = (75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121)
# What real binaries contain and we do not translate, with the reason. Source: sass.md §4.
MISSING = {
    "TMML SUATOM": "textures and surfaces",
    "HGMMA QGMMA BGMMA IGMMA WARPGROUP": "warp-group matrices (sm_90a)",
    "UTMALDG UTMASTG UTMAPF UBLKCP UBLKRED": "tensor memory accelerator, bulk copies",
    "UCGABAR_ARV UCGABAR_WAIT MAPA": "clusters",
    "UTC* (tcgen05) and what else only sm_100a has": "fifth-generation tensor cores: no meanings, no rows",
}


def described() -> dict[str, set[int]]:
    """Mnemonic → SMs whose encoding has a row; a row whose name depends on the word is not counted."""
    table()  # loads the families
    found: dict[str, set[int]] = {}
    for one in rows:
        if isinstance(one.name, str):
            found.setdefault(one.name, set()).update(sm for sm in SMS if not one.sms or sm in one.sms)
    return found


def percent(part: int, whole: int) -> str:
    """Rounded down, so that 100 means all."""
    return f"{part * 1000 // whole / 10:g} %" if whole else "–"


def _times(rows: list[dict[str, Any]]) -> list[str]:
    """Processor time of a kernel, where the measurement has it."""
    found = [one for row in rows for one in row.get("milliseconds", ())]
    return [f"Of processor time {times(found)}.", ""] if found else []


def wheels_section(result: dict[str, Any]) -> list[str]:
    """What `tools.wheels` measured, dated."""
    rows = result["wheels"]
    sampled, lifted, failed = (sum(row[key] for row in rows) for key in ("sampled", "lifted", "failed"))
    instructions, wrong = (sum(row[key] for row in rows) for key in ("instructions", "wrong"))
    lines = [
        "",
        f"## Public wheels, {result['date']}",
        "By `python -m tools.wheels`: of each wheel and SM the "
        f"{result['sample']} kernels whose code has the smallest SHA-256. Text: instructions that our rows decode to "
        "what nvdisasm prints. Lifted: kernels lifted and compiled for gfx1100 within "
        f"{result['limit_s']} s of processor time; out of "
        "reach: those with warp-group matrices or bulk copies, which count for "
        "neither.",
        *([result["note"]] if "note" in result else []),
        "",
        "| wheel | SMs | kernels | sample | instructions | text | lifted | out of reach |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        counted = row["lifted"] + row["failed"]
        sms = " ".join(map(str, row["sms"])) or "none of these"
        same = percent(row["instructions"] - row["wrong"], row["instructions"])
        lines.append(
            f"| {row['wheel']} | {sms} | {row['kernels']} | {row['sampled']} | {row['instructions']} | {same} | "
            f"{row['lifted']} of {counted} | {row['unasked'] or '–'} |"
        )
    lines += [
        f"| all | | {sum(row['kernels'] for row in rows)} | {sampled} | {instructions} | "
        f"{percent(instructions - wrong, instructions)} | {lifted} of {lifted + failed} "
        f"({percent(lifted, lifted + failed)}) | {sampled - lifted - failed or '–'} |",
        "",
        f"Decoded at {result['decoded_per_second']} instructions a second, on a machine with other work.",
        "",
        *_times(rows),
    ]
    known = {name: counts for name, counts in result["mnemonics"].items() if counts[1]}
    listed = ", ".join(f"{name} {bad} of {total}" for name, (total, bad) in known.items())
    lines += [f"Texts that differ, by mnemonic: {listed or 'none'}; every other mnemonic 100 %.", ""]
    if result["reasons"]:
        lines += ["| kernels not compiled | why |", "|---|---|"]
        lines += [f"| {times} | {why.replace('|', '/')} |" for why, times in result["reasons"].items()]
    refused: Counter[str] = sum((Counter(row["refused"]) for row in rows), Counter())
    if refused:
        listed = ", ".join(f"{times} × {why}" for why, times in refused.most_common())
        lines += ["", f"Images not read: {listed}."]
    return lines


def sass_page() -> str:
    """The whole page."""
    encoded, known = described(), specs()
    vectors, others = (
        Counter(form.split(".")[0] for form in table if " " not in form) for table in (index(), indirect())
    )
    lines = [
        "# SASS instructions",
        "",
        "Generated by `python -m tools.sass_page` from `cass_shim/isa/sass/` (meanings), `cass_shim/isa/encoding/` "
        "(decoder), `cass_shim/verify/vectored.json` (forms with vectors recorded on an H200 that the interpreter "
        "reproduces, each kind of operand by itself) and `cass_shim/verify/indirect.json` (forms that only other "
        "generations have, in machine code of recorded PTX). A modifier that a row does not name makes the instruction "
        "unsupported, by name.",
        "",
        f"{len(known)} mnemonics with a meaning, {len(CONTROL)} of control flow, {sum(vectors.values())} forms with "
        f"vectors, {sum(others.values())} with indirect ones.",
        "",
        "| instruction | modifiers | decoded for | forms with vectors | indirect |",
        "|---|---|---|---|---|",
    ]
    for name, spec in sorted(known.items()):
        sms = " ".join(map(str, sorted(encoded.get(name, ())))) or "by nvdisasm"
        count = vectors[name] or ""
        notes = {Effect.LANES: "across lanes", Effect.BARRIER: "waits for warps"}.get(spec.effect, "")
        counted = f"{count or notes or '–'} | {others[name] or '–'}"
        lines.append(f"| {name} | {' '.join(sorted(spec.modifiers)) or '–'} | {sms} | {counted} |")
    lines += [
        "",
        "Control flow: " + " ".join(sorted(CONTROL)) + ".",
        "",
        "## Not translated",
        "| instructions | what |",
    ]
    lines += ["|---|---|", *(f"| {names} | {why} |" for names, why in MISSING.items())]
    if WHEELS.exists():
        lines += wheels_section(json.loads(WHEELS.read_text()))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(sass_page(), end="")
