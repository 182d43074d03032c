"""Probes that the table's rows alone do not give: selectors, packing, masks of part of a warp, barriers, copies.

Registers are those of `probes.kernel`; `take` reads operands, `keep` writes results.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tools.ptxforms.probes import Probe, load, store

_SHARED = frozenset({"shared"})


def take(*types: str) -> list[str]:
    """Loads of %T_0, %T_1 …: operand k of type T from the input's k-th 8 bytes."""
    return [line for k, name in enumerate(types) for line in load(name, f"%{name}_{k}", 8 * k)]


def keep(type_name: str, name: str, offset: int = 0) -> list[str]:
    """A store of one result."""
    return store(type_name, name, offset)


def simple(text: str, sources: str, result: str, name: str = "") -> Probe:
    """An instruction from %T_k to %T_10."""
    return Probe(name or text, (*take(*sources.split()), f"{text};", *keep(result, f"%{result}_10")))


def video() -> Iterator[Probe]:
    """Selectors, data merge, masks."""
    for op, selector in product(("vadd", "vsub", "vabsdiff", "vmin", "vmax"), ("b0", "b3", "h0", "h1")):
        yield simple(f"{op}.s32.s32.u32.sat %s32_10, %s32_0.{selector}, %u32_1.{selector}", "s32 u32", "s32")
        yield simple(f"{op}.u32.u32.u32 %u32_10, %u32_0.{selector}, %u32_1.b1", "u32 u32", "u32")
        merged = f"{op}.s32.s32.s32.sat %s32_10.{selector}, %s32_0, %s32_1, %s32_2"
        yield simple(merged, "s32 s32 s32", "s32")
    for op, mode, selector in product(("vshl", "vshr"), ("clamp", "wrap"), ("b2", "h1")):
        yield simple(f"{op}.u32.u32.u32.{mode} %u32_10, %u32_0.{selector}, %u32_1.b0", "u32 u32", "u32")
        yield simple(f"{op}.s32.s32.u32.sat.{mode} %s32_10.{selector}, %s32_0, %u32_1, %s32_2", "s32 u32 s32", "s32")
    for how, selector in product(("eq", "lt", "ge"), ("b1", "h0")):
        yield simple(f"vset.s32.u32.{how} %u32_10, %s32_0.{selector}, %u32_1.{selector}", "s32 u32", "u32")
        yield simple(f"vset.s32.u32.{how} %u32_10.{selector}, %s32_0, %u32_1, %u32_2", "s32 u32 u32", "u32")
    for sign, scale in product(("-%s32_0, %s32_1, %s32_2", "%s32_0, -%s32_1, %s32_2", "%s32_0, %s32_1, -%s32_2"),
                               ("", ".shr7", ".shr15")):  # fmt: skip
        yield simple(f"vmad.s32.s32.s32{scale} %s32_10, {sign}", "s32 s32 s32", "s32")
        yield simple(f"vmad.s32.s32.s32.sat{scale} %s32_10, {sign}", "s32 s32 s32", "s32")
    for selector in ("b1", "h1"):
        yield simple(
            f"vmad.u32.u32.u32.sat %u32_10, %u32_0.{selector}, %u32_1.{selector}, %u32_2", "u32 u32 u32", "u32"
        )
    for op, (count, mask, a, b) in product(
        ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"),
        (("2", "h10", "h01", "h23"), ("2", "h1", "h32", "h10"), ("4", "b3210", "b7610", "b0123"),
         ("4", "b20", "b3210", "b4444")),
    ):  # fmt: skip
        yield simple(f"{op}{count}.u32.u32.u32 %u32_10.{mask}, %u32_0.{a}, %u32_1.{b}, %u32_2", "u32 u32 u32", "u32")
        yield simple(f"{op}{count}.s32.s32.u32.sat %s32_10.{mask}, %s32_0, %u32_1.{b}, %s32_2", "s32 u32 s32", "s32")
        yield simple(f"{op}{count}.s32.s32.s32.add %s32_10.{mask}, %s32_0, %s32_1, %s32_2", "s32 s32 s32", "s32")
    for count, mask, a in (("2", "h0", "h12"), ("4", "b31", "b5432")):
        yield simple(f"vset{count}.s32.u32.lt %u32_10.{mask}, %s32_0.{a}, %u32_1, %u32_2", "s32 u32 u32", "u32")
        yield simple(f"vset{count}.u32.u32.ge.add %u32_10.{mask}, %u32_0.{a}, %u32_1, %u32_2", "u32 u32 u32", "u32")


