"""Writes what the C interpreter needs of the opcode rows: `emulator/rows.inc`, one ROW(...) line per opcode.

The file is included twice: by decode (names, operand types, fidelity) and by each build variant's dispatch table
(addresses of the bodies). Called by native/build.py before compiling; writes only below the folder it is given.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cass_shim.isa.rdna3 import (
    ds,
    flat,
    global_,
    internal,
    mimg,
    mubuf,
    scratch,
    smem,
    sop1,
    sop2,
    sopc,
    sopk,
    sopp,
    vop1,
    vop2,
    vop3,
    vop3p,
    vop3sd,
    vopc,
    vopd,
)
from cass_shim.isa.rdna3.row import TYPES, Row

CMPX_DISTANCE = 0x80
FAMILIES = (sop1, sop2, sopc, sopk, sopp, smem, vop1, vop2, vop3, vop3sd, vop3p, vopd, ds, flat, global_, scratch)


def all_rows() -> tuple[Row, ...]:
    """Every row in dispatch order; v_cmpx_* rows are derived from v_cmp_*."""
    rows = [*internal.ROWS]
    for family in (*FAMILIES, mubuf, mimg):
        rows += family.ROWS
    for row in vopc.ROWS:
        rows.append(row)
        name = row.name.replace("v_cmp_", "v_cmpx_")
        rows.append(replace(row, name=name, opcode=row.opcode + CMPX_DISTANCE))
    return tuple(rows)


def symbol(kind: str) -> str:
    """C enumerator of an operand type."""
    return "T_NONE" if kind == "-" else f"T_{kind.upper()}"


def c_row(row: Row) -> str:
    """One line of rows.inc."""
    kinds = [row.destination, *row.sources, *["-"] * (3 - len(row.sources))]
    types = ", ".join(symbol(kind) for kind in kinds)
    return f"ROW({row.encoding}, {row.opcode}, {row.name}, {row.body}, {types}, {len(row.sources)}, {row.ulp})"


def write_if_changed(path: Path, text: str) -> None:
    """Keep the old time stamp when nothing changed, so that nothing is rebuilt."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def generate(folder: Path) -> None:
    """Write emulator/rows.inc, emulator/bodies.inc and emulator/types.inc below `folder`."""
    rows = all_rows()
    bodies = sorted({row.body for row in rows})
    target = folder / "emulator"
    write_if_changed(target / "rows.inc", "".join(c_row(row) + "\n" for row in rows))
    write_if_changed(target / "bodies.inc", "".join(f"BODY({name})\n" for name in bodies))
    write_if_changed(target / "types.inc", "".join(f"TYPE({symbol(kind)})\n" for kind in TYPES))
    encodings = dict.fromkeys(row.encoding for row in rows)
    write_if_changed(target / "encodings.inc", "".join(f"ENCODING({name})\n" for name in encodings))
