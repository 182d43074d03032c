"""Reads a model's answer: data from a stranger, of which only the body of one kernel is used.

In: text. Out: `Body`, lines of instructions and labels plus the descriptor values that were stated. Directives,
macros, data and anything that could read files or grow without bound never reach the assembler.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cass_shim.model.errors import Rejected

MAX_TEXT = 1 << 20
MAX_LINES = 40_000
MAX_LINE = 400

# Descriptor directives that an answer may state, with the largest value accepted. Source: LLVM AMDGPUUsage.
DESCRIPTOR_LIMITS = {
    "group_segment_fixed_size": 64 << 10, "private_segment_fixed_size": 1 << 20, "next_free_vgpr": 256,
    "next_free_sgpr": 106, "user_sgpr_count": 16, "user_sgpr_dispatch_ptr": 1, "user_sgpr_queue_ptr": 1,
    "user_sgpr_kernarg_segment_ptr": 1, "user_sgpr_dispatch_id": 1, "user_sgpr_private_segment_size": 1,
    "wavefront_size32": 1, "uses_dynamic_stack": 1, "enable_private_segment": 1, "system_sgpr_workgroup_id_x": 1,
    "system_sgpr_workgroup_id_y": 1, "system_sgpr_workgroup_id_z": 1, "system_sgpr_workgroup_info": 1,
    "system_vgpr_workitem_id": 2, "reserve_vcc": 1, "float_round_mode_32": 3, "float_round_mode_16_64": 3,
    "float_denorm_mode_32": 3, "float_denorm_mode_16_64": 3, "dx10_clamp": 1, "ieee_mode": 1, "fp16_overflow": 1,
    "workgroup_processor_mode": 1, "memory_ordered": 1, "forward_progress": 1, "shared_vgpr_count": 0,
}  # fmt: skip
_IGNORED_VALUES = ("kernarg_size", "inst_pref_size", "exception_")  # rebuilt, or of no meaning here

# Instructions that leave the wave's own state or talk to the system.
FORBIDDEN = re.compile(
    r"^(?:s_sethalt|s_setkill|s_rfe\w*|s_trap|s_ttracedata\w*|s_sendmsghalt|s_setprio|s_icache_inv|s_incperflevel"
    r"|s_decperflevel|s_setvskip|s_wait_event|s_subvector_loop\w*|s_endpgm_ordered_ps_done|s_atc_probe\w*|ds_gws_\w+"
    r"|global_(?:load|store|atomic)\w*_addtid\w*)$"
)
_MESSAGE = re.compile(r"^s_sendmsg\s+sendmsg\(MSG_DEALLOC_VGPRS\)$")
_SETREG = re.compile(r"^s_setreg(?:_imm32)?_b32\s+hwreg\(HW_REG_MODE\b")
_LABEL = re.compile(r"^([A-Za-z_.$][\w.$@]*):\s*(.*)$")
_MNEMONIC = re.compile(r"^[a-z]\w*$")
_SYMBOL_USE = re.compile(r"([A-Za-z_.$][\w.$]*)@(rel32@lo|rel32@hi|gotpcrel32@lo|gotpcrel32@hi)([+-]\d+)?")
_HARMLESS = (
    ".text", ".p2align", ".p2alignl", ".align", ".globl", ".protected", ".hidden", ".weak", ".type", ".size",
    ".amdgcn_target", ".amdhsa_code_object_version", ".set", ".ident", ".addrsig", ".addrsig_sym", ".file", ".loc",
    ".cfi_sections", ".cfi_startproc", ".cfi_endproc", ".cfi_escape", ".cfi_undefined", ".cfi_def_cfa", ".fill",
    ".amdgpu_metadata", ".end_amdgpu_metadata",
)  # fmt: skip


@dataclass(slots=True)
class Body:
    """A kernel's instructions. descriptor: stated values by directive name without `.amdhsa_`.

    arguments: explicit arguments that the answer's metadata states, as (offset, size), None without metadata.
    """

    name: str
    lines: list[str] = field(default_factory=list)
    descriptor: dict[str, int] = field(default_factory=dict)
    arguments: list[tuple[int, int]] | None = None


def fenced(answer: str) -> str:
    """The assembly in an answer: what stands in the last `hipasm` fence, any fence, or all of it."""
    if len(answer) > MAX_TEXT:
        raise Rejected(f"the answer has {len(answer)} characters, at most {MAX_TEXT} are read")
    found = re.findall(r"```[ \t]*(\w*)[ \t]*\n(.*?)(?:```|\Z)", answer, re.DOTALL)
    named = [text for language, text in found if language == "hipasm"] or [text for _, text in found]
    text = named[-1] if named else answer
    if not text.strip():
        raise Rejected("the answer is empty")
    return text


def parse_answer(answer: str, kernel: str) -> Body:
    """The body of `kernel`. Raises Rejected that says what is wrong with the answer."""
    text = fenced(answer)
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        raise Rejected(f"{len(lines)} lines, at most {MAX_LINES} are read", kernel=kernel)
    kernels = re.findall(r"^\s*\.amdhsa_kernel\s+(\S+)", text, re.MULTILINE)
    if len(kernels) > 1:
        raise Rejected(f"{len(kernels)} kernels, expected one", kernel=kernel)
    if kernels and kernels[0] != kernel:
        raise Rejected(f"the kernel is named {kernels[0]}", kernel=kernel)
    body = Body(kernel)
    _read_code(lines, body)
    _read_descriptor(lines, body)
    body.arguments = _read_arguments(lines)
    return body


def _strip(line: str, kernel: str) -> str:
    """Without comments and blanks; one statement only."""
    if len(line) > MAX_LINE and not line.lstrip().startswith((";", ".", "//")):
        raise Rejected(f"a line of {len(line)} characters", kernel=kernel)
    text = re.sub(r"/\*.*?\*/", " ", line)
    return re.split(r";|//", text, maxsplit=1)[0].strip()


def _read_code(lines: list[str], body: Body) -> None:
    """From the kernel's label to the first section that is not code."""
    start = next((at for at, line in enumerate(lines) if _strip(line, body.name).startswith(f"{body.name}:")), None)
    if start is None:
        raise Rejected("the answer has no code for the kernel (no label of its name)", kernel=body.name)
    ended = False
    for line in lines[start + 1 :]:
        text = _strip(line, body.name)
        if not text:
            continue
        if text.startswith((".section", ".rodata", ".data", ".bss")):
            break
        if text.startswith(".Lfunc_end"):
            break
        ended = text.startswith("s_endpgm") or (ended and text.startswith((".", "s_nop", "s_code_end")))
        _accept(text, body)
    if not body.lines:
        raise Rejected("the kernel has no instructions", kernel=body.name)
    if not any(line.strip() == "s_endpgm" for line in body.lines):
        raise Rejected("the kernel does not end (no s_endpgm): the answer is cut off", kernel=body.name)