def predicates() -> Iterator[Probe]:
    """Two predicate results, negated sources."""
    for how, t in product(("lt", "ne"), ("u32", "s64", "f32", "f64")):
        for op in ("", ".and", ".or", ".xor"):
            source = ", !%pred_2" if op else ""
            body = [*take(t, t, "pred"), f"setp.{how}{op}.{t} %pred_10|%pred_11, %{t}_0, %{t}_1{source};"]
            body += [*keep("pred", "%pred_10"), *keep("pred", "%pred_11", 4)]
            yield Probe(f"setp.{how}{op}.{t} p|q", tuple(body))
    for how, t in product(("lt", "equ", "nan", "ge"), ("f16x2", "bf16x2")):
        kind = "b32"
        body = [
            *load(kind, "%b32_0", 0),
            *load(kind, "%b32_1", 8),
            f"setp.{how}.{t} %pred_10|%pred_11, %b32_0, %b32_1;",
        ]
        yield Probe(f"setp.{how}.{t} p|q", (*body, *keep("pred", "%pred_10"), *keep("pred", "%pred_11", 4)))
    for table in (0x3C, 0x81, 0x17):
        for op in ("or", "and"):
            body = [*take("b32", "b32", "b32", "pred"),
                    f"lop3.{op}.b32 %b32_10|%pred_10, %b32_0, %b32_1, %b32_2, {table:#x}, !%pred_3;"]  # fmt: skip
            yield Probe(f"lop3.{op}.b32 {table:#x}", (*body, *keep("b32", "%b32_10"), *keep("pred", "%pred_10", 16)))


def moves() -> Iterator[Probe]:
    """mov that packs and unpacks, and sinks."""
    for whole, part, count in (("b32", "b16", 2), ("b64", "b32", 2), ("b64", "b16", 4), ("b128", "b64", 2),
                               ("b128", "b32", 4)):  # fmt: skip
        names = [f"%{part}_{k}" for k in range(count)]
        yield Probe(f"mov.{whole} pack {count}", (*take(*[part] * count),
                    f"mov.{whole} %{whole}_10, {{{', '.join(names)}}};", *keep(whole, f"%{whole}_10")))  # fmt: skip
        stores = [line for k, name in enumerate(names) for line in keep(part, name, 4 * k if part != "b64" else 8 * k)]
        unpack = f"mov.{whole} {{{', '.join(names)}}}, %{whole}_10;"
        yield Probe(f"mov.{whole} unpack {count}", (*load(whole, f"%{whole}_10", 0), unpack, *stores))
    yield Probe("mov.b64 sink", (*load("b64", "%b64_0", 0), "mov.b64 {_, %b32_1}, %b64_0;", *keep("b32", "%b32_1")))
    for space in ("global", "shared", "local", "const"):
        at = {"global": "mov.b64 %b64_0, %at_cell;", "const": "cvta.const.u64 %b64_0, %at_const;"}.get(
            space, f"cvt.u64.u32 %b64_1, %at_{space}; cvta.{space}.u64 %b64_0, %b64_1;")  # fmt: skip
        before = ("mov.u64 %at_const, table;", at)
        needs = frozenset({space} & {"shared", "local"})
        for asked in ("global", "shared", "local", "const"):
            text = f"isspacep.{asked} %pred_10, %b64_0;"
            yield Probe(f"isspacep.{asked} of {space}", (*before, text, *keep("pred", "%pred_10")), needs)
        back = f"cvta.to.{space}.u64 %b64_2, %b64_0; ld.{space}.u32 %u32_5, [%b64_2+8]; ld.u32 %u32_6, [%b64_0+4];"
        yield Probe(f"cvta.to.{space}", (*before, back, *keep("u32", "%u32_5"), *keep("u32", "%u32_6", 4)), needs)


SPECIALS = (
    "%tid.x %tid.y %ntid.x %ntid.y %ctaid.x %nctaid.x %laneid %lanemask_eq %lanemask_lt %lanemask_le %lanemask_ge "
    "%lanemask_gt %cluster_ctaid.x %cluster_nctaid.x %cluster_ctarank %cluster_nctarank %clusterid.x %nclusterid.x "
    "%dynamic_smem_size %warpid"
)


def specials() -> Iterator[Probe]:
    """Predefined registers whose value a launch determines."""
    for name in SPECIALS.split():
        yield Probe(f"mov.u32 {name}", (f"mov.u32 %u32_10, {name};", *keep("u32", "%u32_10")))
    yield Probe(
        "mov.pred %is_explicit_cluster", ("mov.pred %pred_10, %is_explicit_cluster;", *keep("pred", "%pred_10"))
    )
    yield Probe("activemask.b32", ("activemask.b32 %b32_10;", *keep("b32", "%b32_10")))


