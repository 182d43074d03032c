"""Families of instructions that programs written by hand have and templates seldom do: roundings, saturation, dot
products of bytes, wide comparisons, reductions of lanes, every atomic, small types in shared memory, comparisons joined
by an exclusive or.

In: a draft and a name. Out: the kernel's lines. An entry of a table is an expression in CUDA's own words (CUDA Math
API); PRELUDE asks by PTX for what no CUDA function gives.
"""

from __future__ import annotations

from collections.abc import Sequence

from tools.pairs.drafts import BLOCKS, EXIT, FULL, INDEX, ONCE, Draft, condition, expression, literal, loads, two

_TESTED = """__device__ __forceinline__ bool TEST_ftz(float p, float q) {
  int r; asm("{ .reg .pred s; setp.TEST.ftz.f32 s, %1, %2; selp.s32 %0, 1, 0, s; }" : "=r"(r) : "f"(p), "f"(q));
  return r; }
"""
_REALS = """__device__ __forceinline__ float NAME(float p, float q) {
  float r; asm("OP %0, %1, %2;" : "=f"(r) : "f"(p), "f"(q)); return r; }
"""
_WORDS = """__device__ __forceinline__ unsigned NAME(unsigned p, unsigned q) {
  unsigned r; asm("OP %0, %1, %2;" : "=r"(r) : "r"(p), "r"(q)); return r; }
"""
_TESTS = ("ltu", "gtu", "leu", "geu", "equ", "neu", "lt", "gt", "num", "nan")
PRELUDE = (
    "".join(_TESTED.replace("TEST", test) for test in _TESTS)
    + "".join(
        _REALS.replace("NAME", name).replace("OP", op)
        for name, op in (("add_ftz", "add.ftz.f32"), ("mul_ftz", "mul.ftz.f32"), ("min_nan", "min.NaN.f32"))
    )
    + "".join(
        _WORDS.replace("NAME", name).replace("OP", op)
        for name, op in (("signed_bits", "szext.wrap.s32"), ("plain_bits", "szext.wrap.u32"))
    )
    + """__device__ __forceinline__ unsigned two_halves(float p, float q) {
  unsigned r; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(p), "f"(q)); return r; }
__device__ __forceinline__ unsigned two_brains(float p, float q) {
  unsigned r; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(p), "f"(q)); return r; }
"""
)

