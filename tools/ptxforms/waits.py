"""Probes of what waits, orders or hints: mbarriers, copies, barriers, fences, cache control.

An mbarrier is the lane's own, in its cell of shared memory: its phases follow from the lane's own arrivals. What an
mbarrier's bits mean is opaque, so the cell is emptied at the end; only tests and counts are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tools.ptxforms.probes import Probe, load, store

_SHARED = frozenset({"shared"})
_SPACES = ("", ".shared", ".shared::cta")
# %b64_70: the generic address of the lane's cell in shared memory.
_GENERIC = ("cvt.u64.u32 %u64_70, %at_shared; cvta.shared.u64 %b64_70, %u64_70;",)
_ASKED = 64  # times
_EMPTIED = ("mbarrier.inval.shared.b64 [%at_shared]; st.shared.v2.b64 [%at_shared], {%b64_75, %b64_75};",)


def _at(space: str) -> str:
    return "[%at_shared]" if space else "[%b64_70]"


def _semantics(*orders: str) -> Iterator[str]:
    """Order and scope, which come together or not at all."""
    yield ""
    for order, scope in product(orders, ("cta", "cluster")):
        yield f".{order}.{scope}"


def _phase(name: str, *body: str, count: int = 1) -> Probe:
    """A probe with an mbarrier that expects `count` arrivals."""
    begin = (*_GENERIC, "mov.b64 %b64_75, 0;", f"mbarrier.init.shared.b64 [%at_shared], {count};")
    return Probe(name, (*begin, *body, *_EMPTIED), _SHARED)


def _test(
    number: int,
    state: str = "%b64_10",
    form: str = "mbarrier.test_wait.shared.b64",
    at: str = "[%at_shared]",
    hint: str = "",
) -> tuple[str, ...]:
    """Whether a phase is over, to word `number` of the result; asked again, since an arrival may take effect later."""
    ask = f"{form} %pred_1{number}, {at}, {state}{hint};"
    again = f"add.u32 %u32_77, %u32_77, 1; setp.lt.and.u32 %pred_77, %u32_77, {_ASKED}, !%pred_1{number};"
    return (f"{{ mov.u32 %u32_77, 0; AGAIN: {ask} {again} @%pred_77 bra AGAIN; }}",
            *store("pred", f"%pred_1{number}", 4 * number))  # fmt: skip


_ARRIVE = "mbarrier.arrive.shared.b64"


def arrivals() -> Iterator[Probe]:
    """arrive and arrive_drop, with and without a count, a state and expected transactions."""
    for what, space in product(("arrive", "arrive_drop"), _SPACES):
        at = _at(space)
        for semantics in _semantics("release", "relaxed"):
            form = f"mbarrier.{what}{semantics}{space}.b64"
            left = f"{_ARRIVE} %b64_11, [%at_shared];"
            yield _phase(form, f"{form} %b64_10, {at};", *_test(0), left, *_test(1), left,
                         "mov.b64 %b64_12, %b64_11;", *_test(2, "%b64_12"), count=2)  # fmt: skip
            yield _phase(f"{form} count", f"{form} %b64_10, {at}, 3;", *_test(0), left, *_test(1), count=4)
            yield _phase(f"{form} register", "and.b32 %u32_60, %lane, 3; add.u32 %u32_60, %u32_60, 1;",
                         f"{form} %b64_10, {at}, %u32_60;", *_test(0), count=4)  # fmt: skip
            yield _phase(f"{form} sink", f"{form} _, {at};", *_test(0, "0", "mbarrier.test_wait.parity.shared.b64"))
            form = f"mbarrier.{what}.expect_tx{semantics}{space}.b64"
            complete = "mbarrier.complete_tx.shared.b64 [%at_shared], 48;"
            yield _phase(form, f"{form} %b64_10, {at}, 48;", *_test(0), complete, *_test(1))
        for semantics in ("", ".release.cta"):
            form = f"mbarrier.{what}.noComplete{semantics}{space}.b64"
            pending = "mbarrier.pending_count.b64 %u32_60, %b64_10;"
            yield _phase(form, f"{form} %b64_10, {at}, 3;", pending, *store("u32", "%u32_60", 0), *_test(1), count=9)


def transactions() -> Iterator[Probe]:
    """expect_tx and complete_tx apart from an arrival."""
    for semantics, space in product(_semantics("relaxed"), _SPACES):
        at = _at(space)
        expect, complete = (f"mbarrier.{what}{semantics}{space}.b64" for what in ("expect_tx", "complete_tx"))
        arrive = f"{_ARRIVE} %b64_10, [%at_shared];"
        one, other = f"{complete} {at}, 24;", f"{complete} {at}, 8;"
        yield _phase(expect, f"{expect} {at}, 32;", arrive, *_test(0), one, *_test(1), other, *_test(2))
        yield _phase(complete, f"{expect} {at}, 32;", one, other, *_test_parity(0), arrive, *_test(1))


def _test_parity(number: int) -> tuple[str, ...]:
    return _test(number, "0", "mbarrier.test_wait.parity.shared.b64")


def tests() -> Iterator[Probe]:
    """test_wait and try_wait of states and parities, of phases that are over and that are not; init and inval."""
    arrive = f"{_ARRIVE} %b64_10, [%at_shared];"
    for what, semantics, space in product(("test_wait", "try_wait"), _semantics("acquire", "relaxed"), _SPACES):
        at = _at(space)
        form = f"mbarrier.{what}{semantics}{space}.b64"
        hints = ("", ", 64") if what == "try_wait" else ("",)
        for hint in hints:
            yield _phase(f"{form}{' hint' if hint else ''}", arrive, *_test(0, form=form, at=at, hint=hint), arrive,
                         *_test(1, form=form, at=at, hint=hint), count=2)  # fmt: skip
        form = f"mbarrier.{what}.parity{semantics}{space}.b64"
        for hint in hints:
            both = [line for number, parity in ((0, "0"), (1, "1")) for line in _test(number, parity, form, at, hint)]
            after = [line for number, parity in ((2, "0"), (3, "1")) for line in _test(number, parity, form, at, hint)]
            yield _phase(f"{form}{' hint' if hint else ''}", *both, arrive, *after)
    for space in _SPACES:
        again = (f"mbarrier.inval{space}.b64 {_at(space)};", f"mbarrier.init{space}.b64 {_at(space)}, 2;")
        yield _phase(f"mbarrier.init{space}.b64", *again, arrive, *_test(0), arrive, *_test(1))
        form = f"mbarrier.inval{space}.b64"
        kept = f"{form} {_at(space)}; st.shared.b64 [%at_shared], %b64_75; ld.shared.b32 %b32_60, [%at_shared+8];"
        yield _phase(form, kept, *store("b32", "%b32_60", 0))


_ASYNC = "cp.async.ca.shared.global [%at_shared+16], [%at_cell+32], 16;"


def copies() -> Iterator[Probe]:
    """cp.async with every hint and size, its groups, and arrivals on it."""
    policy = "createpolicy.fractional.L2::evict_first.b64 %b64_60, 1.0;"
    for cop, to, hint, prefetch in product(("ca", "cg"), ("shared", "shared::cta"), ("", ".L2::cache_hint"),
                                           ("", ".L2::64B", ".L2::128B", ".L2::256B")):  # fmt: skip
        form = f"cp.async.{cop}.{to}.global{hint}{prefetch}"
        last = ", %b64_60" if hint else ""
        for size in (4, 8, 16) if cop == "ca" else (16,):
            text = f"{form} [%at_shared+16], [%at_cell+32], {size}{last};"
            wait = "cp.async.commit_group; cp.async.wait_group 0;" if size == 16 else "cp.async.wait_all;"
            yield Probe(f"{form} {size}", (policy, text, wait), _SHARED)
    two = (_ASYNC, "cp.async.commit_group;", _ASYNC.replace("+16", "+48").replace("+32", "+0"),
           "cp.async.commit_group;", "cp.async.wait_group 1;", "ld.shared.v2.b32 {%b32_60, %b32_61}, [%at_shared+16];",
           *store("b32", "%b32_60", 0), *store("b32", "%b32_61", 4), "cp.async.wait_all;")  # fmt: skip
    yield Probe("cp.async.wait_group 1 of 2", two, _SHARED)
    for space, noinc in product(_SPACES, ("", ".noinc")):
        form = f"cp.async.mbarrier.arrive{noinc}{space}.b64"
        arrive = "" if noinc else f"{_ARRIVE} %b64_10, [%at_shared];"
        parity = "mbarrier.try_wait.parity.shared.b64 %pred_60, [%at_shared], 0;"
        loop = f"{{ AGAIN: {parity} @!%pred_60 bra AGAIN; }}"
        yield _phase(form, _ASYNC, f"{form} {_at(space)};", arrive, loop, "ld.shared.b32 %b32_60, [%at_shared+20];",
                     *store("b32", "%b32_60", 0))  # fmt: skip


def barriers() -> Iterator[Probe]:
    """Barriers of the whole block that another lane's value needs, and their reductions."""
    other = ("st.shared.b32 [%at_shared], %lane; xor.b32 %u32_81, %lane, 64;"
             " sub.u32 %u32_81, %u32_81, %lane; mad.lo.u32 %u32_82, %u32_81, 64, %at_shared;")  # fmt: skip
    read = ("ld.shared.b32 %u32_10, [%u32_82];", *store("u32", "%u32_10", 0))
    for cta, operands in product(("", ".cta"), ("0", "3, 256", "%u32_83", "%u32_83, %u32_84")):
        values = "mov.u32 %u32_83, 5; mov.u32 %u32_84, 256;"
        for form in (f"bar{cta}.sync", f"barrier{cta}.sync", f"barrier{cta}.sync.aligned"):
            name = form if operands == "0" else f"{form} {operands}"
            yield Probe(name, (other, values, f"{form} {operands};", *read), _SHARED)
    split = "setp.lt.u32 %pred_80, %lane, 128;"
    for form in ("bar.arrive", "bar.cta.arrive", "barrier.arrive", "barrier.arrive.aligned", "barrier.cta.arrive",
                 "barrier.cta.arrive.aligned"):  # fmt: skip
        wait = form.replace("arrive", "sync")
        part = (f"@%pred_80 {form} 7, 256;", f"@!%pred_80 {wait} 7, 256;", "@%pred_80 ret;",
                "ld.shared.b32 %u32_10, [%at_shared+-8192];")  # fmt: skip
        yield Probe(f"{form} halves", ("st.shared.b32 [%at_shared], %lane;", split, *part,
                    *store("u32", "%u32_10", 0)), _SHARED)  # fmt: skip
    for cta, aligned, (op, t) in product(("", ".cta"), ("", ".aligned"), (("and", "pred"), ("or", "pred"),
                                                                        ("popc", "u32"))):  # fmt: skip
        for head in ("bar", "barrier") if not aligned else ("barrier",):
            form = f"{head}{cta}.red.{op}{aligned}.{t}"
            few = "and.b32 %u32_80, %lane, 192; setp.ne.u32 %pred_0, %u32_80, 64;"
            for operands in ("1, %pred_0", "1, !%pred_0", "2, 256, %pred_0"):
                text = f"{form} %{t}_10, {operands};"
                yield Probe(f"{form} {operands}", (few, text, *store(t, f"%{t}_10", 0)))
    half = (
        "and.b32 %u32_90, %lane, 1; setp.ne.u32 %pred_90, %u32_90, 0;"
        " selp.b32 %u32_91, 0xAAAAAAAA, 0x55555555, %pred_90;"
    )
    beside = other.replace("64;", "2;", 1)
    for mask, first in (("0xffffffff", ""), ("%u32_91", half)):
        yield Probe(f"bar.warp.sync {mask}", (first, beside, f"bar.warp.sync {mask};", *read), _SHARED)


