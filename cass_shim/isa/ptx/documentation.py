"""docs/ptx.md, generated from the table: every instruction of PTX ISA 9.0 and whether it is translated."""

from __future__ import annotations

from cass_shim.isa.ptx import load_all
from cass_shim.isa.ptx.spec import ROWS, Row

# Every instruction keyword of PTX ISA 9.0 chapter 9, by section.
INSTRUCTIONS: dict[str, str] = {
    "Integer": "add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi szext bmsk "
    "dp4a dp2a",
    "Extended precision": "addc subc madc",
    "Floating point": "testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2 tanh",
    "Comparison and selection": "set setp selp slct",
    "Logic and shift": "and or xor not cnot lop3 shf shl shr",
    "Data movement": "mov shfl prmt ld ldu st st.async st.bulk multimem prefetch prefetchu isspacep cvta cvt cvt.pack "
    "mapa getctarank cp.async cp.async.bulk cp.async.bulk.tensor cp.reduce.async.bulk tensormap.replace discard "
    "applypriority createpolicy",
    "Textures and surfaces": "tex tld4 txq istypep suld sust sured suq",
    "Control flow": "bra brx.idx call ret exit",
    "Synchronisation": "bar barrier barrier.cluster membar fence atom red red.async vote match activemask redux "
    "griddepcontrol elect mbarrier tensormap.cp_fenceproxy clusterlaunchcontrol",
    "Matrix": "wmma mma mma.sp ldmatrix stmatrix movmatrix wgmma tcgen05",
    "Stack": "stacksave stackrestore alloca",
    "Video": "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 "
    "vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4",
    "Miscellaneous": "brkpt nanosleep pmevent trap setmaxnreg",
}

# The ISA that the list is of, and the first words of its instructions.
ISA = (9, 0)
OPCODES = frozenset(name.split(".")[0] for text in INSTRUCTIONS.values() for name in text.split())

# Why an instruction has no row.
MISSING: dict[str, str] = {
    "st.async": "clusters (sm_90)", "st.bulk": "sm_100", "multimem": "multicast memory (sm_90)",
    "mapa": "clusters (sm_90)", "getctarank": "clusters (sm_90)", "cp.async.bulk": "bulk copies (sm_90)",
    "cp.async.bulk.tensor": "tensor memory accelerator (sm_90)", "cp.reduce.async.bulk": "bulk copies (sm_90)",
    "tensormap.replace": "tensor memory accelerator (sm_90)", "barrier.cluster": "clusters (sm_90)",
    "red.async": "clusters (sm_90)", "tensormap.cp_fenceproxy": "tensor memory accelerator (sm_90)",
    "clusterlaunchcontrol": "sm_100", "wgmma": "warp groups (sm_90a)",
    "tcgen05": "tensor memory (sm_100a)",
}  # fmt: skip


def _rows(name: str) -> list[str]:
    """The forms of an instruction as Markdown; `cp.async` is the rows of `cp` that start so."""
    opcode, _, rest = name.partition(".")
    prefix = f"{name}." if rest else ""
    found = [row for row in ROWS.get(opcode, []) if not rest or f"{row.pattern}.".startswith(prefix)]
    return [f"`{row.pattern}`".replace("|", "\\|") + _conditions(row) for row in found]


def _conditions(row: Row) -> str:
    """Those that a choice of the row can break."""
    choices = frozenset().union(*(slot.choices for slot in row.slots))
    told = [str(rule) for rule in row.conditions if rule.modifier in choices and not rule.others.isdisjoint(choices)]
    return f" ({'; '.join(told)})" if told else ""


def ptx_page() -> str:
    """The whole page."""
    load_all()
    names = [name for section in INSTRUCTIONS.values() for name in section.split()]
    supported = sum(1 for name in names if name not in MISSING)
    lines = [
        "# PTX instructions",
        "",
        "Generated from `cass_shim/isa/ptx/`. A form is written as PTX's manual writes it: `{name:a|b}` is a choice,",
        "`?` marks what may be left out. Anything else is refused by name, never guessed.",
        "What shows that it is right: [PTX: what shows it](ptx-shown.md).",
        "",
        f"{supported} of {len(names)} instructions have a translation, in {sum(map(len, ROWS.values()))} rows.",
    ]
    for section, text in INSTRUCTIONS.items():
        lines += ["", f"## {section}", "", "| instruction | supported | forms |", "|---|---|---|"]
        for name in text.split():
            if name in MISSING:
                lines.append(f"| `{name}` | no: {MISSING[name]} | |")
            else:
                forms = "<br>".join(_rows(name))
                lines.append(f"| `{name}` | yes | {forms} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(ptx_page(), end="")
