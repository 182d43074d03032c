"""`python3 -m tools.mutation.waits [--kernel NAME] [EXAMPLE…]`: forgotten waits, by the code and by a run.

From the lifter's assembly of every kernel (sm_80) each wait is dropped in turn. The contract follows every path of the
code (verify/waits.py); the emulated device, where results come late (CASS_EMU_WAITS), follows those that generated
inputs take. Both must tell of each mutant: what only one does, or neither, is printed with its line, and a wait that
both pass over is one that another wait makes superfluous. Exit status 1 where a run tells what the contract passes.
"""

from __future__ import annotations

import argparse
import contextlib
import re
from collections import Counter
from collections.abc import Iterator

from cass_shim.device import Device
from cass_shim.model.artifacts import CodeObject
from cass_shim.model.errors import CassError, DeviceFailed, Rejected, Unsupported
from cass_shim.verify import mufu
from cass_shim.verify.agreement import Judge
from cass_shim.verify.contract import check_contract
from cass_shim.verify.inputs import first_roles
from cass_shim.verify.kernel import open_device
from cass_shim.verify.known_runs import KnownRuns
from cass_shim.verify.search import MAX_STEPS, begin, search
from cass_shim.verify.survey import survey
from tools import samples
from tools.mutation.operators import body_of
from tools.mutation.subjects import Subject, change, mutant, names, subject

SECONDS = 2.0  # of inputs a mutant
LATE = "missing wait"
_WAIT = re.compile(r"^\s*s_wait(?:cnt|_idle)(?!_depctr)")
BOTH, BY_CODE, BY_RUN, NEITHER = "by code and run", "by code only", "by run only", "by neither"


def dropped(of: Subject) -> Iterator[int]:
    """Lines of the waits of a kernel's assembly."""
    lines = of.assembly.text.splitlines()
    begins, ends = body_of(of.assembly.text, of.assembly.symbol)
    yield from (at for at in range(begins, ends) if _WAIT.match(lines[at]))


def told_by_code(code: CodeObject) -> str:
    """What the contract says of the waits; "" when nothing."""
    try:
        check_contract(code, None)
    except Rejected as error:
        return str(error)
    return ""


def told_by_run(code: CodeObject, of: Subject, device: Device, known: KnownRuns, seed: int = 1) -> str:
    """What the device says of a missing wait, on the inputs that verification tries; "" when nothing.

    A run that goes wrong in another way is not believed to be one.
    """
    judge = Judge(of.sass, of.cubin, survey(of.sass), mufu.nearest, MAX_STEPS, known=known)
    try:
        campaign = begin(judge, judge.load(code, device), first_roles(of.sass, judge.found), SECONDS)
        with contextlib.closing(campaign.candidate):
            search(campaign, seed)
    except Rejected as error:
        if isinstance(error.__cause__, DeviceFailed):
            device.reset()
            known.lose()
        return str(error) if LATE in str(error) else ""
    except Unsupported:
        return ""
    return ""


def judged(of: Subject, device: Device) -> Iterator[tuple[str, str, str]]:
    """(who tells, the change, what is said) of each wait dropped. The right code must pass both."""
    with contextlib.closing(KnownRuns(device)) as known:
        lines = of.assembly.text.splitlines()
        right = mutant(of, 0, lines[0])
        if why := told_by_code(right) or told_by_run(right, of, device, known):
            raise CassError(f"{of.name}: the right translation: {why}")
        for at in dropped(of):
            code = mutant(of, at, "")
            said = told_by_code(code), told_by_run(code, of, device, known)
            verdict = BOTH if all(said) else BY_CODE if said[0] else BY_RUN if said[1] else NEITHER
            yield verdict, f"line {at}: {change(of, at, '')}", said[1] or said[0]


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.mutation.waits", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="EXAMPLE")
    parser.add_argument("--kernel", default="", help="only kernels whose name holds this")
    options = parser.parse_args()
    device, all_of = open_device("emulated"), Counter[str]()
    for name in (name for example in options.names or samples.names() for name in names(example)):
        if options.kernel not in name:
            continue
        found = Counter[str]()
        for verdict, what, said in judged(subject(name), device):
            found[verdict] += 1
            if verdict != BOTH:
                print(f"  {verdict}: {name}: {what}: {said[:200]}", flush=True)
        print(f"{name}: {dict(found)}", flush=True)
        all_of += found
    print(f"all: {dict(all_of)}")
    return 1 if all_of[BY_RUN] else 0


if __name__ == "__main__":
    raise SystemExit(main())
