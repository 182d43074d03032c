"""`python3 -m tools.ptxforms.coverage`: which forms of the table a GPU has recorded, and by name those it has not.

A form counts when a recorded probe, or a form of `forms.npz`, executes it; as standing when the GPU ran what PTX's
manual defines it by (`newer`), or a form that differs from it in hints alone (`kin`). Asks ptxas which of the others
exist for sm_90. Instructions whose operands are fragments, coordinates or labels are written by hand: theirs are
counted, not enumerated.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator

from tools.ptxforms import every
from tools.ptxforms.kin import kin
from tools.ptxforms.known import recorded_names
from tools.ptxforms.oracle import refusals, written
from tools.ptxforms.recorded import recording
from tools.ptxforms.signatures import APART, Form, all_rows

_MNEMONIC = re.compile(r"(?:[{;]|^)\s*(?:\w+:\s*)?(?:@!?%\w+\s+)?([a-z]\w*(?:\.[\w:]+)*)")


_LAUNCH_FAILED = ": 719"  # what trap and brkpt are for


def executed() -> tuple[frozenset[str], frozenset[str]]:
    """Mnemonics that recorded probes execute, and those of them that something else stood for."""
    ran = {name.split(":")[0] if name.count("::") == 0 else name for name in recorded_names()}
    stood: set[str] = set()
    for probe in recording().probes:
        found = {name for line in probe.body for name in _MNEMONIC.findall(line)}
        alone = {name for line in probe.stands for name in _MNEMONIC.findall(line)}
        ran |= found
        if probe.stands:
            stood |= found - alone
    ran |= {name for name, why in recording().failed.items() if why.endswith(_LAUNCH_FAILED)}
    return frozenset(ran), frozenset(stood)


def forms() -> Iterator[Form]:
    """Every form of the rows whose operands follow from the row."""
    seen = set()
    for row in all_rows():
        for form in every.forms_of(row):
            if form.name not in seen:
                seen.add(form.name)
                yield form


def main() -> int:
    """Report; 1 when ptxas takes a form for sm_90 that is not recorded."""
    ran, stood = executed()
    listed = list(forms())
    open_ = [form for form in listed if form.name not in ran]
    refused = refusals([written(form) for form in open_], "90")
    like = {probe.name for probe, _ in kin()}
    missing = [form.name for index, form in enumerate(open_) if index not in refused and form.name not in like]
    later = Counter(refused[index] for index in refused)
    hand = Counter(name.split(".")[0] for name in ran if name.split(".")[0] in APART)
    print(f"{len(listed)} forms of {len(all_rows())} rows: {len(listed) - len(open_)} recorded,")
    print(f"{len(like)} as a recorded one that differs in hints alone, {len(missing)} not;")
    print(
        f"of the recorded {len({form.name for form in listed} & stood)} by what they stand for;"
        f" {len(refused)} not of sm_90:"
    )
    for why, count in later.most_common():
        print(f"  {count}: {why}")
    print(
        f"written by hand: {sum(hand.values())} forms: {', '.join(f'{count} {name}' for name, count in hand.items())}"
    )
    for name in missing:
        print(f"not recorded: {name}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