# p, q, r: values of the kind; k: a small number; c: any constant; h: four digits of a permutation of bytes; t: a test
# of reals; m: all lanes; w: a number of lanes.
_UNSIGNED = (
    "__dp4a({p}, {q}, {r})", "__dp2a_lo({p}, {q}, {r})", "__dp2a_hi({p}, {q}, {r})",
    "(unsigned)__dp4a((int){p}, (int){q}, (int){r})", "(unsigned)__dp2a_lo((int){p}, (int){q}, (int){r})",
    "__byte_perm({p}, {q}, {h})", "__byte_perm({p}, {q}, {r} & 0x7777u)", "__byte_perm({p}, 0, {h})",
    "__funnelshift_l({p}, {q}, {k})", "__funnelshift_r({p}, {q}, {r})", "__funnelshift_rc({p}, {q}, {r} & 63)",
    "__umulhi({p}, {q})", "__usad({p}, {q}, {r})", "__uhadd({p}, {q})", "__urhadd({p}, {q})",
    "__vabsdiffu4({p}, {q})", "__vsadu4({p}, {q})", "__vadd2({p}, {q})", "__vsub4({p}, {q})", "__vavgu4({p}, {q})",
    "__vcmpeq4({p}, {q})", "__vmaxs2({p}, {q})", "__vminu2({p}, {q})", "__vneg2({p})", "__vabs4({p})",
    "signed_bits({p}, {k})", "plain_bits({p}, {q} & 31)", "plain_bits({p}, {k})", "mask({p} & 31, {k})",
    "(({p} & {q}) | (~{p} & {r}))", "(({p} & {q}) ^ ({p} & {r}) ^ ({q} & {r}))", "({p} ^ {q} ^ {r})", "(~({p} | {q}))",
    "__brev({p})", "(unsigned)__ffs({p})", "(unsigned)__clz({p} & {q})", "__popc({p} ^ {q})",
    "(unsigned)(unsigned short)({p})", "two_halves((float){p}, (float){q})", "two_brains((float)(int){p}, (float){q})",
    "({p} >> {k} | {p} << (32 - {k}))", "(unsigned)(({p} * (unsigned long long){q}) >> {k})",
    "({p} > {q}) != ({q} > {r}) ? {p} : {r}", "({p} > {q}) ^ (({r} & {k}) == 0) ? {q} : {p}",
)  # fmt: skip
_INT = (
    "__dp4a({p}, {q}, {r})", "__dp2a_hi({p}, {q}, {r})", "__mulhi({p}, {q})", "__sad({p}, {q}, {r})",
    "__hadd({p}, {q})", "__rhadd({p}, {q})", "__mul24({p}, {q})", "abs({p} - {q})", "max(min({p}, {q}), {r})",
    "(int)signed_bits({p}, {k})", "(int)(signed char){p}", "(int)(short)({p} >> {k})", "(({p} << {k}) >> {k})",
    "__float2int_rd((float){p} * 0.37f)", "__float2int_ru((float){p} * 0.5f)", "__float2int_rn((float){p} * 0.25f)",
    "(int)__double2ll_rz((double){p} * 1.5)", "__double2int_rn((double){p} * 0.25)",
    "(int)((long long){p} * {q} >> {k})",
    "({p} > {q}) != ({r} > {c}) ? {p} : {q}", "({p} < {q}) == (({r} & {k}) != 0) ? {q} : {r}",
    "({p} == {q} || {q} > {r}) ? {p} : {c}", "({p} > {q} && {q} != {r}) ? {q} : {r}", "__popc({p} & {q})",
)  # fmt: skip
_WIDE = (
    "({p} > {q} ? {p} : {r})", "({p} == {q} ? {r} : {p})", "({p} != {q} && {q} < {r} ? {p} : {q})", "min({p}, {q})",
    "max({p}, {r})", "({p} << ({q} & 63))", "({p} >> ({q} & 63))", "({p} >> {k})", "({p} << {k} | {p} >> (64 - {k}))",
    "(unsigned long long)__popcll({p})", "(unsigned long long)__clzll({p})", "__umul64hi({p}, {q})",
    "({p} * {q} + {r})",
    "(unsigned long long)((long long){p} >> {k})", "((long long){p} > (long long){q} ? {q} : {p})",
    "(unsigned long long)((double){p} * 0.5)", "__double2ull_rz((double)(long long){p})",
    "__float2ull_rz((float)({p} >> 9))",
    "({p} + (unsigned){q} * (unsigned long long)(unsigned){r})", "(unsigned long long)__ffsll({p} & {q})",
)  # fmt: skip
_FLOAT = (
    "__fadd_rd({p}, {q})", "__fadd_ru({p}, {q})", "__fadd_rz({p}, {q})", "__fmul_rd({p}, {q})", "__fmul_ru({p}, {q})",
    "__fmul_rz({p}, {q})", "__fmaf_rd({p}, {q}, {r})", "__fmaf_ru({p}, {q}, {r})", "__fmaf_rz({p}, {q}, {r})",
    "__saturatef({p} * {q} + {r})", "__saturatef({p} + {q})", "__saturatef({p} * {q})", "add_ftz({p}, {q})",
    "mul_ftz({p}, {q})", "min_nan({p}, {q})", "({t}_ftz({p}, {q}) ? {p} : {r})", "({t}_ftz({p}, {q}) ? {q} : {r})",
    "({t}_ftz({p}, {r}) || {p} > {q} ? {p} : {q})", "(float)__float2int_rd({p})", "(float)__float2uint_ru({p})",
    "(float)__float2ll_rz({p})", "__ll2float_rd((long long){p})", "__int2float_rz((int){p})",
    "__uint2float_ru((unsigned){p})",
    "rintf({p})", "truncf({p} * {q})", "floorf({p})", "ceilf({p} + {q})", "roundf({p})", "copysignf({p}, {q})",
    "exp2f({p})", "__log2f({p})", "__expf({p} - {q})", "__sinf({p})", "__cosf({q})", "rsqrtf({p})",
    "__fdividef({p}, {q})",
    "fmaxf(fminf({p}, {q}), {r})", "(isnan({p}) ? {q} : {p})", "(isinf({p}) ? {q} : {r})", "fabsf({p} - {q})",
    "__uint_as_float(two_halves({p}, {q}) & 0x7bff7bffu)", "__int_as_float(__float_as_int({p}) & 0x7fffff00)",
    "({p} > {q}) != ({q} > {r}) ? {p} : {r}", "tanhf({p})", "__fsqrt_rn({p})", "__frcp_rn({p})",
)  # fmt: skip
_DOUBLE = (
    "__dadd_rd({p}, {q})", "__dadd_ru({p}, {q})", "__dmul_rz({p}, {q})", "__dmul_ru({p}, {q})",
    "__fma_rd({p}, {q}, {r})",
    "__fma_ru({p}, {q}, {r})", "floor({p})", "ceil({p})", "rint({p})", "trunc({p})", "(double)(int){p}",
    "(double)(long long){p}", "(double)(float){p}", "(double)__double2uint_rz({p})", "__ll2double_rd((long long){p})",
    "(double)(unsigned long long){p}", "fmax({p}, {q})", "fmin({p}, {r})", "({p} > {q} ? {p} : {r})",
    "({p} < {q} && {q} >= {r} ? {q} : {r})", "(isnan({p}) ? {q} : {p})", "fabs({p} - {q})", "({p} != {q} ? {r} : {p})",
)  # fmt: skip
_BY_KIND = {
    "unsigned": _UNSIGNED, "int": _INT, "unsigned long long": _WIDE, "float": _FLOAT, "double": _DOUBLE,
}  # fmt: skip
_LANES = (
    "__reduce_add_sync({m}, {p})", "__reduce_min_sync({m}, {p})", "__reduce_max_sync({m}, {p})",
    "__reduce_or_sync({m}, (unsigned){p})",
    "__reduce_and_sync({m}, (unsigned){p})", "__reduce_xor_sync({m}, (unsigned){p})", "__match_any_sync({m}, {p})",
    "__match_all_sync({m}, {p}, &all)",
    "__ballot_sync({m}, {p} > {q})", "__any_sync({m}, {p} == {q})", "__all_sync({m}, {p} != {q})",
    "__shfl_up_sync({m}, {p}, {w})",
    "__shfl_up_sync({m}, {p}, {w}, 16)", "__shfl_down_sync({m}, {p}, {w}, 8)", "__shfl_xor_sync({m}, {p}, {w}, 16)",
    "__shfl_sync({m}, {p}, {q} & 31)", "__shfl_sync({m}, {p}, k + {w}, 8)",
)  # fmt: skip
_ATOMICS = ("Add", "Min", "Max", "And", "Or", "Xor", "Exch", "Sub", "Inc", "Dec", "CAS")


