"""Families with what programs written by hand have and small templates lack: local arrays, real division and roots,
pointers of either memory, fences, copies that run beside the code, atomics of reals, hints, calls.

In: a draft and a name. Out: the kernel's lines. Nothing here is a kernel that a model is judged by.
"""

from __future__ import annotations

from tools.pairs.drafts import (
    BLOCKS,
    EXIT,
    FULL,
    INDEX,
    ONCE,
    Draft,
    Y,
    condition,
    expression,
    guarded,
    join,
    literal,
    loads,
    plain,
    two,
)

# Device functions of these families; each instruction that CUDA's headers would name is asked for by its PTX.
PRELUDE = """
__device__ __forceinline__ unsigned below() { unsigned r; asm("mov.u32 %0, %lanemask_lt;" : "=r"(r)); return r; }
__device__ __forceinline__ unsigned upto() { unsigned r; asm("mov.u32 %0, %lanemask_le;" : "=r"(r)); return r; }
__device__ __forceinline__ unsigned above() { unsigned r; asm("mov.u32 %0, %lanemask_gt;" : "=r"(r)); return r; }
__device__ __forceinline__ unsigned own() { unsigned r; asm("mov.u32 %0, %lanemask_eq;" : "=r"(r)); return r; }
__device__ __forceinline__ unsigned mask(unsigned at, unsigned size) {
  unsigned r; asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(at), "r"(size)); return r; }
__device__ __forceinline__ float root(float x) { float r; asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
__device__ __forceinline__ float flushed_root(float x) {
  float r; asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
template <class T> __device__ __forceinline__ void ahead(const T *p) {
  asm volatile("prefetch.global.L2 [%0];" :: "l"(p)); }
__device__ __forceinline__ float once(const float *p) {
  float r; asm volatile("ld.global.L1::no_allocate.L2::128B.f32 %0, [%1];" : "=f"(r) : "l"(p)); return r; }
__device__ __forceinline__ int once(const int *p) {
  int r; asm volatile("ld.global.L1::no_allocate.L2::128B.s32 %0, [%1];" : "=r"(r) : "l"(p)); return r; }
__device__ __forceinline__ unsigned once(const unsigned *p) {
  unsigned r; asm volatile("ld.global.L1::evict_last.b32 %0, [%1];" : "=r"(r) : "l"(p)); return r; }
template <int N> __device__ __forceinline__ void fetch(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::
               "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "n"(N)); }
__device__ __forceinline__ void fetch16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::
               "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)); }
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;"); }
template <int N> __device__ __forceinline__ void arrived() { asm volatile("cp.async.wait_group %0;" :: "n"(N)); }
"""
_COMPARED = """__device__ __forceinline__ unsigned half_{test}(unsigned p, unsigned q) {{
  unsigned r; asm("set.{test}.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(p), "r"(q)); return r; }}
__device__ __forceinline__ bool halves_{test}(unsigned p, unsigned q) {{
  int r; asm("{{ .reg .pred s, t; setp.{test}.f16x2 s|t, %1, %2; selp.s32 %0, 1, 0, s; @t add.s32 %0, %0, 2; }}"
             : "=r"(r) : "r"(p), "r"(q)); return r == 3; }}
"""
TESTS = ("lt", "gt", "le", "ge", "eq", "ne")
PRELUDE += "".join(_COMPARED.format(test=test) for test in TESTS)
REALS = ("float", "float", "double")
WORDS = ("int", "unsigned")


