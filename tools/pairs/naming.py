"""Names for the registers of a pair's target, as `translate/cass/registers.py` allocates them.

In: lines of fields with registers that LLVM chose. Out: the same lines in which every value has a number of its own,
given in the order of first use; registers that the hardware fills keep theirs. VCC is a scalar register like others,
but where an instruction reads it without saying so. What belongs to one value is found by reaching definitions. A
wave's inactive lanes keep their values while others run, so for vector registers there is a path from each instruction
that clears bits of EXEC to each later one that may set them again.
"""

from __future__ import annotations

from collections.abc import Sequence

from cass_shim.translate.cass.fields import Line
from cass_shim.translate.cass.registers import FIXED, Place, Register, alignment, places
from cass_shim.translate.cass.vocabulary import NAMES
from cass_shim.translate.cass.webs import Classes, Flow, Webs

HIGHEST = len(NAMES) - 1  # what a number token can say
VCC: Register = ("s", 106)
_READS_VCC = ("v_div_fmas", "s_cbranch_vcc")


class Unnameable(Exception):
    """Why a target keeps its registers, and gives no pair."""


def _sets_exec(line: Line) -> bool:
    return "saveexec" in line[0] or line[0].startswith("v_cmpx") or line[1:2] == ["exec_lo"]


def _only_clears(line: Line) -> bool:
    if line[0].startswith(("v_cmpx", "s_and_saveexec")):
        return True
    return line[0] in ("s_and_b32", "s_and_not1_b32") and line[1:2] == ["exec_lo"]


def followers(lines: Sequence[Line]) -> list[list[int]]:
    """Per line, the lines that a wave may run next."""
    labels = {line[1]: number for number, line in enumerate(lines) if line[0] == "L"}
    found: list[list[int]] = []
    for number, line in enumerate(lines):
        follow = [] if line[0] in ("s_branch", "s_endpgm") or number + 1 == len(lines) else [number + 1]
        if line[0].startswith(("s_cbranch", "s_branch")):
            follow.append(labels[line[2]])
        found.append(follow)
    return found


def _saved(lines: Sequence[Line], masks: Webs[Register] | None) -> dict[int, int]:
    """Lines that set bits of EXEC → the first line that writes a mask which they read: no earlier lanes wake there."""
    found: dict[int, int] = {}
    made: dict[int, int] = {}
    for number, line in enumerate(lines if masks is not None else ()):
        assert masks is not None
        scalars = [place for place in places(line) if place.kind == "s"]
        sources = [masks.read(number, one) for place in scalars if place.read for one in place.registers()]
        if "saveexec" in line[0]:  # what it writes is EXEC as it was: lanes that are awake
            sources = []
        since = min((made.get(one, number) for one in sources if one is not None), default=number)  # ~saved, too
        for one in (one for place in scalars if place.written for one in place.registers()):
            web = masks.written(number, one)
            made[web] = min(made.get(web, number), since)
    for number, line in enumerate(lines):
        if _sets_exec(line) and not _only_clears(line):
            read = [(number, one) for place in places(line) if place.read for one in place.registers()]
            webs = [masks.read(*each) for each in read] if masks is not None else []
            found[number] = min((made.get(one, 0) if one is not None else 0 for one in webs), default=0)
    return found


def _sleepers(lines: Sequence[Line], masks: Webs[Register] | None = None) -> dict[int, list[int]]:
    """From a line that clears bits of EXEC to the lines behind those that may set them again, later.

    masks: the webs of scalar registers: a mask that is made later holds no lane that sleeps already.
    """
    wakes = _saved(lines, masks)
    return {
        number: [wake + 1 for wake, made in wakes.items() if wake > number >= made and wake + 1 < len(lines)]
        for number, line in enumerate(lines)
        if _sets_exec(line) and line[0] != "s_or_b32"
    }