def _accept(text: str, body: Body) -> None:
    """One statement into the body, or Rejected."""
    label = _LABEL.match(text)
    if label is not None and "::" not in text:
        if not label[1].startswith((".LBB", ".Ltmp", "LBB", "BB", ".L")):
            raise Rejected(f"a second function or data: {label[1]}", kernel=body.name)
        body.lines.append(f"{label[1]}:")
        text = label[2].strip()
        if not text:
            return
    if text.startswith("."):
        directive = text.split()[0]
        if directive not in _HARMLESS:
            raise Rejected(f"directive {directive}", kernel=body.name)
        return
    for part in text.split(" :: "):
        mnemonic = part.split()[0]
        if not _MNEMONIC.match(mnemonic):
            raise Rejected(f"not an instruction: {text[:60]!r}", kernel=body.name)
        _check_privilege(part, mnemonic, body)
    body.lines.append(f"\t{text}")


def _check_privilege(part: str, mnemonic: str, body: Body) -> None:
    if mnemonic == "s_sendmsg" and _MESSAGE.match(part):
        return
    if mnemonic.startswith("s_setreg") and _SETREG.match(part):
        return
    if FORBIDDEN.match(mnemonic) or mnemonic.startswith(("s_sendmsg", "s_setreg")):
        raise Rejected(f"instruction {mnemonic} is not a kernel's to use", kernel=body.name)


def _read_descriptor(lines: list[str], body: Body) -> None:
    for line in lines:
        match = re.match(r"^\s*\.amdhsa_(\w+)\s+(\S+)", line)
        if match is None or match[1] in ("kernel", "code_object_version") or match[1].startswith(_IGNORED_VALUES):
            continue
        limit = DESCRIPTOR_LIMITS.get(match[1])
        if limit is None:
            raise Rejected(f"descriptor value .amdhsa_{match[1]}", kernel=body.name)
        try:
            value = int(match[2], 0)
        except ValueError:
            continue  # an expression of the compiler's symbols; the rebuilt descriptor counts registers itself
        if not 0 <= value <= limit:
            raise Rejected(f".amdhsa_{match[1]} is {value}, at most {limit} is possible", kernel=body.name)
        body.descriptor[match[1]] = value


def _read_arguments(lines: list[str]) -> list[tuple[int, int]] | None:
    """Explicit arguments of the YAML metadata, by a line reader: no YAML of a stranger is loaded."""
    found: list[dict[str, str]] = []
    inside = False
    for line in lines:
        text = line.strip()
        if text.startswith("- .args:") or text == ".args:":
            inside = True
            continue
        if not inside:
            continue
        match = re.match(r"^(- )?\.(\w+):\s*(\S+)$", text)
        if match is None or (line.startswith("    .") and not line.startswith("     ")):
            break
        if match[1]:
            found.append({})
        if found:
            found[-1][match[2]] = match[3]
    if not inside:
        return None
    explicit = [entry for entry in found if not entry.get("value_kind", "").startswith("hidden_")]
    try:
        return [(int(entry["offset"]), int(entry["size"])) for entry in explicit]
    except (KeyError, ValueError):
        return None


def symbols_used(body: Body) -> dict[str, set[str]]:
    """Symbols that instructions refer to → how (rel32@lo, gotpcrel32@hi, …)."""
    used: dict[str, set[str]] = {}
    for line in body.lines:
        for match in _SYMBOL_USE.finditer(line):
            used.setdefault(match[1], set()).add(match[2])
    return used
