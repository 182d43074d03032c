"""The interpreter on kernels that LLVM compiled from one HIP file at -O0 and -O3, against numpy and plain Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.native.emulator_core_support import CodeObject, Outcome, assemble, compile_hip, launch_code

CORPUS = Path(__file__).with_name("emulator_corpus.hip")
F32, F64, F16, I32, U32, I64, U64 = np.float32, np.float64, np.float16, np.int32, np.uint32, np.int64, np.uint64
N = 1000


@pytest.fixture(scope="module", params=["-O0", "-O3"])
def kernels(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CodeObject:
    """The corpus, compiled once per optimisation level."""
    return CodeObject(compile_hip(CORPUS, tmp_path_factory.mktemp("corpus"), request.param))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def run(kernels: CodeObject, name: str, grid: tuple[int, ...], block: tuple[int, ...], *arguments: object) -> Outcome:
    """Launch and require success."""
    outcome = kernels.launch(name, grid, block, list(arguments), limit=50_000_000, scratch=8192)
    assert outcome.status == "ok", outcome.text
    return outcome


def test_vector_add(kernels: CodeObject, rng: np.random.Generator) -> None:
    a, b, c = rng.random(N, F32), rng.random(N, F32), np.zeros(N + 24, F32)
    outcome = run(kernels, "vadd", (4,), (256,), a, b, c, I32(N))
    assert (c[:N] == a + b).all() and not c[N:].any()
    assert outcome.instructions > 0


def test_double_fma(kernels: CodeObject, rng: np.random.Generator) -> None:
    a, c = rng.random(N), rng.random(N)
    want = (np.longdouble(2.5) * a + c).astype(F64)
    run(kernels, "saxpy64", (4,), (256,), a, c, F64(2.5), I64(N))
    assert np.abs(c - want).max() <= 2.3e-16 * 4


@pytest.mark.parametrize("name", ["matmul", "matmul_tiled"])
def test_matrix_product(kernels: CodeObject, rng: np.random.Generator, name: str) -> None:
    a, b, c = rng.random((48, 48), F32), rng.random((48, 48), F32), np.zeros((48, 48), F32)
    run(kernels, name, (3, 3), (16, 16), a, b, c, I32(48))
    assert np.allclose(c, a @ b, rtol=1e-5)


def test_reduction(kernels: CodeObject, rng: np.random.Generator) -> None:
    a, total = rng.random(N, F32), np.zeros(1, F32)
    run(kernels, "reduce", (4,), (256,), a, total, I32(N))
    assert np.isclose(total[0], a.sum(dtype=F64), rtol=1e-5)


def test_histogram(kernels: CodeObject, rng: np.random.Generator) -> None:
    data, bins = rng.integers(0, 256, 5000).astype(np.uint8), np.zeros(256, U32)
    run(kernels, "histo", (4,), (256,), data, bins, I32(5000))
    assert (bins == np.bincount(data, minlength=256)).all()


def test_atomics(kernels: CodeObject) -> None:
    a, b, c = np.array([100, -100], I32), np.zeros(400, U32), np.zeros(400, U64)
    f, d = np.zeros(1, F32), np.zeros(1, F64)
    run(kernels, "atomics", (1,), (64,), a, b, c, f, d, I32(7))
    assert (list(a), b[0], c[0], c[300], f[0], d[0]) == ([7, 7], 0xFFFFFFFF, 7, 64, 2016, 2016)


def test_f32_division_and_root_are_exact(kernels: CodeObject, rng: np.random.Generator) -> None:
    """Through mathf: exp, log, sqrt, division, rounding."""
    x, out = rng.random(N, F32) * 4 + F32(0.01), np.zeros(N, F32)
    run(kernels, "mathf", (4,), (256,), x, out, I32(N))
    r = np.exp(x) + np.log(x) + np.sqrt(x) + F32(1) / x + x / (x + F32(3)) + np.floor(x) * np.rint(x) + np.abs(x)
    with np.errstate(over="ignore"):
        want = r + (x * r + F32(2)) + np.minimum(x, r) + x * F32(8) + np.exp2(r) + np.log2(x)
    finite = np.isfinite(want)
    assert np.allclose(out[finite], want[finite], rtol=1e-4)


def test_f64_math(kernels: CodeObject, rng: np.random.Generator) -> None:
    x, out = rng.random(N) * 100 + 0.1, np.zeros(N)
    run(kernels, "mathd", (4,), (256,), x, out, I32(N))
    want = np.sqrt(x) + 1 / x + np.floor(x) + (x * x + 2.0) + np.trunc(x) + np.trunc(x) + np.minimum(x, 3.0)
    assert np.allclose(out, want, rtol=1e-14)


def wrap(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def divide(p: int, q: int) -> int:
    return abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1)


def test_integer_arithmetic(kernels: CodeObject, rng: np.random.Generator) -> None:
    """Division, remainder, counts, shifts and 64-bit products, against Python's integers."""
    a, b = rng.integers(-(2**31), 2**31, N).astype(I32), rng.integers(-(2**62), 2**62, N)
    out, wide = np.zeros(N, I32), np.zeros(N, I64)
    run(kernels, "intops", (4,), (256,), a, b, out, wide, I32(N))
    for k in range(N):
        x, y = int(a[k]), int(b[k])
        d, bits = wrap(y | 1, 32), x & 0xFFFFFFFF
        first = divide(x, d) + x - 7 * divide(x, 7) + bits.bit_count() + 32 - (bits | 1).bit_length()
        first += ((x | 1) & -(x | 1)).bit_length() - 1 + (x >> 3) + (bits << (y & 31)) + (x * N >> 32)
        second = divide(y, x | 1) + y - (N | 1) * divide(y, N | 1) + y * y + (y & 2**64 - 1).bit_count()
        second += (y >> (x & 63)) + int(f"{bits:032b}"[::-1], 2)
        assert (out[k], wide[k]) == (wrap(first, 32), wrap(second, 64))


