"""Makes a loadable assembly file of an answer's body: `abi: hip` (architecture decision 4).

The descriptor is rebuilt from checked values, the metadata from the CUDA parameter layout; nothing of the
answer's own frame is trusted. References to module variables become loads from the array `cass_bindings`, which
the loader fills with addresses; slot n is its n-th 8-byte word.
"""

from __future__ import annotations

import re

from cass_shim.model.artifacts import AmdgcnAsm
from cass_shim.model.errors import Rejected
from cass_shim.model.kernel_abi import AbiClass, KernelAbi, Slot, SlotKind
from cass_shim.translate.cass.answer import Body, symbols_used

BINDINGS = "cass_bindings"
HIDDEN_BYTES = 256  # LLVM AMDGPUUsage, code object version 5

# Hidden arguments by offset from their start. Source: LLVM AMDGPUUsage, code object version 5.
_HIDDEN = (
    (0, 4, "hidden_block_count_x"), (4, 4, "hidden_block_count_y"), (8, 4, "hidden_block_count_z"),
    (12, 2, "hidden_group_size_x"), (14, 2, "hidden_group_size_y"), (16, 2, "hidden_group_size_z"),
    (18, 2, "hidden_remainder_x"), (20, 2, "hidden_remainder_y"), (22, 2, "hidden_remainder_z"),
    (40, 8, "hidden_global_offset_x"), (48, 8, "hidden_global_offset_y"), (56, 8, "hidden_global_offset_z"),
    (64, 2, "hidden_grid_dims"), (120, 4, "hidden_dynamic_lds_size"),
)  # fmt: skip

_GETPC = re.compile(r"^\ts_getpc_b64\s+s\[(\d+):(\d+)\]$")
_ADD = re.compile(r"^\ts_(add|addc)_u32\s+s(\d+),\s*s(\d+),\s*(\S+?)@(rel32|gotpcrel32)@(lo|hi)\+(\d+)$")


def rebuild(body: Body, abi: KernelAbi, functions: frozenset[str] = frozenset()) -> AmdgcnAsm:
    """The complete assembly of a kernel. functions: symbols that are code; an answer may not call them.

    Raises Rejected when the answer assumes another parameter layout, uses a module symbol in any other way than
    by its address, or states a descriptor that cannot be right.
    """
    _check_layout(body, abi)
    _check_descriptor(body)
    lines, slots = _bind(body, functions)
    name = body.name
    text = "\n".join(
        [
            '\t.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"',
            "\t.amdhsa_code_object_version 5",
            "\t.text",
            f"\t.protected {name}",
            f"\t.globl {name}",
            "\t.p2align 8",
            f"\t.type {name},@function",
            f"{name}:",
            *lines,
            "\t.fill 64, 4, 0xbf9f0000",  # s_code_end: instruction prefetch reads on
            f".Lcass_end:\n\t.size {name}, .Lcass_end-{name}",
            *_descriptor(body, abi),
            *_bindings(slots),
            *_metadata(body, abi),
            "",
        ]
    )
    return AmdgcnAsm(text, name, AbiClass.HIP, tuple(slots))


def _check_layout(body: Body, abi: KernelAbi) -> None:
    if body.arguments is None:
        return
    expected = [(param.offset, param.size) for param in abi.params]
    if body.arguments != expected:
        raise Rejected(f"arguments at {body.arguments}, the kernel's parameters are at {expected}", kernel=body.name)


def _check_descriptor(body: Body) -> None:
    stated = body.descriptor
    if stated.get("wavefront_size32", 1) != 1:
        raise Rejected("waves of 64 lanes", kernel=body.name)
    for name in ("user_sgpr_queue_ptr", "user_sgpr_dispatch_id", "uses_dynamic_stack"):
        if stated.get(name, 0):
            raise Rejected(f".amdhsa_{name} is set", kernel=body.name)


def _bind(body: Body, functions: frozenset[str]) -> tuple[list[str], list[Slot]]:
    """Rewrite s_getpc + add + addc of a symbol into a load from its slot."""
    slots: list[Slot] = []
    lines: list[str] = []
    used = symbols_used(body)
    called = sorted(functions & used.keys())
    if called:
        raise Rejected(f"a call of {called[0]}, which is not in the answer", kernel=body.name)
    source = iter(range(len(body.lines)))
    for at in source:
        line = body.lines[at]
        found = _address(body, at)
        if found is None:
            if "@" in line and any(f"{name}@" in line for name in used):
                raise Rejected(f"a module symbol used other than by its address: {line.strip()}", kernel=body.name)
            lines.append(line)
            continue
        symbol, addend, pair, kind, span = found
        slot = Slot(SlotKind.SYMBOL, symbol, addend)
        if slot not in slots:
            slots.append(slot)
        offset = 8 * slots.index(slot)
        lines += [
            f"\ts_getpc_b64 s[{pair}:{pair + 1}]",
            f"\ts_add_u32 s{pair}, s{pair}, {BINDINGS}@rel32@lo+{offset + 4}",
            f"\ts_addc_u32 s{pair + 1}, s{pair + 1}, {BINDINGS}@rel32@hi+{offset + 12}",
        ]
        if kind == "rel32":  # the program's next use wants the address itself; a GOT entry is loaded by the program
            lines += [f"\ts_load_b64 s[{pair}:{pair + 1}], s[{pair}:{pair + 1}], 0x0", "\ts_waitcnt lgkmcnt(0)"]
        for _ in range(span - 1):
            next(source)
    return lines, slots