def locals_of(one: Draft, name: str) -> list[str]:
    """A small array of the thread's own, at places that are computed."""
    rng = one.rng
    plain(one, ("float", "int", "unsigned", "double"))
    size = rng.choice((4, 8, 8, 16, 32))
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX};", rng.choice((EXIT, "")), f"{one.kind} v[{size}];"]
    first = expression(one, [f"({one.kind})j", *loads(one, rng.choice(("i + j", "i * m + j", "j")))], 1)
    lines += [rng.choice((ONCE, "#pragma unroll")), f"for (int j = 0; j < {size}; ++j) v[j] = {first};"]
    lines += [f"{one.kind} x = {literal(rng, one.kind)};"]
    place = rng.choice((f"(j + m) & {size - 1}", f"(i + j) & {size - 1}", f"m & {size - 1}", f"(j ^ i) & {size - 1}"))
    if rng.random() < 0.5:
        lines += [ONCE, "for (int j = 0; j < m; ++j) {"]
        lines += [guarded(one, "j & 1", f"v[{place}] = {expression(one, ['x', f'v[j & {size - 1}]'], 1)};")]
        lines += [f"x = {join(one, 'x', f'v[{place}]')};", "}"]
    else:
        lines += ["int j = i;", f"x = {expression(one, [f'v[{place}]', f'v[i & {size - 1}]'], 2)};"]
    return [*lines, rng.choice(("out[i] = x;", "if (i < n) out[i] = x;")), "}"]


def quotient(one: Draft, name: str) -> list[str]:
    """Real division and roots, rounded rightly: a fast way and a slow one."""
    rng = one.rng
    one.kind = rng.choice(REALS)
    suffix = "f" if one.kind == "float" else ""
    values = loads(one)
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX};", EXIT, f"{one.kind} x = {values[0]};"]
    by = expression(one, [*values, *one.scalars, f"({one.kind})m"], 1)
    call = rng.choice((f"{expression(one, ['x', *values], 1)} / {by}", f"x / {by}", f"sqrt{suffix}({by})",
                       f"rsqrt{suffix}({by})", f"x / ({one.kind})(i + 1)", f"({one.kind})1 / {by}"))  # fmt: skip
    lines += rng.choice(([], [], [ONCE, "for (int j = 0; j < m; ++j)"], [f"if ({condition(one, ['x', *values])})"]))
    return [*lines, f"x = {call};", f"out[i] = {expression(one, ['x', 'x', *values], 1)};", "}"]