def around(name: str, text: str, needs: frozenset[str] = frozenset(), first: str = "") -> Probe:
    """An instruction that computes nothing between a store and a load of the same word."""
    body = (*load("b32", "%b32_0", 16), first, "st.global.b32 [%at_cell+4], %b32_0;", text,
            "ld.global.b32 %b32_1, [%at_cell+4];", *store("b32", "%b32_1", 0))  # fmt: skip
    return Probe(name, body, needs)


def hints() -> Iterator[Probe]:
    """What computes nothing, and so must change nothing: fences, prefetches, policies, events."""
    for order, scope in product(("", ".sc", ".acq_rel", ".acquire", ".release"), ("cta", "cluster", "gpu", "sys")):
        yield around(f"fence{order}.{scope}", f"fence{order}.{scope};")
    for form in ("membar.cta", "membar.gl", "membar.sys", "membar.proxy.alias", "fence.mbarrier_init.release.cluster",
                 "fence.proxy.alias", "fence.proxy.async", "fence.proxy.async.global", "fence.proxy.async.shared::cta",
                 "fence.proxy.async.shared::cluster", "griddepcontrol.wait",
                 "griddepcontrol.launch_dependents"):  # fmt: skip
        yield around(form, f"{form};")
    yield around("nanosleep.u32 100", "nanosleep.u32 100;")
    yield around("nanosleep.u32 %u32_60", "nanosleep.u32 %u32_60;", first="and.b32 %u32_60, %lane, 127;")
    for what, count in (("dec", 40), ("inc", 240)):
        form = f"setmaxnreg.{what}.sync.aligned.u32"
        yield around(form, f"{form} {count};", frozenset({"warpgroups"}))
    yield around("pmevent 7", "pmevent 7;")
    yield around("pmevent.mask 3", "pmevent.mask 3;")
    line = "and.b64 %b64_60, %at_cell, -128;"
    for form in ("prefetch.L1", "prefetch.L2", "prefetch.global.L1", "prefetch.global.L2",
                 "prefetch.global.L2::evict_last", "prefetch.global.L2::evict_normal"):  # fmt: skip
        yield around(form, f"{form} [%at_cell];")
    for form in ("prefetch.local.L1", "prefetch.local.L2"):
        yield around(form, f"{form} [%at_local];", frozenset({"local"}))
    yield around("prefetchu.L1", "prefetchu.L1 [%at_cell];")
    for form in ("applypriority.global.L2::evict_normal", "applypriority.L2::evict_normal"):
        yield around(form, f"{form} [%b64_60], 128;", first=line)
    for form in ("discard.global.L2", "discard.L2"):  # what was there is lost, so every word is written again
        words = [line for word in range(16) for line in (f"ld.global.b32 %b32_{word}, [%at_in+{4 * word}];",
                 f"st.global.b32 [%at_cell+{4 * word}], %b32_{word};")]  # fmt: skip
        yield Probe(form, (line, "bar.sync 0;", f"{form} [%b64_60], 128;", "bar.sync 0;", *words,
                    "ld.global.b32 %b32_20, [%at_cell+8];", *store("b32", "%b32_20", 0)))  # fmt: skip
    yield from policies()


def policies() -> Iterator[Probe]:
    """Every createpolicy, its result used by a load: a policy is opaque, what is loaded is not."""
    first = ("L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged")
    for kind, space, one, two in product(("fractional", "range"), ("", ".global"), first,
                                         ("", ".L2::evict_first", ".L2::evict_unchanged")):  # fmt: skip
        form = f"createpolicy.{kind}{space if kind == 'range' else ''}.{one}{two}.b64"
        if kind == "fractional" and space:
            continue
        operands = "0.5" if kind == "fractional" else "[%at_cell], 0x1000, 0x2000"
        yield around(form, f"{form} %b64_60, {operands}; ld.global.L2::cache_hint.b32 %b32_9, [%at_cell], %b64_60;")
    access = "mov.b64 %b64_61, 0x10f0000000000000;"  # a cudaAccessPolicyWindow of everything
    yield around("createpolicy.cvt.L2.b64", "createpolicy.cvt.L2.b64 %b64_60, %b64_61;"
                 " ld.global.L2::cache_hint.b32 %b32_9, [%at_cell], %b64_60;", first=access)  # fmt: skip


def all_waits() -> Iterator[Probe]:
    """All of them."""
    for make in (arrivals, transactions, tests, copies, barriers, hints):
        yield from make()
