"""The three listings of `cass view` and what links their lines: SASS, PTX and RDNA3 of one kernel.

In: a decoded kernel, its PTX, its translation. Out: rows. A link is an index into the SASS rows. Exact links come from
line tables (the lifter's, and nvcc's -lineinfo); the others pair, in order, instructions that must be there in every
form of a kernel (memory accesses, barriers, special registers …), which is a guess and is called one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from cass_shim.extract.line_table import LineTable
from cass_shim.isa.spec import CONTROL
from cass_shim.model.artifacts import SassKernel
from cass_shim.model.instruction import Target

# Control instructions that only keep book of convergence: the next instruction runs all the same.
BOOKKEEPING = frozenset({"BSSY", "BSYNC", "BREAK", "BMOV", "WARPSYNC", "CALL", "JCAL", "LEPC"})
_DIRECTIVE = re.compile(r"\s*(\.|;|//|$)")


@dataclass
class Row:
    """One line. links: rows of the SASS listing. block: its basic block, SASS only."""

    text: str
    label: str = ""
    links: list[int] = field(default_factory=list)
    block: int = -1


@dataclass(frozen=True)
class Places:
    """Where each SASS row is: (section, byte address) → its index."""

    index: Mapping[tuple[str, int], int]

    def row_of_line(self, section: str, line: int) -> int | None:
        """Row of line n of `<section>.sass`, which is instruction n - 1 (lift.lines)."""
        return self.index.get((section, 16 * (line - 1)))


def sass_rows(sass: SassKernel) -> tuple[list[Row], Places]:
    """The kernel's instructions and its callees', divided into basic blocks."""
    rows: list[Row] = []
    index: dict[tuple[str, int], int] = {}
    block = -1
    for section in (sass, *sass.callees.values()):
        starts = _leaders(section)
        for one in section.instructions:
            block += one.address in starts
            index[section.name, one.address] = len(rows)
            label = f"{one.address:04x}" if section is sass else f"{section.name}+{one.address:04x}"
            rows.append(Row(one.text, label, block=block))
    return rows, Places(index)


def _leaders(section: SassKernel) -> set[int]:
    """Addresses where a basic block starts: targets of branches, and what follows a transfer of control."""
    found = {0, *section.kernel.symbols.values()}
    for one in section.instructions:
        found.update(o.address for o in one.operands if isinstance(o, Target) and not o.symbol)
        found.update(one.targets)
        if one.mnemonic in CONTROL and one.mnemonic not in BOOKKEEPING:
            found.add(one.address + 16)
    return found


def ptx_rows(text: Sequence[str], kernel: str) -> list[tuple[int, Row]]:
    """(line number, row) of an entry and of the functions that it names, blank lines left out."""
    functions = _functions(text)
    wanted, todo = [], [kernel]
    while todo:
        name = todo.pop()
        if name not in functions or name in wanted:
            continue
        wanted.append(name)
        first, last = functions[name]
        words = set(re.findall(r"[\w$]+", "\n".join(text[first:last])))
        todo += sorted(words & functions.keys())
    return [
        (number + 1, Row(text[number].rstrip(), str(number + 1)))
        for name in wanted
        for number in range(*functions[name])
        if text[number].strip()
    ]


def _functions(text: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Entry or function → its lines, from the directive to behind the closing brace; declarations have none."""
    found: dict[str, tuple[int, int]] = {}
    at = 0
    while at < len(text):
        head = re.match(r"\s*(?:\.(?:visible|weak|extern)\s+)*\.(entry|func)\b(.*)", text[at])
        if head is None:
            at += 1
            continue
        start, depth, opened = at, 0, False
        while at < len(text) and not (opened and depth == 0):
            code = text[at].split("//")[0]
            depth += code.count("{") - code.count("}")
            opened |= "{" in code
            at += 1
            if not opened and code.rstrip().endswith(";"):
                break
        name = _name("\n".join(text[start:at]))
        if opened and name:
            found[name] = (start, at)
    return found


def _name(head: str) -> str:
    """The function's name: behind the directive and, for a function, its results in parentheses."""
    found = re.search(r"\.(?:entry|func)\s*(?:\([^)]*\)\s*)?([\w$]+)", head)
    return found.group(1) if found else ""