def either(one: Draft, name: str) -> list[str]:
    """A pointer to shared or to global memory, chosen at run time."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    plain(one)
    lines = [one.signature(name, "int n, int m"), f"__shared__ {one.kind} cell[{block}];"]
    lines += [f"int k = threadIdx.x, i = {INDEX};", f"cell[k] = {expression(one, loads(one), 1)};", "__syncthreads();"]
    test = rng.choice(("m > 3", "k & 1", "i < m", "blockIdx.x & 1"))
    lines += [f"const {one.kind} *p = {test} ? cell : {one.inputs[0]};"]
    place = rng.choice(("k", f"(k + m) & {block - 1}", f"k ^ {rng.choice((1, 2, 4))}"))
    use = expression(one, [f"p[{place}]", *loads(one)], 2)
    if rng.random() < 0.3:
        lines += [f"{one.kind} x = 0;", ONCE, f"for (int j = 0; j < m; ++j) x += p[(k + j) & {block - 1}];"]
        use = expression(one, ["x", f"p[{place}]"], 1)
    elif rng.random() < 0.2:
        lines += [f"{one.kind} *q = {rng.choice(('m & 1', 'i & 2'))} ? cell + k : out + n + i;"]
        lines += [f"{one.kind} x = atomicAdd(q, {use});"]
        use = "x"
    elif rng.random() < 0.3:
        lines += [f"{one.kind} *q = {rng.choice(('m & 1', 'i & 2'))} ? cell + k : out + n + i;", f"*q = {use};"]
        use = "cell[k]"
    return [*lines, f"if (i < n) out[i] = {use};", "}"]


def fences(one: Draft, name: str) -> list[str]:
    """Writes that others are to see in order."""
    rng = one.rng
    plain(one)
    fence = f"__threadfence{rng.choice(('', '', '_block', '_system'))}();"
    lines = [one.signature(name, "unsigned *done, int n"), f"int i = {INDEX};"]
    lines += [f"{one.kind} x = {expression(one, loads(one), 2)};", "if (i < n) out[i] = x;", fence]
    choice = rng.randrange(3)
    if choice == 0:
        lines += [f"if (i < n) out[n + i] = {expression(one, ['x', *loads(one)], 1)};", rng.choice((fence, ""))]
        lines += [f"atomicAdd(done, {rng.choice(('1u', '(unsigned)i', '2u'))});"]
    elif choice == 1:
        lines += ["__syncthreads();", f"if (threadIdx.x == 0) {{ {fence} atomicAdd(&done[blockIdx.x], 1u); }}"]
    else:
        lines += [f"if (threadIdx.x == {rng.choice((0, 31))}) atomicOr(done, 1u << (blockIdx.x & 31));"]
    return [*lines, "}"]


def beside(one: Draft, name: str) -> list[str]:
    """Copies from global to shared memory that run beside the code."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    one.kind = rng.choice(("float", "int", "unsigned", "double"))
    two(one)
    size = 8 if one.kind == "double" else 4
    lines = [one.signature(name, "int n, int m")]
    if rng.random() < 0.5:
        lines += [f"__shared__ {one.kind} cell[2][{block}];", f"int k = threadIdx.x, i = {INDEX};"]
        lines += [f"fetch<{size}>(&cell[0][k], &a[i]);", "commit();"]
        lines += [f"{one.kind} x = 0;", ONCE, "for (int j = 1; j <= m; ++j) {"]
        lines += [f"fetch<{size}>(&cell[j & 1][k], &b[j * n + i]);", "commit();", "arrived<1>();", "__syncthreads();"]
        use = f"cell[(j & 1) ^ 1][{rng.choice(('k', f'{block - 1} - k', 'k ^ 1'))}]"
        lines += [f"x = {expression(one, ['x', use], 1)} + {use};", "__syncthreads();", "}", "arrived<0>();"]
        return [*lines, "if (i < n) out[i] = x;", "}"]
    wide = size == 4 and rng.random() < 0.5
    lines += [f"__shared__ {'__align__(16) ' * wide}{one.kind} cell[{block * (4 if wide else 1)}];"]
    lines += [f"int k = threadIdx.x, i = {INDEX};"]
    copy = rng.choice(("fetch16", "fetch<16>")) if wide else f"fetch<{size}>"
    lines += [f"{copy}(&cell[{'4 * k' if wide else 'k'}], &a[{'4 * i' if wide else 'i'}]);", "commit();"]
    lines += [f"{one.kind} y = {loads(one)[1]};", "arrived<0>();", "__syncthreads();"]
    return [*lines, f"if (i < n) out[i] = {expression(one, ['cell[k]', f'cell[{block - 1} - k]', 'y'], 2)};", "}"]


def lanes(one: Draft, name: str) -> list[str]:
    """Masks of lanes, and places counted by them."""
    rng = one.rng
    plain(one)
    lines = [
        one.signature(name, "unsigned *done, int n, int m"),
        f"int i = {INDEX};",
        f"{one.kind} x = {loads(one)[0]};",
    ]
    lines += [f"unsigned v = __ballot_sync({FULL}, {condition(one, ['x', *loads(one)])});"]
    seen = rng.choice(("v & below()", "v & upto()", "v & above()", "~v & below()", "v & mask(m & 31, 7)"))
    lines += [f"unsigned p = __popc({seen});"]
    lines += rng.choice((
        [f"x = {expression(one, ['x', f'({one.kind})p'], 1)};"],
        ["if (v & own()) out[(i & ~31) + p] = x;", "return;"],
        [f"if ((v & below()) == 0 && (v & own())) atomicAdd(&done[{rng.choice(('0', 'blockIdx.x'))}], __popc(v));"],
        [f"if ({condition(one, ['x'])}) atomicAdd(done, {rng.choice(('1u', '2u', '(unsigned)m'))});"],
    ))  # fmt: skip
    return [*lines, "if (i < n) out[i] = x;", "}"]