def _filled(one: Draft, text: str, values: Sequence[str], width: int = 1) -> str:
    """An entry with values in its places. width: of lanes."""
    rng = one.rng
    digits = "".join(str(rng.randrange(8)) for _ in range(4))
    p, q, r = (rng.choice(values[-5:]) for _ in "pqr")
    given = {"p": p, "q": q, "r": r, "h": f"0x{digits}", "t": rng.choice(_TESTS), "m": FULL, "w": width}
    return text.format(**given, k=rng.randrange(1, 31), c=literal(rng, one.kind))


def rare(one: Draft, name: str) -> list[str]:
    """Several seldom instructions one after another, of one type."""
    rng = one.rng
    one.kind = rng.choice(tuple(_BY_KIND))
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX};", rng.choice((EXIT, EXIT, ""))]
    values = [*loads(one), *one.scalars]
    for number in range(rng.randrange(1, 7)):
        text = _filled(one, rng.choice(_BY_KIND[one.kind]), values)
        if rng.random() < 0.2 and values[-1].startswith("v"):
            lines.append(f"if ({condition(one, values[-2:])}) {values[-1]} = {text};")
        else:
            lines.append(f"{one.kind} v{number} = {text};")
            values.append(f"v{number}")
    if rng.random() < 0.3:
        lines.append(f"if (i < m) out[n + i] = {rng.choice(values)};")
    return [*lines, f"out[i] = {expression(one, values[-3:], 1)};", "}"]