def _address(body: Body, at: int) -> tuple[str, int, int, str, int] | None:
    """Symbol, addend, register pair, kind and number of lines of an address computation that starts at line `at`."""
    getpc = _GETPC.match(body.lines[at])
    if getpc is None:
        return None
    pair = int(getpc[1])
    parts: dict[str, re.Match[str]] = {}
    index = at + 1
    while index < len(body.lines) and len(parts) < 2:
        line = body.lines[index]
        index += 1
        if line.startswith(("\ts_delay_alu", "\ts_waitcnt_depctr", "\ts_sext_i32_i16")):
            continue
        match = _ADD.match(line)
        if match is None:
            return None
        parts[match[6]] = match
    low, high = parts.get("lo"), parts.get("hi")
    if low is None or high is None or low[4] != high[4] or low[5] != high[5]:
        return None
    if [int(low[2]), int(low[3])] != [pair] * 2 or [int(high[2]), int(high[3])] != [pair + 1] * 2:
        return None
    if (low[1], high[1]) != ("add", "addc") or int(high[7]) - int(low[7]) != 8:
        return None
    addend = int(low[7]) - 4  # the add's literal lies 4 bytes behind what s_getpc gives
    if addend and low[5] != "rel32":
        raise Rejected(f"an offset inside the table entry of {low[4]}", kernel=body.name)
    return low[4], addend, pair, low[5], index - at


def _registers(body: Body) -> tuple[int, int]:
    """One more than the highest vector and scalar register that the code names."""
    vector = scalar = 0
    for line in body.lines:
        for kind, single, last in re.findall(r"\b([vs])(?:(\d+)|\[\d+:(\d+)\])", line):
            number = int(single or last) + 1
            if kind == "v":
                vector = max(vector, number)
            else:
                scalar = max(scalar, number)
    return vector, scalar


def _descriptor(body: Body, abi: KernelAbi) -> list[str]:
    values = dict(body.descriptor)
    vector, scalar = _registers(body)
    values["next_free_vgpr"] = max(values.get("next_free_vgpr", 0), vector, 1)
    values["next_free_sgpr"] = max(values.get("next_free_sgpr", 0), min(scalar, 106), 1)
    values.setdefault("user_sgpr_kernarg_segment_ptr", 1)
    values.setdefault("system_sgpr_workgroup_id_x", 1)
    values.setdefault("float_denorm_mode_32", 3)
    values.setdefault("group_segment_fixed_size", abi.shared_bytes)
    values["wavefront_size32"] = 1
    values["kernarg_size"] = abi.bindings_offset + HIDDEN_BYTES
    stated = [f"\t\t.amdhsa_{name} {value}" for name, value in sorted(values.items())]
    return [
        '\t.section .rodata,"a",@progbits',
        "\t.p2align 6",
        f"\t.amdhsa_kernel {body.name}",
        *stated,
        "\t.end_amdhsa_kernel",
        "\t.text",
    ]


def _bindings(slots: list[Slot]) -> list[str]:
    if not slots:
        return []
    return [
        '\t.section .data,"aw",@progbits',
        "\t.p2align 3",
        f"\t.globl {BINDINGS}",
        f"\t.protected {BINDINGS}",
        f"\t.type {BINDINGS},@object",
        f"{BINDINGS}:",
        f"\t.zero {8 * len(slots)}",
        f"\t.size {BINDINGS}, {8 * len(slots)}",
        "\t.text",
    ]


def _metadata(body: Body, abi: KernelAbi) -> list[str]:
    vector, scalar = _registers(body)
    start = abi.bindings_offset
    arguments = [(param.offset, param.size, "by_value") for param in abi.params]
    arguments += [(start + offset, size, kind) for offset, size, kind in _HIDDEN]
    lines = ["\t.amdgpu_metadata", "---", "amdhsa.kernels:", "  - .args:"]
    for offset, size, kind in arguments:
        lines += [f"      - .offset: {offset}", f"        .size: {size}", f"        .value_kind: {kind}"]
    lines += [
        f"    .group_segment_fixed_size: {body.descriptor.get('group_segment_fixed_size', abi.shared_bytes)}",
        "    .kernarg_segment_align: 8",
        f"    .kernarg_segment_size: {start + HIDDEN_BYTES}",
        "    .max_flat_workgroup_size: 1024",
        f"    .name: {body.name}",
        f"    .private_segment_fixed_size: {body.descriptor.get('private_segment_fixed_size', 0)}",
        f"    .sgpr_count: {max(body.descriptor.get('next_free_sgpr', 0), scalar, 1)}",
        "    .sgpr_spill_count: 0",
        f"    .symbol: {body.name}.kd",
        f"    .vgpr_count: {max(body.descriptor.get('next_free_vgpr', 0), vector, 1)}",
        "    .vgpr_spill_count: 0",
        "    .wavefront_size: 32",
        "amdhsa.target: amdgcn-amd-amdhsa--gfx1100",
        "amdhsa.version:",
        "  - 1",
        "  - 2",
        "...",
        "\t.end_amdgpu_metadata",
    ]
    return lines