def test_half_arithmetic(kernels: CodeObject, rng: np.random.Generator) -> None:
    a, b, c, f = rng.random(N).astype(F16), rng.random(N).astype(F16), np.zeros(N, F16), np.zeros(N, F32)
    run(kernels, "half_k", (4,), (256,), a, b, c, f, I32(N))
    assert (c == (a.astype(F64) * b.astype(F64) + a.astype(F64)).astype(F16)).all()
    assert (f == a.astype(F32) * b.astype(F32)).all()
    x, y, z = (rng.random(2 * N).astype(F16) for _ in range(3))
    want = (x.astype(F64) * y.astype(F64) + z.astype(F64)).astype(F16)
    run(kernels, "half2_k", (4,), (256,), x, y, z, I32(N))
    assert (z == want).all()


def test_narrow_integers(kernels: CodeObject, rng: np.random.Generator) -> None:
    a, s = rng.integers(-128, 128, N).astype(np.int8), rng.integers(-30000, 30000, N).astype(np.int16)
    out, narrow = np.zeros(N, np.uint8), np.zeros(N, np.int16)
    run(kernels, "bytes", (4,), (256,), a, s, out, narrow, I32(N))
    assert (out == (a.astype(I32) * 3 + s).astype(np.uint8)).all()
    assert (narrow == (s.astype(I32) - a).astype(np.int16)).all()


def test_scratch_indexing(kernels: CodeObject, rng: np.random.Generator) -> None:
    a, out = rng.integers(0, 1000, 500).astype(I32), np.zeros(64, I32)
    run(kernels, "scratch", (2,), (32,), a, out, I32(500))
    for i in range(64):
        assert out[i] == sum(int(a[(i * 64 + ((int(a[i % 500]) + k) & 63)) % 500]) * k for k in range(64))


def test_recursion_and_indirect_calls(kernels: CodeObject) -> None:
    out, fib = np.zeros(64, I32), [0, 1]
    while len(fib) < 12:
        fib.append(fib[-1] + fib[-2])
    run(kernels, "recurse", (2,), (32,), out, I32(8))
    assert list(out) == [fib[8 + (i & 3)] for i in range(64)]
    for selector, function in ((1, lambda i: i * 3), (0, lambda i: i ^ 7)):
        run(kernels, "indirect", (1,), (64,), out, I32(selector))
        assert list(out) == [function(i) for i in range(64)]


def collatz(x: int) -> int:
    c = 0
    while x != 1 and c < 1000:
        x = 3 * x + 1 if x & 1 else x >> 1
        c += 1
    cases: dict[int, Callable[[int], int]] = {0: lambda c: c + 3, 1: lambda c: c * 5, 2: lambda c: c - 7}
    cases |= {3: lambda c: c ^ 9, 4: lambda c: c << 2}
    return cases.get(c & 7, lambda c: -c)(c)


def test_divergent_loops(kernels: CodeObject, rng: np.random.Generator) -> None:
    a, out = rng.integers(1, 10000, N).astype(I32), np.zeros(N, I32)
    run(kernels, "diverge", (4,), (256,), a, out, I32(N))
    assert list(out) == [collatz(int(x)) for x in a]