def lane_sums(one: Draft, name: str) -> list[str]:
    """Reductions, matches, votes and shifts of lanes, one after another."""
    rng = one.rng
    one.kind = rng.choice(("unsigned", "int"))
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX}, k = threadIdx.x & 31, all = 0;"]
    values = [f"{one.kind}(i)", *loads(one)]
    for number in range(rng.randrange(1, 4)):
        text, width = rng.choice(_LANES), rng.choice((1, 2, 4, 8))
        lines.append(f"{one.kind} v{number} = {_filled(one, text, values, width)};")
        values.append(f"v{number}")
        if rng.random() < 0.3:
            lines.append(f"if (k >= {rng.choice((1, 2, 4, 8, 16))}) v{number} += {rng.choice(values)};")
    lines.append(rng.choice(("", "", f"if (k == {rng.choice((0, 31))}) out[n + i / 32] = {values[-1]};")))
    return [*lines, f"if (i < n) out[i] = {expression(one, values[-2:], 1)} + all;", "}"]


def every_atomic(one: Draft, name: str) -> list[str]:
    """Several atomics, each thread at words of its own."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    one.kind = rng.choice(("unsigned", "unsigned", "int", "unsigned long long", "float", "double"))
    calls = {"unsigned": _ATOMICS, "float": ("Add", "Exch"), "double": ("Add",)}.get(one.kind, (*_ATOMICS[:7], "CAS"))
    shared = rng.random() < 0.5
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX}, k = threadIdx.x;"]
    lines += [
        f"__shared__ {one.kind} cell[{2 * block}];",
        f"cell[k] = {loads(one)[0]};",
        f"cell[k + {block}] = 0;",
    ] * shared
    lines += ["__syncthreads();"] * shared + [EXIT] * (not shared)
    values = loads(one)
    for number in range(rng.randrange(1, 5)):
        call, value = rng.choice(calls), expression(one, values[-3:], 1)
        at = (
            rng.choice(("k", f"k + {block}"))
            if shared
            else rng.choice(("i", "i + n", f"i + {rng.randrange(1, 5)} * n"))
        )
        given = f"{rng.choice(values)}, {value}" if call == "CAS" else value
        text = f"atomic{call}(&{'cell' if shared else 'out'}[{at}], {given});"
        if rng.random() < 0.5:
            lines.append(f"{one.kind} v{number} = {text}")
            values.append(f"v{number}")
        else:
            lines.append(rng.choice((text, f"if ({condition(one, values[-2:])}) {text}")))
    lines += ["__syncthreads();", EXIT, f"out[i] = cell[k] + cell[k + {block}];"] * shared
    return [*lines, f"out[i + 7 * n] = {expression(one, values[-2:], 1)};", "}"]


def counts(one: Draft, name: str) -> list[str]:
    """Counters in shared memory that many threads change, joined in global memory."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    one.kind = rng.choice(("unsigned", "int"))
    places = rng.choice((8, 16, 32, 64))
    lines = [one.signature(name, "int n, int m"), f"__shared__ {one.kind} cell[{places}];"]
    lines += [f"int k = threadIdx.x, i = {INDEX};", f"if (k < {places}) cell[k] = 0;", "__syncthreads();"]
    at = rng.choice(
        (f"({loads(one)[0]} >> m) & {places - 1}", f"{loads(one)[0]} & {places - 1}", f"(k + m) & {places - 1}")
    )
    more = rng.choice(("1", "1", "2", "k"))
    call = rng.choice((
        f"atomicAdd(&cell[{at}], {more})", f"atomicMax(&cell[{at}], {loads(one)[-1]})",
        f"atomicOr(&cell[{at}], 1 << (k & 31))", f"atomicXor(&cell[{at}], {loads(one)[-1]})",
    ))  # fmt: skip
    walk = [ONCE, f"for (int j = i; j < n; j += {block})"] if rng.random() < 0.4 else ["if (i < n)"]
    lines += [*walk, f"{call};".replace("[i]", "[j]") if len(walk) > 1 else f"{call};", "__syncthreads();"]
    end = rng.choice(
        (
            "out[blockIdx.x * {0} + k] = cell[k];",
            "atomicAdd(&out[k], cell[k]);",
            "if (cell[k]) atomicAdd(&out[k], cell[k]);",
        )
    )
    return [*lines, f"if (k < {places}) {{ {end.format(places)} }}", "}"]