def _with_masks(lines: list[Line]) -> list[Line]:
    """VCC as a register, unless both halves are spoken of."""
    if any(token in ("vcc", "vcc_hi") for line in lines for token in line):
        return lines
    spelled = {"vcc_lo": [VCC[0], f"#{VCC[1]}"]}
    return [[part for token in line for part in spelled.get(token, [token])] for line in lines]


def named(lines: list[Line]) -> list[Line]:
    """The lines with names for registers. Raises Unnameable when there are more values than numbers."""
    lines = _with_masks(lines)
    found = [places(line) for line in lines]
    reads = [{one for place in line if place.read for one in place.registers()} for line in found]
    for text, read in zip(lines, reads, strict=True):
        read |= {VCC} if text[0].startswith(_READS_VCC) else set()
    writes = [{one for place in line if place.written for one in place.registers()} for line in found]
    follow = followers(lines)
    asleep = _sleepers(lines, Webs(Flow(reads, writes, follow)))
    flow = Flow(reads, writes, follow, asleep, lambda one: one[0] == "v")
    webs = Webs(flow)
    for number, line in enumerate(found):
        for place in line:
            for one in place.registers() if place.read and place.written else ():
                webs.keep(number, one)
    return _Naming(lines, found, webs).lines()


class _Naming:
    """Names for the webs of one target, ranges together."""

    def __init__(self, lines: list[Line], found: list[list[Place]], webs: Webs[Register]) -> None:
        self.given, self.webs = lines, webs
        self.groups = Classes(len(webs.owner))
        operands = ((number, place) for number, line in enumerate(found) for place in line)
        self.operands = [(number, place, self._webs(number, place)) for number, place in operands]
        for _, _, each in self.operands:
            self.groups.join(each)
        starting = webs.from_start()
        hidden = [webs.read(number, VCC) for number, line in enumerate(lines) if line[0].startswith(_READS_VCC)]
        self.hidden = {self.groups.find(one) for one in hidden if one is not None}
        self.lowest: dict[int, int] = {}
        self.highest: dict[int, int] = {}
        self.align: dict[int, int] = {}
        self.fixed: set[int] = set()
        self.following = dict(FIXED)
        for _, place, each in self.operands:
            group = self.groups.find(each[0])
            last = place.number + place.size - 1
            self.lowest[group] = min(self.lowest.get(group, place.number), place.number)
            self.highest[group] = max(self.highest.get(group, last), last)
            self.align[group] = max(self.align.get(group, 1), alignment(place.kind, place.size))
            if any(one in starting and place.number + part < FIXED[place.kind] for part, one in enumerate(each)):
                self.fixed.add(group)

    def _webs(self, number: int, place: Place) -> list[int]:
        found = []
        for one in place.registers():
            web = self.webs.written(number, one) if place.written else self.webs.read(number, one)
            if web is None:
                raise Unnameable("instructions that are never reached")
            found.append(web)
        return found

    def lines(self) -> list[Line]:
        """The lines with names."""
        names: dict[int, int] = {}
        made = [list(line) for line in self.given]
        for number, place, each in self.operands:
            group = self.groups.find(each[0])
            if group in self.hidden:
                made[number][place.at - 1 : place.at + 1] = ["vcc_lo", ""]
                continue
            if group not in names:
                names[group] = self._name(place.kind, group)
            made[number][place.at] = f"#{place.number - self.lowest[group] + names[group]}"
        return [[token for token in line if token] for line in made]

    def _name(self, kind: str, group: int) -> int:
        low, high = self.lowest[group], self.highest[group]
        if group in self.fixed:
            if high >= FIXED[kind]:
                raise Unnameable("a range of a register that the hardware fills and others")
            return low
        base = self.following[kind] + (low - self.following[kind]) % self.align[group]  # a range keeps its alignment
        self.following[kind] = base + high - low + 1
        if self.following[kind] - 1 > HIGHEST:
            raise Unnameable("more values than numbers")
        return base