def hints(one: Draft, name: str) -> list[str]:
    """Loads and stores that tell the caches what to do."""
    rng = one.rng
    loaders = ["__ldcs", "__ldcg", "__ldca", "__ldlu", "__ldcv", "__ldg"]
    load = rng.choice([*loaders, *(["once", "once", "once"] if one.kind in ("float", "int", "unsigned") else [])])
    values = [f"{load}(&{value})" for value in loads(one)]
    if rng.random() < 0.3:
        values[-1] = f"*(volatile const {one.kind} *)&{one.inputs[-1]}[i]"
    store = rng.choice(("__stcs", "__stcg", "__stwb", "__stwt"))
    lines = [one.signature(name), f"int i = {INDEX};", EXIT]
    lines += rng.choice(([], [], [], ["ahead(&a[i + n]);"], [f"__nanosleep({rng.choice(('100', 'n'))});"]))
    lines += [f"{one.kind} x = {expression(one, values, 2)};"]
    return [*lines, rng.choice((f"{store}(&out[i], x);", f"*(volatile {one.kind} *)&out[i] = x;", "out[i] = x;")), "}"]


def quads(one: Draft, name: str) -> list[str]:
    """Four words at a time through shared memory."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    plain(one, ("float", "int", "unsigned"))
    wide, same = (
        f"{'u32' if one.kind == 'unsigned' else one.kind}4".replace("u32", "uint"),
        expression(one, ["p.@", "q.@"], 1),
    )
    lines = [one.signature(name, "int n", wide, wide), f"__shared__ {wide} cell[{block}];"]
    lines += [f"int k = threadIdx.x, i = {INDEX};", "cell[k] = a[i];", "__syncthreads();", f"{wide} p = cell[k], r;"]
    lines += [f"{wide} q = cell[{rng.choice((f'{block - 1} - k', 'k ^ 1', f'(k + 1) & {block - 1}'))}];"]
    lines += [f"r.{part} = {same.replace('@', part)};" for part in "xyzw"]
    return [*lines, "if (i < n) out[i] = r;", "}"]


def sums_of_reals(one: Draft, name: str) -> list[str]:
    """Atomics of reals and wide words, each thread at a word of its own; and turns of compare and swap."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    one.kind = rng.choice(("float", "float", "double", "unsigned long long", "unsigned", "int"))
    value = expression(one, loads(one), 1)
    calls = ["atomicAdd(@, {})", "atomicExch(@, {})"] if one.kind != "double" else ["atomicAdd(@, {})"]
    if one.kind not in ("float", "double"):
        calls += ["atomicMax(@, {})", "atomicMin(@, {})", "atomicXor(@, {})", f"atomicCAS(@, ({one.kind})n, {{}})"]
    if one.kind == "unsigned":
        calls += ["atomicDec(@, {})", "atomicInc(@, {})"]
    call = rng.choice(calls).format(value)
    lines = [one.signature(name), f"int i = {INDEX};"]
    if rng.random() < 0.5:
        lines += [f"__shared__ {one.kind} cell[{block}];", "int k = threadIdx.x;", f"cell[k] = {loads(one)[0]};"]
        lines += ["__syncthreads();", f"{call.replace('@', f'&cell[{block - 1} - k]')};", "__syncthreads();"]
        return [*lines, "if (i < n) out[i] = cell[k];", "}"]
    kept = rng.random() < 0.5
    lines += [EXIT, f"{f'{one.kind} v = ' * kept}{call.replace('@', '&out[i]')};"]
    return [*lines, *([f"out[n + i] = {expression(one, ['v', *loads(one)], 1)};"] * kept), "}"]


def compared(one: Draft, name: str) -> list[str]:
    """Halves in pairs, compared; bytes and halves of words in parallel."""
    rng = one.rng
    one.kind = "unsigned"
    two(one)
    lines = [one.signature(name), f"int i = {INDEX};", EXIT]
    values = loads(one)
    for number in range(rng.randrange(1, 4)):
        p, q = rng.choice(values), rng.choice(values)
        parts = rng.choice(("2", "4"))
        call = rng.choice((f"half_{rng.choice(TESTS)}({p}, {q})", f"(halves_{rng.choice(TESTS)}({p}, {q}) ? {p} : {q})",
                           f"__vabsdiffu{parts}({p}, {q})", f"__vsadu4({p}, {q})", f"__vadd{parts}({p}, {q})",
                           f"__vcmpgtu{parts}({p}, {q})", f"__vmaxs2({p}, {q})", f"__vavgu4({p}, {q})"))  # fmt: skip
        lines.append(f"unsigned v{number} = {call};")
        values.append(f"v{number}")
    return [*lines, f"out[i] = {expression(one, values[-3:], 1)};", "}"]