def rdna3_rows(assembly: str, places: Places) -> list[Row]:
    """The instructions and labels of a kernel in LLVM's assembly text; `.loc` of the lifter's files are links."""
    rows: list[Row] = []
    files: dict[str, str] = {}
    here: int | None = None
    inside = False
    for line in assembly.splitlines():
        words = line.split()
        if words[:1] == [".file"] and line.rstrip().endswith('.sass"'):
            files[words[1]] = line.split('"')[-2].removesuffix(".sass")
        elif words[:1] == [".loc"]:
            here = places.row_of_line(files.get(words[1], ""), int(words[2]))
        elif line.endswith(":") and not line.startswith((".Lfunc", ".Ltmp", "\t")):
            inside = inside or not line.startswith(".L")
            if inside:
                rows.append(Row(line))
        elif inside and words and words[0].startswith(".section"):
            break
        elif inside and not _DIRECTIVE.match(line):
            text = "  " + line.split(";")[0].strip().replace("\t", " ")
            rows.append(Row(text, links=[] if here is None else [here]))
    return rows


def link_ptx(rows: list[tuple[int, Row]], table: LineTable, places: Places) -> None:
    """Link by nvcc's own line table."""
    by_line = dict(rows)
    for (section, address), index in places.index.items():
        line = table.places.get(section, {}).get(address)
        if line in by_line:
            by_line[line].links.append(index)


def link_by_order(rows: Sequence[Row], sass: Sequence[Row]) -> None:
    """Pair instructions of the same kind in the order in which they stand; the rest stays without a link.

    A kind that occurs equally often on both sides is paired by itself; of the others, the longest common sequence.
    """
    mine, theirs = _kinds(rows), _kinds(sass)
    uneven_mine: list[tuple[int, str]] = []
    uneven_theirs: list[tuple[int, str]] = []
    for kind in mine.keys() & theirs.keys():
        if len(mine[kind]) == len(theirs[kind]):
            for at, index in zip(mine[kind], theirs[kind], strict=True):
                rows[at].links.append(index)
        else:
            uneven_mine += [(at, kind) for at in mine[kind]]
            uneven_theirs += [(at, kind) for at in theirs[kind]]
    uneven_mine.sort()
    uneven_theirs.sort()
    matcher = SequenceMatcher(None, [k for _, k in uneven_mine], [k for _, k in uneven_theirs], autojunk=False)
    for first, second, size in matcher.get_matching_blocks():
        for step in range(size):
            rows[uneven_mine[first + step][0]].links.append(uneven_theirs[second + step][0])


# Kind → what names it in SASS, PTX and RDNA3. Only instructions that no compiler drops or doubles lightly.
KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"(?:@!?%?[\w]+\s+)?(?:{pattern})(?![A-Z0-9])"))
    for kind, pattern in {
        "load global": r"LDG|ld\.(?:volatile\.|relaxed\.\w+\.|acquire\.\w+\.|weak\.)?global|global_load",
        "store global": r"STG|st\.(?:volatile\.|relaxed\.\w+\.|release\.\w+\.|weak\.)?global|global_store",
        "load shared": r"LDS|LDSM|ld\.(?:volatile\.)?shared|ldmatrix|ds_load|ds_read",
        "store shared": r"STS|st\.(?:volatile\.)?shared|ds_store|ds_write",
        "atomic": r"ATOMG?|ATOMS|REDG?|atom|red|global_atomic|ds_\w*(?:add|max|min|cmpst|wrxchg)",
        "barrier": r"BAR|bar(?:rier)?|s_barrier",
        "shuffle": r"SHFL|shfl|ds_bpermute|ds_permute",
        "vote": r"VOTE|vote|activemask",
        "matrix": r"HMMA|IMMA|DMMA|BMMA|mma|wmma|v_wmma",
        "approximate": r"MUFU|(?:rcp|rsqrt|sqrt|sin|cos|ex2|lg2|tanh)\.approx|v_(?:rcp|rsq|sqrt|sin|cos|exp|log)_",
        "thread": r"S2U?R\s+\w+,\s*SR_TID|mov\.u32\s+%\w+,\s*%tid",
        "group": r"S2U?R\s+\w+,\s*SR_CTAID|mov\.u32\s+%\w+,\s*%ctaid",
        "end": r"EXIT|ret|s_endpgm",
    }.items()
)


def kind_of(text: str) -> str:
    """What an instruction of any of the three languages is, "" for those that are not paired."""
    stripped = text.strip()
    return next((kind for kind, pattern in KINDS if pattern.match(stripped)), "")


def _kinds(rows: Sequence[Row]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        kind = kind_of(row.text)
        if kind:
            found[kind].append(at)
    return found