# Votes, sums and matches with a mask: instruction, type of its source and of its result.
_MASKED = (
    ("vote.sync.all.pred %pred_10, %pred_0, %u32_91", "pred", "pred"),
    ("vote.sync.any.pred %pred_10, %pred_0, %u32_91", "pred", "pred"),
    ("vote.sync.uni.pred %pred_10, %pred_0, %u32_91", "pred", "pred"),
    ("vote.sync.ballot.b32 %b32_10, %pred_0, %u32_91", "pred", "b32"),
    ("redux.sync.add.u32 %u32_10, %u32_0, %u32_91", "u32", "u32"),
    ("redux.sync.min.s32 %s32_10, %s32_0, %u32_91", "s32", "s32"),
    ("redux.sync.xor.b32 %b32_10, %b32_0, %u32_91", "b32", "b32"),
    ("match.any.sync.b32 %b32_10, %b32_0, %u32_91", "b32", "b32"),
)


def warps() -> Iterator[Probe]:
    """Lanes of half a warp with masks of their own; segments of shuffles."""
    half = [
        "and.b32 %u32_90, %lane, 1; setp.ne.u32 %pred_90, %u32_90, 0;"
        " selp.b32 %u32_91, 0xAAAAAAAA, 0x55555555, %pred_90;"
    ]
    for text, sources, result in _MASKED:
        calls = [f"@%pred_90 {text};", f"@!%pred_90 {text};"]
        yield Probe(f"{text.split(' ')[0]} halves", (*half, *take(*sources.split()), *calls,
                    *keep(result, f"%{result}_10")))  # fmt: skip
        full = text.replace("%u32_91", "0xffffffff")
        yield Probe(f"{text.split(' ')[0]} full", (*take(*sources.split()), f"{full};", *keep(result, f"%{result}_10")))
    for t in ("b32", "b64"):
        few = f"and.{t} %{t}_0, %{t}_0, 3;"
        for how in ("any", "all"):
            to = "%b32_10|%pred_10" if how == "all" else "%b32_10"
            same = [*keep("pred", "%pred_10", 16)] if how == "all" else []
            text = f"match.{how}.sync.{t} {to}, %{t}_0, 0xffffffff;"
            yield Probe(f"match.{how}.sync.{t} few", (*take(t), few, text, *keep("b32", "%b32_10"), *same))
            equal = f"shr.u32 %u32_92, %lane, 5; cvt.u64.u32 %u64_92, %u32_92; mov.b{t[1:]} %{t}_0, %u{t[1:]}_92;"
            yield Probe(f"match.{how}.sync.{t} equal", (equal, text, *keep("b32", "%b32_10"), *same))
    for mode, width in product(("up", "down", "bfly", "idx"), (8, 16, 32)):
        clamp = (32 - width) << 8 | (0 if mode == "up" else 31)
        for amount in ("1", "5", "%u32_1"):
            lane = "and.b32 %u32_1, %u32_1, 31;"
            text = f"shfl.sync.{mode}.b32 %b32_10|%pred_10, %b32_0, {amount}, {clamp:#x}, 0xffffffff;"
            yield Probe(f"shfl.sync.{mode}.b32 {width} {amount}", (*take("b32", "u32"), lane, text,
                        *keep("b32", "%b32_10"), *keep("pred", "%pred_10", 16)))  # fmt: skip
    yield Probe(
        "elect.sync",
        ("elect.sync %b32_10|%pred_10, 0xffffffff;", *keep("b32", "%b32_10"), *keep("pred", "%pred_10", 16)),
    )


def barriers() -> Iterator[Probe]:
    """Barriers of the block, of a part of it, and their reductions."""
    for head in ("bar", "bar.cta", "barrier", "barrier.cta"):
        aligned = ".aligned" if head.startswith("barrier") else ""
        for op in ("and", "or"):
            text = f"{head}.red.{op}{aligned}.pred %pred_10, 1, %pred_0;"
            yield Probe(f"{head}.red.{op}.pred", (*take("pred"), text, *keep("pred", "%pred_10")))
        text = f"{head}.red.popc{aligned}.u32 %u32_10, 2, %pred_0;"
        yield Probe(f"{head}.red.popc.u32", (*take("pred"), text, *keep("u32", "%u32_10")))
    split = "setp.lt.u32 %pred_80, %lane, 128;"
    for op, t in (("and", "pred"), ("or", "pred"), ("popc", "u32")):
        text = f"bar.red.{op}.{t} %{t}_10, %u32_80, 128, !%pred_0;"
        yield Probe(f"bar.red.{op}.{t} part", (*take("pred"), split, "selp.u32 %u32_80, 3, 4, %pred_80;", text,
                    *keep(t, f"%{t}_10")))  # fmt: skip
    exchange = ("st.shared.b32 [%at_shared], %lane;", "xor.b32 %u32_81, %lane, 64; sub.u32 %u32_81, %u32_81, %lane;"
                " mad.lo.u32 %u32_82, %u32_81, 64, %at_shared;", "ld.shared.b32 %u32_10, [%u32_82];")  # fmt: skip
    for text in ("bar.sync %u32_80, 128;", "barrier.sync %u32_80, 128;"):
        before = (split, "selp.u32 %u32_80, 5, 6, %pred_80;")
        store_, place, read = exchange
        yield Probe(
            text.split(" ")[0] + " part", (*before, store_, text, place, read, *keep("u32", "%u32_10")), _SHARED
        )
    produce = ("st.shared.b32 [%at_shared], %lane;", split, "@%pred_80 bar.arrive 7, 256;",
               "@!%pred_80 bar.sync 7, 256;",
               "@%pred_80 ret;", "ld.shared.b32 %u32_10, [%at_shared+-8192];")  # fmt: skip
    yield Probe("bar.arrive", (*produce, *keep("u32", "%u32_10")), _SHARED)