def register_tile(one: Draft, name: str) -> list[str]:
    """Several sums at once in registers, each value that is loaded used for more than one of them."""
    rng = one.rng
    plain(one, ("float", "int"))
    two(one)
    high, wide = rng.choice(((2, 1), (2, 2), (1, 3), (2, 3), (4, 1)))
    lines = [one.signature(name, "int n, int m"), f"int i = ({INDEX}) * {wide}, row = ({Y}) * {high};"]
    lines += [f"{one.kind} {', '.join(f'sum{h}{w} = 0' for h in range(high) for w in range(wide))};"]
    lines += [
        rng.choice((ONCE, ONCE, "#pragma unroll 2")),
        f"for (int j = 0; j < {rng.choice(('m', 'm', '16'))}; ++j) {{",
    ]
    lines += [f"{one.kind} p{h} = a[(row + {h}) * m + j];" for h in range(high)]
    lines += [f"{one.kind} q{w} = b[j * n + i + {w}];" for w in range(wide)]
    term = rng.choice(("{} * {}", "{} * {}", "max({}, {})", "{} - {}"))
    lines += [f"sum{h}{w} += {term.format(f'p{h}', f'q{w}')};" for h in range(high) for w in range(wide)]
    lines += ["}", f"if (i + {wide} <= n) {{"]
    lines += [f"out[(row + {h}) * n + i + {w}] = sum{h}{w};" for h in range(high) for w in range(wide)]
    return [*lines, "}", "}"]


def grids(one: Draft, name: str) -> list[str]:
    """A number for each thread of a grid of two or three dimensions."""
    rng = one.rng
    lines = [one.signature(name, "int n, int m"), f"int x = {INDEX}, y = {Y};", rng.choice((
        "int i = y * (gridDim.x * blockDim.x) + x;",
        "int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;",
        "int i = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;",
        "int i = x * (gridDim.y * blockDim.y) + y;"))]  # fmt: skip
    values = [*loads(one), f"({one.kind})gridDim.y", f"({one.kind})blockIdx.y"]
    return [*lines, EXIT, guarded(one, "y < m", f"out[i] = {expression(one, values, 2)};"), "}"]


def called(one: Draft, name: str) -> list[str]:
    """Functions that are called, not inlined."""
    rng = one.rng
    plain(one, ("float", "int", "unsigned", "double"))
    kind, given = one.kind, list(one.scalars)
    one.scalars = []
    body = [f"{kind} r = {expression(one, ['p', 'q'], 2)};"]
    if rng.random() < 0.5:
        body += [f"if ({condition(one, ['p', 'q'])}) r = {expression(one, ['p', 'r'], 2)};"]
    head = [f"__device__ __noinline__ {kind} f_{name}({kind} p, {kind} q) {{", *body, "return r;", "}"]
    one.scalars = given
    first = f"f_{name}({expression(one, loads(one), 1)}, {rng.choice(loads(one))})"
    lines = [
        *head,
        one.signature(name, "int n, int m"),
        f"int i = {INDEX};",
        rng.choice((EXIT, "")),
        f"{kind} x = {first};",
    ]
    again = f"x = {rng.choice((f'f_{name}(x, {loads(one)[0]})', f'x + f_{name}(x, x)'))};"
    lines += rng.choice(
        ([again], [ONCE, "for (int j = 0; j < m; ++j)", again], [f"if ({condition(one, ['x'])})", again])
    )
    return [*lines, f"out[i] = {expression(one, ['x'], 1)};", "}"]


HABITS = {
    "locals_of": (locals_of, 15), "quotient": (quotient, 18), "either": (either, 12), "fences": (fences, 9),
    "beside": (beside, 12), "lanes": (lanes, 12), "hints": (hints, 9), "quads": (quads, 9),
    "sums_of_reals": (sums_of_reals, 12), "compared": (compared, 12), "register_tile": (register_tile, 10),
    "grids": (grids, 8), "called": (called, 12),
}  # fmt: skip
