"""Where callees go: a copy per call site, a function of their own (`lift.calls`), or one copy per world with a
dispatch on the return address.

Copies are preferred: they need no dispatch, and registers that a callee does not touch do not meet in it. What would
multiply the code becomes a function, and so does what calls itself: its cycle of calls is one function, in which they
return by a dispatch. A dispatch must not stand in a body with cross-lane operations: the way from one call site's
return to the next site is a loop, in which lanes that skipped the first call pass an operation behind it before those
that made it. Where lanes are scheduled apart, which names who waits for whom, callees are shared instead, and lanes of
two call sites kept apart by the number of their chain of calls (`lift.contexts`). A *world* is one copy of a function's
code together with the shared copies it calls; within a world every return address is unique.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cass_shim.lift.code import Function
from cass_shim.lift.contexts import Edge
from cass_shim.model.errors import Unsupported

COPY_BUDGET = 6000  # SASS instructions of a kernel with all copies made, beyond which callees become functions
HARD_LIMIT = 60000
SMALL = 64  # instructions of a callee that is always copied: a call costs some of that itself


@dataclass
class Instance:
    """One copy of a function. returns: (return address, label of the continuation). called: it begins an LLVM function
    of its own, and has none."""

    number: int
    function: Function
    world: int
    returns: list[tuple[int, str]] = field(default_factory=list)
    called: bool = False

    def label(self, address: int) -> str:
        return f"i{self.number}.{address:x}"


def choose_once(functions: dict[int, Function], root: int, apart: bool = False) -> tuple[set[int], set[int]]:
    """(entries that get a shared copy, entries that become functions). apart: whether lanes are scheduled apart.

    Raises Unsupported where none of the three is right.
    """
    again = set()
    for entry, function in functions.items():
        if function.recursive:
            if function.lanes:
                raise Unsupported("recursion through a cross-lane operation or a barrier", address=entry)
            again.add(entry)
    return (_shared(functions, root, again), set()) if apart else (set(), _called(functions, root, again))


def _called(functions: dict[int, Function], root: int, again: set[int]) -> set[int]:
    """What becomes functions, besides those that call themselves."""
    chosen: set[int] = set()
    sites = _sites(functions)
    large = {e for e, f in functions.items() if e != root and f.size > SMALL} - again
    while (total := _size(functions, root, again | chosen, {})) > COPY_BUDGET:
        if large <= chosen:
            if total > HARD_LIMIT:
                raise Unsupported("calls that multiply the code", why=f"{total} instructions")
            break
        chosen.add(max(large - chosen, key=lambda e: functions[e].size * sites.get(e, 1)))
    return again | chosen


def _shared(functions: dict[int, Function], root: int, again: set[int]) -> set[int]:
    """What gets one copy: all of it in the kernel's own world, once the copies would be too many."""
    if _size(functions, root, again, {}) <= COPY_BUDGET:
        return again
    chosen = again | {e for e, f in functions.items() if f.size > SMALL}
    while more := {e for e, f in functions.items() if any(chosen.intersection(c) for c in f.calls.values())} - chosen:
        chosen |= more  # a copy of a caller would be a world of its own, with another copy of what it calls
    chosen -= {root}
    total = sum(_size(functions, entry, chosen, {}) for entry in (root, *chosen))
    return set(functions) - {root} if total > HARD_LIMIT else chosen


def _sites(functions: dict[int, Function]) -> dict[int, int]:
    count: dict[int, int] = {}
    for function in functions.values():
        for callees in function.calls.values():
            for callee in callees:
                count[callee] = count.get(callee, 0) + 1
    return count


def _size(functions: dict[int, Function], entry: int, shared: set[int], known: dict[int, int]) -> int:
    """Instructions of a copy and everything copied for it; a shared callee counts once per caller."""
    if entry in known:
        return known[entry]
    function = functions[entry]
    total = function.size
    for callees in function.calls.values():
        total += sum(_size(functions, c, shared, known) for c in callees if c not in shared)
    known[entry] = total
    return total


@dataclass
class Layout:
    """Makes instances as calls ask for them. added: what calls add to the number of the lane's chain of calls; waiting:
    instances whose blocks are not written yet."""

    functions: dict[int, Function]
    entry: int
    shared: set[int]
    called: set[int]
    added: dict[Edge, int] = field(default_factory=dict)
    instances: list[Instance] = field(default_factory=list)
    waiting: list[Instance] = field(default_factory=list)
    shared_instances: dict[tuple[int, int], Instance] = field(default_factory=dict)

    def root(self) -> Instance:
        return self._new(self.entry, None)

    def function(self, entry: int) -> Instance:
        """The copy of a callee that is its own LLVM function's."""
        instance = self._new(entry, None)
        instance.called = True
        self.shared_instances[instance.world, entry] = instance
        return instance

    def within(self, caller: Instance, entry: int) -> bool:
        """Whether a callee is in the caller's world already: both are of one cycle of calls, which is a function."""
        return entry in self.instances[caller.world].function.cycle

    def _new(self, entry: int, world: int | None) -> Instance:
        number = len(self.instances)
        instance = Instance(number, self.functions[entry], number if world is None else world)
        self.instances.append(instance)
        self.waiting.append(instance)
        return instance

    def call(self, caller: Instance, entry: int, return_address: int, label: str) -> Instance:
        """The instance that a call from `caller` enters; it will return to `label`."""
        if entry not in self.shared and not self.within(caller, entry):
            callee = self._new(entry, None)
        else:
            key = (caller.world, entry)
            if key not in self.shared_instances:
                self.shared_instances[key] = self._new(entry, caller.world)
            callee = self.shared_instances[key]
        if (return_address, label) not in callee.returns:
            callee.returns.append((return_address, label))
        return callee