def copies() -> Iterator[Probe]:
    """cp.async and mbarrier. What an mbarrier's state looks like is opaque; only counts and tests are kept."""
    waits = {"cp.async.wait_all": ("cp.async.wait_all;",),
             "cp.async.wait_group": ("cp.async.commit_group;", "cp.async.wait_group 0;")}  # fmt: skip
    for (cop, size, source), (way, wait) in product(
        (("ca", 4, ""), ("ca", 8, ""), ("ca", 16, ""), ("cg", 16, ""), ("ca", 16, ", 4"), ("ca", 8, ", 0"),
         ("cg", 16, ", %u32_70"), ("ca", 4, ", %pred_0"), ("cg", 16, ", %pred_0")), waits.items(),
    ):  # fmt: skip
        count = "ld.global.u32 %u32_70, [%at_in+64]; and.b32 %u32_70, %u32_70, 15;"
        text = f"cp.async.{cop}.shared.global [%at_shared+16], [%at_cell+32], {size}{source};"
        yield Probe(f"{text} {way}", (count, *take("pred"), text, *wait), _SHARED)
    first = "setp.eq.u32 %pred_80, %lane, 0;"
    block = "mov.u32 %u32_80, cells_shared;"
    for expected in (256, 300):
        begin = (
            block,
            first,
            "bar.sync 0;",
            f"@%pred_80 mbarrier.init.shared.b64 [%u32_80], {expected};",
            "bar.sync 0;",
        )
        arrive = "mbarrier.arrive.shared.b64 %b64_10, [%u32_80];"
        test = "mbarrier.test_wait.shared.b64 %pred_10, [%u32_80], %b64_10;"
        ends = ("bar.sync 0;", *keep("pred", "%pred_10"), "@%pred_80 st.shared.b64 [%u32_80], 0;")
        yield Probe(f"mbarrier.test_wait of {expected}", (*begin, arrive, "bar.sync 0;", test, *ends), _SHARED)
        parity = "mbarrier.test_wait.parity.shared.b64 %pred_10, [%u32_80], 0;"
        yield Probe(f"mbarrier.test_wait.parity of {expected}", (*begin, arrive, "bar.sync 0;", parity, *ends), _SHARED)
        drop = "mbarrier.arrive_drop.shared.b64 %b64_10, [%u32_80];"
        yield Probe(f"mbarrier.arrive_drop of {expected}", (*begin, drop, "bar.sync 0;", test, *ends), _SHARED)
    begin = (block, first, "bar.sync 0;", "@%pred_80 mbarrier.init.shared.b64 [%u32_80], 9;", "bar.sync 0;")
    for text in (
        "mbarrier.arrive.noComplete.shared.b64 %b64_10, [%u32_80], 3;",
        "mbarrier.arrive.noComplete.b64 %b64_10, [%u64_80], 2;",
    ):
        generic = "cvt.u64.u32 %u64_79, %u32_80; cvta.shared.u64 %u64_80, %u64_79; mov.b32 %b32_10, 0;"
        pending = f"@%pred_80 {text}", "@%pred_80 mbarrier.pending_count.b64 %b32_10, %b64_10;"
        yield Probe(text, (*begin, generic, *pending, "bar.sync 0;", *keep("b32", "%b32_10"),
                    "@%pred_80 st.shared.b64 [%u32_80], 0;"), _SHARED)  # fmt: skip


def all_handwritten() -> Iterator[Probe]:
    """All of them."""
    for make in (video, predicates, moves, specials, warps, barriers, copies):
        yield from make()
