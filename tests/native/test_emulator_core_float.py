"""Division, square root and conversions as LLVM expands them, bit for bit against the host's IEEE arithmetic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.native.emulator_core_support import CodeObject, compile_hip

SOURCE = Path(__file__).with_name("emulator_float.hip")
F16, F32, F64 = np.float16, np.float32, np.float64
N = 256 * 64


@pytest.fixture(scope="module", params=["-O0", "-O3"])
def kernels(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CodeObject:
    return CodeObject(compile_hip(SOURCE, tmp_path_factory.mktemp("float"), request.param))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def random_bits(rng: np.random.Generator, kind: type) -> np.ndarray:
    """Every exponent, NaNs, infinities and subnormals included."""
    size = np.dtype(kind).itemsize
    return rng.integers(0, 256, N * size).astype(np.uint8).view(kind)


def run(kernels: CodeObject, name: str, *arrays: np.ndarray) -> None:
    outcome = kernels.launch(name, (N // 256,), (256,), list(arrays), scratch=512)
    assert outcome.status == "ok", outcome.text


def same_bits(got: np.ndarray, want: np.ndarray) -> bool:
    """Equal bits; any NaN equals any NaN."""
    bits = f"u{got.dtype.itemsize}"
    return bool(((got.view(bits) == want.view(bits)) | (np.isnan(got) & np.isnan(want))).all())


@pytest.mark.parametrize(("name", "kind"), [("fdiv", F32), ("ddiv", F64), ("hdiv", F16)])
def test_division(kernels: CodeObject, rng: np.random.Generator, name: str, kind: type) -> None:
    a, b, out = random_bits(rng, kind), random_bits(rng, kind), np.zeros(N, kind)
    run(kernels, name, a, b, out)
    with np.errstate(all="ignore"):
        assert same_bits(out, a / b)


def flushed(x: np.ndarray) -> np.ndarray:
    """f32 with each subnormal replaced by the zero of its sign."""
    return np.where(np.abs(x) < np.finfo(F32).tiny, np.copysign(F32(0), x), x)


def test_division_that_flushes_subnormals(rng: np.random.Generator, tmp_path: Path) -> None:
    """Compiled so, v_div_scale and v_div_fixup run while MODE flushes, the steps between them while it does not."""
    kernels = CodeObject(compile_hip(SOURCE, tmp_path, "-fgpu-flush-denormals-to-zero"))
    a, b, out = random_bits(rng, F32), random_bits(rng, F32), np.zeros(N, F32)
    edges = np.array([0, -0.0, 1e-45, 1.1754942e-38, 1.1754944e-38, 1, 1.7e38, 3.4028235e38, np.inf, np.nan], F32)
    a[:100], b[:100] = np.repeat(edges, 10), np.tile(edges, 10)
    run(kernels, "fdiv", a, b, out)
    with np.errstate(all="ignore"):
        assert same_bits(out, flushed(flushed(a) / flushed(b)))


@pytest.mark.parametrize(("name", "kind"), [("fsq", F32), ("dsq", F64)])
def test_square_root(kernels: CodeObject, rng: np.random.Generator, name: str, kind: type) -> None:
    a, out = random_bits(rng, kind), np.zeros(N, kind)
    run(kernels, name, a, out)
    with np.errstate(all="ignore"):
        assert same_bits(out, np.sqrt(a))


def test_fused_product(kernels: CodeObject, rng: np.random.Generator) -> None:
    """Values whose product is exact in extended precision, so the oracle rounds once."""
    a, b, c = (rng.normal(0, 1, N).astype(F32) for _ in range(3))
    out = np.zeros(N, F32)
    run(kernels, "ffma", a, b, c, out)
    want = (a.astype(np.longdouble) * b.astype(np.longdouble) + c.astype(np.longdouble)).astype(F32)
    assert same_bits(out, want)


def test_double_to_64_bit_integers(kernels: CodeObject, rng: np.random.Generator) -> None:
    x = rng.normal(0, 1, N) * 10.0 ** rng.integers(-5, 18, N)
    signed, unsigned, back = np.zeros(N, np.int64), np.zeros(N, np.uint64), np.zeros(N)
    run(kernels, "d2i", x, signed, unsigned, back)
    assert (signed == x.astype(np.int64)).all() and (unsigned == np.abs(x).astype(np.uint64)).all()
    assert same_bits(back, signed.astype(F64) + unsigned.astype(F64))


def test_single_conversions(kernels: CodeObject, rng: np.random.Generator) -> None:
    x = (rng.normal(0, 1, N) * 10.0 ** rng.integers(-9, 8, N)).astype(F32)
    half, whole, rounded = np.zeros(N, F16), np.zeros(N, np.int32), np.zeros(N, F32)
    run(kernels, "fconv", x, half, whole, rounded)
    with np.errstate(over="ignore"):
        assert same_bits(half, x.astype(F16))
    assert (whole == x.astype(np.int64).clip(-(2**31), 2**31 - 1)).all()
    away = np.copysign(np.floor(np.abs(x.astype(F64)) + 0.5), x).astype(F32)
    assert same_bits(rounded, np.rint(x) + away)