def test_lane_exchange(kernels: CodeObject, rng: np.random.Generator) -> None:
    """DPP row shift, quad permutation, DPP8, permlanex16 and swizzle in one sum."""
    v, wide, out = rng.integers(-100, 100, 32).astype(I32), np.zeros(32, U64), np.zeros(32, I32)
    run(kernels, "ballot", (1,), (32,), v, wide, out)
    for i in range(32):
        want = (int(v[i - 1]) if i & 15 else 0) + int(v[(i & ~3) | (0x1B >> (2 * (i & 3)) & 3)])
        want += int(v[(i & ~7) | (0x123456 >> (3 * (i & 7)) & 7)])
        want += int(v[(i & 16) ^ 16 | (0xFEDCBA9876543210 >> (4 * (i & 15)) & 15)]) + int(v[i ^ 16])
        assert out[i] == want


def test_matrix_instruction(kernels: CodeObject, rng: np.random.Generator) -> None:
    a, b, c = rng.random((16, 16)).astype(F16), rng.random((16, 16)).astype(F16), rng.random((32, 8), F32)
    start = c.copy()
    run(kernels, "wmma", (1,), (32,), a, b, c)
    product = a.astype(F64) @ b.astype(F64).T
    for lane in range(32):
        for i in range(8):
            want = product[2 * i + (lane >= 16), lane % 16] + start[lane, i]
            assert np.isclose(c[lane, i], want, rtol=1e-6)


def test_trap_is_reported(kernels: CodeObject) -> None:
    outcome = kernels.launch("trapk", (1,), (32,), [np.full(32, 9, I32), I32(5)], scratch=8192)
    assert outcome.status == "trap" and "s_trap" in outcome.text


def test_struct_argument(kernels: CodeObject, rng: np.random.Generator) -> None:
    big, out = rng.integers(0, 99, 40).astype(I32), np.zeros(32, I32)
    run(kernels, "bigarg", (1,), (32,), big.tobytes(), out)
    assert (out == big[:32] + big[39]).all()


def test_private_memory_is_bounded(kernels: CodeObject) -> None:
    """Recursion without enough stack is an error with an address, not corruption."""
    outcome = kernels.launch("recurse", (1,), (32,), [np.zeros(32, I32), I32(12)], scratch=64)
    assert outcome.status == "illegal address" and ("private memory" in outcome.text or "flat" in outcome.text)


def test_endless_loop_is_stopped(tmp_path: Path) -> None:
    outcome = launch_code(assemble("L: s_branch L\n", tmp_path), 0, 63, 1, 32)
    assert outcome.status == "limit"


def test_lds_overrun_names_lane_and_address(tmp_path: Path) -> None:
    code = assemble("v_lshlrev_b32 v1, 2, v0\nds_store_b32 v1, v0 offset:60\ns_endpgm\n", tmp_path)
    outcome = launch_code(code, 0, 63, 1, 32, lds=128)
    assert outcome.status == "illegal address" and "lane 17" in outcome.text


def test_wave64_is_refused() -> None:
    from tests.native import emulator_core_support as support

    text = np.zeros(16, np.uint8)
    launch = support.Launch(entry=text.ctypes.data, groups=(1, 1, 1), group_items=(32, 1, 1), grid_items=(32, 1, 1))
    fault = support.Fault()
    status = support.library().cass_emu_launch_raw(launch, text.ctypes.data, 16, fault)
    assert support.STATUS[status] == "bad launch" and b"wave64" in fault.text


# First bytes of the encodings, so that random words are mostly instructions.
HEADS = tuple(bytes.fromhex("00207c7e80b0bebfc8ccd4d5d6d7d8dbdce0f4"))


def random_program(rng: np.random.Generator) -> np.ndarray:
    """Sixty random words with plausible encodings, then s_endpgm."""
    words = rng.integers(0, 2**32, 60, dtype=np.uint64).astype(U32)
    heads = rng.choice(np.array(HEADS, U32), 60) << 24
    words = np.where(rng.random(60) < 0.6, (words & 0x00FFFFFF) | heads, words)
    return np.concatenate([words.astype(U32), np.full(4, 0xBFB00000, U32)])


def test_random_code_never_crashes(rng: np.random.Generator) -> None:
    """Random code on untrusted addresses ends in a named status."""
    from tests.native import emulator_core_support as support

    seen = set()
    for _ in range(2000):
        text = random_program(rng)
        launch = support.Launch(
            entry=text.ctypes.data,
            rsrc1=int(rng.integers(0, 2**32)),
            rsrc2=int(rng.integers(0, 2**13)),
            properties=support.WAVE32 | int(rng.integers(0, 128)),
            groups=(1, 1, 1),
            group_items=(33, 1, 1),
            grid_items=(33, 1, 1),
            lds_bytes=256,
            scratch_bytes=60,
            instruction_limit=1000,
        )
        fault = support.Fault()
        status = support.library().cass_emu_launch_checked(launch, text.ctypes.data, text.nbytes, fault)
        seen.add(support.STATUS[status])
        assert status == 0 or fault.text
    assert {"illegal instruction", "illegal address"} <= seen