def narrow(one: Draft, name: str) -> list[str]:
    """Bytes and halves of words in shared memory."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    one.kind = rng.choice(("unsigned", "int", "float"))
    small = rng.choice(("unsigned short", "short", "unsigned char", "signed char"))
    lines = [one.signature(name, "int n, int m"), f"__shared__ {small} cell[{block}], other[{block}];"]
    lines += [f"int k = threadIdx.x, i = {INDEX};", f"cell[k] = ({small})(int){expression(one, loads(one), 1)};"]
    filled = rng.choice(([], [f"if (k & 1) other[k] = ({small})k;", f"else other[k] = ({small})(i * m);"]))
    lines += filled
    lines += [
        "__syncthreads();",
        f"{one.kind} x = ({one.kind})cell[{rng.choice((f'{block - 1} - k', 'k ^ 1', f'(k + m) & {block - 1}'))}];",
    ]
    more = f"({one.kind})other[k]" if filled else loads(one)[0]
    return [*lines, f"if (i < n) out[i] = {expression(one, ['x', more, 'x'], 2)};", "}"]


def flips(one: Draft, name: str) -> list[str]:
    """Two values in order or in the other order, as a third thing says."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    one.kind = rng.choice(("unsigned", "int", "float", "unsigned"))
    two(one)
    flag = rng.choice(("(i & m) == 0", f"(i & {1 << rng.randrange(1, 8)}) == 0", "i < m", "blockIdx.x & 1", "k > m"))
    lines = [one.signature(name, "int n, int m"), f"__shared__ {one.kind} cell[{2 * block}];"]
    lines += [f"int k = threadIdx.x, i = {INDEX};", f"bool up = {flag};"]
    lines += [f"cell[k] = {loads(one)[0]};", f"cell[k + {block}] = {loads(one)[1]};"]
    for _ in range(rng.randrange(1, 4)):
        test = f"(cell[k] {rng.choice('<>')} cell[k + {block}]) {rng.choice(('==', '!='))} up"
        moved = f"{one.kind} t = cell[k]; cell[k] = cell[k + {block}]; cell[k + {block}] = t;"
        lines += [f"if ({test}) {{ {moved} }}", rng.choice(("__syncthreads();", "__syncthreads();", "up = !up;"))]
        lines += rng.choice(([], [f"up = {flag.replace('m', '1')};"], [f"cell[k] = cell[k] + {loads(one)[0]};"]))
    return [*lines, f"if (i < n) out[i] = {expression(one, ['cell[k]', f'cell[k + {block}]'], 1)};", "}"]


def levels(one: Draft, name: str) -> list[str]:
    """Sums of all lanes before a lane, and of warps before a warp."""
    rng, block = one.rng, one.rng.choice(BLOCKS[1:])
    one.kind = rng.choice(("unsigned", "int", "float"))
    joined = rng.choice(("x + t", "x + t", "max(x, t)", "min(x, t)"))
    lines = [one.signature(name, "int n, int m"), f"__shared__ {one.kind} cell[{block // 32}];"]
    lines += [f"int k = threadIdx.x, i = {INDEX}, lane = k & 31;", f"{one.kind} x = {expression(one, loads(one), 1)};"]
    lines += [rng.choice((ONCE, "#pragma unroll")), f"for (int d = 1; d < {rng.choice((8, 16, 32))}; d <<= 1) {{"]
    lines += [f"{one.kind} t = __shfl_up_sync({FULL}, x, d);", f"if (lane >= d) x = {joined};", "}"]
    if rng.random() < 0.6:
        lines += ["if (lane == 31) cell[k / 32] = x;", "__syncthreads();", "if (k >= 32) x += cell[k / 32 - 1];"]
    return [*lines, f"if (i < n) out[i] = {expression(one, ['x', 'x', *loads(one)], 1)};", "}"]


RARE = {
    "rare": (rare, 25), "lane_sums": (lane_sums, 10), "every_atomic": (every_atomic, 12), "counts": (counts, 6),
    "narrow": (narrow, 6), "flips": (flips, 6), "levels": (levels, 6),
}  # fmt: skip
