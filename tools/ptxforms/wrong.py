"""`python3 -m tools.ptxforms.wrong [--each N]`: impossible operands for every row of the table, judged by ptxas.

Each form's operands are left out, added, turned round and replaced by others of wrong types, widths and shapes. ptxas
says which results exist; the translator must refuse every other, by name, without a Python error. Prints what it takes
though ptxas does not, and counts what it refuses though ptxas takes it. 1 when there is a Python error, or one taken.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

from cass_shim.model.artifacts import PtxModule
from cass_shim.model.errors import CassError
from cass_shim.translate.ptx_hip.parser import parse_module
from cass_shim.translate.ptx_hip.program import write_own
from cass_shim.translate.ptx_hip.translate import kernel_abi
from tools.ptxforms.oracle import REGISTERS, module, refusals, written
from tools.ptxforms.selection import sampled
from tools.ptxforms.signatures import all_rows, signature

OTHERS = (
    *(f"%{name}_{number}" for name in REGISTERS for number in (0, 8, 16)), "5", "-1", "1.5", "0f3F800000",
    "0d3FF0000000000000", "{%b32_0, %b32_1}", "{%f32_0, %f32_1, %f32_2, %f32_3}", "[%u64_99]", "[in_shared]",
    "in_global", "_", "!%pred_3", "-%s32_1", "%tid.x", "%clock64", "%pred_1|%pred_2", "[%b32_0+4]", "nothing", "()",
    "[table, {%b32_0}]", "%b32_0.x", "%b32_0.b1", "0x1ffffffff",
)  # fmt: skip
_TRIES = 7


def operands_of(line: str) -> tuple[str, list[str]]:
    """Mnemonic and operands of an instruction."""
    head, _, rest = line.removesuffix(";").partition(" ")
    parts, depth = [""], 0
    for character in rest:
        depth += {"[": 1, "{": 1, "(": 1, "]": -1, "}": -1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return head, [part.strip() for part in parts if part.strip()]


def mutants(line: str, generator: random.Random) -> Iterator[str]:
    """The instruction with other operands."""
    head, operands = operands_of(line)
    changed = [[*operands, "%b32_7"], operands[::-1]]
    for at in range(len(operands)):
        changed.append([*operands[:at], *operands[at + 1 :]])
        changed += [[*operands[:at], other, *operands[at + 1 :]] for other in generator.sample(OTHERS, _TRIES)]
    for each in changed:
        if each != operands:
            yield f"{head} {', '.join(each)};" if each else f"{head};"


def taken(line: str) -> bool:
    """Whether the translator takes an instruction."""
    text, _ = module([line], "100")
    try:
        write_own(parse_module(text), "probe", kernel_abi(PtxModule(text, 100), "probe"), {})
    except CassError:
        return False
    return True


def main(arguments: list[str]) -> int:
    """Ask both, print the differences."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.ptxforms.wrong")
    parser.add_argument("--each", type=int, default=1, help="forms of a row")
    parser.add_argument("--full", action="store_true", help="print every one on which ptxas disagrees")
    options = parser.parse_args(arguments)
    lines: dict[str, None] = {}
    for row in all_rows():
        generator = random.Random(row.pattern)
        forms = [form for modifiers in sampled(row) if (form := signature(row, modifiers)) is not None]
        for form in generator.sample(forms, min(options.each, len(forms))):
            lines.update(dict.fromkeys(mutants(written(form), generator)))
    listed = list(lines)
    said = [refusals(listed, sm) for sm in ("90", "100a")]
    errors, differ, strict, counts = [], defaultdict(list), [], Counter[bool]()
    for number, line in enumerate(listed):
        try:
            ours = taken(line)
        except Exception as error:
            errors.append(f"{line}: {type(error).__name__}: {error}")
            continue
        counts[ours] += 1
        if not ours and not any(number in refused for refused in said):
            strict.append(line)
        if ours and all(number in refused for refused in said):
            differ[line.split(".")[0].split(" ")[0]].append(f"{line} | {said[0][number]}")
    print(f"{len(listed)} instructions: {counts[True]} taken, {counts[False]} refused, {len(errors)} Python errors")
    print(f"{sum(map(len, differ.values()))} taken though ptxas refuses them:")
    for opcode, found in sorted(differ.items(), key=lambda item: -len(item[1])):
        print("\n    ".join([f"  {opcode} {len(found)}:", *(found if options.full else found[:1])]))
    print(f"{len(strict)} refused though ptxas takes them")
    print("\n".join([*(strict if options.full else []), *errors]))
    return 1 if errors or differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
