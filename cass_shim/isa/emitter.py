"""The abstract emitter: what an instruction's meaning is written against.

One semantic function per SASS instruction (`isa/sass/<family>.py`) runs twice: with `lift.LlvmEmitter` it makes
LLVM IR, with `verify.Interpreter` it computes numpy arrays over all lanes. V is an opaque run-time value.

Widths: a value is i1 (predicate), i16, i32 or i64; floats travel as their bit patterns in i16 (one half or bf16), i32
(f32 or two packed 16-bit floats) and i64 (f64). Decode-time facts are plain Python values. Every method that
writes or has an effect acts on the lanes that execute the instruction (guard already applied by the caller).
Reads first, compute, writes, predicates last. NaN results may carry any payload.

Register and predicate numbers never reach the emitter as RZ or PT: `isa.operands` deals with those.
Memory order: "weak", or the scope of a strong access: "cta", "gpu", "sys".
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeVar

V = TypeVar("V")


class Product(NamedTuple):
    """What a matrix operation multiplies: a's, b's and the result's kinds of elements.

    shape: "m16n8k16"...; kinds: f16 bf16 tf32 f32 f64 s8 u8 s4 u4 e4m3 e5m2 s32, s32.sat (for d: a sum that does not
    wrap), b1.and b1.xor (for a and b: a product is that of the two bits).
    """

    shape: str
    a: str
    b: str
    d: str


class Emitter(Protocol[V]):
    """Operand decoding (negation, constant banks, suffixes) is in `isa.operands`.

    What some operations make of others is in `isa.derived`.
    """

    sm: int

    # constants and state
    def const(self, value: int, width: int) -> V: ...
    def get_reg(self, index: int, uniform: bool) -> V: ...
    def set_reg(self, index: int, uniform: bool, value: V) -> None: ...
    def get_pred(self, index: int, uniform: bool) -> V: ...
    def set_pred(self, index: int, uniform: bool, value: V) -> None: ...
    def load_const(self, bank: int, offset: int, index: V | None, width: int) -> V:
        """c[bank][index + offset], width 8, 16, 32 or 64 bits; result i32 (zero-extended below 32) or i64."""

    def special(self, name: str) -> V:
        """Special register as i32 ("SR_TID.X", "SR_LANEID", ...); 64-bit clocks as i64 ("SR_CLOCKLO")."""

    # integers; both operands of one width
    def add(self, a: V, b: V) -> V: ...
    def sub(self, a: V, b: V) -> V: ...
    def mul(self, a: V, b: V) -> V: ...
    def add_carry(self, a: V, b: V, carry: V | None = None) -> tuple[V, V]:
        """(a + b + carry, unsigned carry out); carry in and out are i1."""

    def add_carry3(self, a: V, b: V, c: V) -> tuple[V, V, V]:
        """(a + b + c, sum >= 2^32, sum >= 2^33) of i32."""

    def sub_borrow(self, a: V, b: V) -> tuple[V, V]:
        """(a - b, a >= b unsigned)."""

    def add_high(self, terms: list[V], carries: list[V]) -> V:
        """The sum of i32 terms and i1 carries: where these are an addition's, the upper word of 64 bits."""

    def and_(self, a: V, b: V) -> V: ...
    def or_(self, a: V, b: V) -> V: ...
    def xor(self, a: V, b: V) -> V: ...
    def not_(self, a: V) -> V: ...
    def shl(self, a: V, n: V) -> V:
        """n < width, else undefined: the caller clamps or masks."""

    def lshr(self, a: V, n: V) -> V: ...
    def ashr(self, a: V, n: V) -> V: ...
    def umin(self, a: V, b: V) -> V: ...
    def umax(self, a: V, b: V) -> V: ...
    def smin(self, a: V, b: V) -> V: ...
    def smax(self, a: V, b: V) -> V: ...
    def popcount(self, a: V) -> V: ...
    def count_leading_zeros(self, a: V) -> V:
        """width when a is 0."""

    def bit_reverse(self, a: V) -> V: ...
    def compare(self, condition: str, a: V, b: V) -> V:
        """condition: eq ne ult ule ugt uge slt sle sgt sge. Result i1."""

    def compare_high(self, condition: str, a: V, b: V, below: V) -> V:
        """A comparison of upper words; where they are equal, `below`, that of the lower words, decides."""

    def select(self, p: V, a: V, b: V) -> V: ...
    def zext(self, a: V, width: int) -> V: ...
    def sext(self, a: V, width: int) -> V: ...
    def trunc(self, a: V, width: int) -> V:
        """Keep the low `width` bits; width 8 and 16 exist only as an argument of sext/zext right after."""

    def pair(self, low: V, high: V) -> V:
        """i64 from two i32."""

    def low(self, a: V) -> V: ...
    def high(self, a: V) -> V: ...
    def byte_permute(self, a: V, b: V, selector: V) -> V:
        """PRMT in its default mode: each selector nibble picks a byte of {b, a}; bit 3 replicates its sign."""

    def dot4(self, a: V, b: V, c: V, a_signed: bool, b_signed: bool) -> V: ...

    # floating point. kind: "f16" (one half in i16), "bf16" (in i16), "f32" (i32), "f64" (i64).
    # rounding: "rn" "rm" "rp" "rz". fadd fmul ffma fmin fmax saturate also take the packed kinds "f16x2" and
    # "bf16x2" (i32), lane by lane. ftz: denormal inputs and results become zeros of their sign.
    def fadd(self, kind: str, a: V, b: V, rounding: str = "rn", ftz: bool = False) -> V: ...
    def fmul(self, kind: str, a: V, b: V, rounding: str = "rn", ftz: bool = False) -> V: ...
    def ffma(self, kind: str, a: V, b: V, c: V, rounding: str = "rn", ftz: bool = False) -> V: ...
    def fmin(self, kind: str, a: V, b: V, nan_propagates: bool = False, ftz: bool = False) -> V: ...
    def fmax(self, kind: str, a: V, b: V, nan_propagates: bool = False, ftz: bool = False) -> V: ...
    def saturate(self, kind: str, a: V) -> V:
        """Clamp to [0, 1]; NaN becomes 0."""

    def fcompare(self, kind: str, condition: str, a: V, b: V, ftz: bool = False) -> V:
        """condition: lt eq le gt ne ge (ordered), ltu equ leu gtu neu geu (unordered), num, nan."""

    def float_to_int(
        self, kind: str, a: V, width: int, signed: bool, rounding: str, nan_is_zero: bool, ftz: bool = False
    ) -> V:
        """Saturating. width 8 to 64; result i32 (sign- or zero-extended below 32) or i64.

        rounding: rn (to even) rm (floor) rp (ceil) rz (trunc). NaN: 0, or else 1 << (width - 1), not sign-extended
        (PTX ISA, cvt; recorded).
        """

    def int_to_float(self, kind: str, a: V, signed: bool, rounding: str = "rn") -> V:
        """From i32 or i64."""

    def float_to_float(self, to_kind: str, from_kind: str, a: V, rounding: str = "rn", ftz: bool = False) -> V: ...
    def round_to_integral(self, kind: str, a: V, rounding: str, ftz: bool = False) -> V: ...
    def mufu(self, function: str, a: V) -> V:
        """The device's approximate function: rcp rsq sqrt ex2 lg2 sin cos tanh rcp64h rsq64h. sin/cos: revolutions."""

    # lanes
    def shuffle(self, mode: str, value: V, lane: V, clamp: V) -> tuple[V, V]:
        """SHFL: mode idx up down bfly; (value, in-range predicate)."""

    def ballot(self, p: V) -> V: ...
    def match_any(self, value: V) -> V: ...
    def match_all(self, value: V) -> tuple[V, V]: ...
    def reduce(self, operation: str, value: V) -> V:
        """Over active lanes: and or xor add umin umax smin smax."""

    def read_first(self, value: V) -> V:
        """The value of the lowest active lane."""

    def matrix_multiply(
        self, kinds: Product, a: list[V], b: list[V], c: list[V], present: list[V] | None = None
    ) -> list[V]:
        """d = a b + c over the 32 lanes of a warp, all active; fragments as in the PTX ISA's mma.sync.

        Lists hold the registers (i32) in order, so f64 takes two each. Result registers: as many as c. present: masks
        of the elements of a that are multiplied at all (a sparse matrix's), the others being 0; None: all.
        """

    # memory. space: "global" "shared" "local" "generic". address: i64 for global and generic, i32 else.
    def load(
        self, space: str, address: V, width: int, count: int, signed: bool = False, order: str = "weak"
    ) -> list[V]:
        """`count` (1, 2, 4) registers of i32 when width is 32, else one extended 8- or 16-bit value as i32.

        Accesses are naturally aligned (4 * count bytes, or width / 8).
        """

    def load_where(self, p: V, address: V, count: int) -> list[V]:
        """`load` of i32 from global memory by the lanes with p; 0 for the others, which read nothing."""

    def store(self, space: str, address: V, values: list[V], width: int, order: str = "weak") -> None: ...
    def atomic(
        self,
        space: str,
        operation: str,
        kind: str,
        address: V,
        value: V,
        compare: V | None = None,
        scope: str = "gpu",
    ) -> V:
        """operation: add min max and or xor exch cas inc dec; the old value.

        kind: u32 s32 u64 s64 f32 f64 f16x2 bf16x2 (and u16 for cas). value and compare: i32, or i64 for 64 bits.
        inc and dec wrap as PTX's atom.inc/.dec do. "arrive" (shared, u64): one arrival at an mbarrier, "mbarrier"
        those and transactions of sm_90, see isa.sass.mbarrier.
        """

    def atomic_whole(
        self, space: str, operation: str, address: V, value: list[V], compare: list[V] | None, scope: str
    ) -> list[V]:
        """operation: exch or cas, of 16 bytes; values and result are four i32."""

    def is_space(self, space: str, address: V) -> V: ...
    def fence(self, scope: str) -> None:
        """Order accesses for the scope: "warp" (among its lanes only), "cta", "gpu" or "sys"."""

    def barrier(self, barrier_id: V | None, thread_count: V | None) -> None: ...
    def barrier_reduce(self, operation: str, p: V, barrier_id: V | None, thread_count: V | None) -> None:
        """Barrier that combines p over the block: and or popc. `barrier_result` reads it."""

    def barrier_result(self) -> V:
        """i32 of the last barrier_reduce: the count, or all ones (true) and 0."""

    def barrier_arrive(self, barrier_id: V | None, thread_count: V) -> None: ...
    def trap(self) -> None: ...
    def system_call(self, name: str) -> None:
        """vprintf, malloc, free, __assertfail by the CUDA ABI: arguments in R4.., result in R4."""

    # textures and surfaces. handle: i32. shape: "1d" "2d" "3d" "cube" "1darray" "2darray" "cubearray". Coordinates
    # and levels of sample and gather_texels are f32, all others integers; a layer is an unsigned integer, clamped by
    # the device. Texels are four i32: the bits of f32, or integers. offsets: signed i32 by which the texels are moved,
    # for each coordinate, or none; sample takes -8 to 7, gather_texels -32 to 31.
    def sample(
        self,
        handle: V,
        shape: str,
        coordinates: list[V],
        layer: V | None,
        level: V | None,
        gradients: list[V],
        offsets: list[V],
    ) -> list[V]:
        """A texture at floating-point coordinates. level None: the first. gradients: d/dx of all, then d/dy; of a
        cube those of the direction."""

    def gather_texels(
        self, handle: V, shape: str, coordinates: list[V], layer: V | None, component: int, offsets: list[V]
    ) -> list[V]:
        """One channel of the four texels that bilinear filtering would use, in the order of PTX's tld4."""

    def fetch(self, handle: V, shape: str, coordinates: list[V], layer: V | None, level: V | None) -> list[V]:
        """One texel by number, 0 outside; of one coordinate also from linear memory."""

    def texture_size(self, handle: V, level: V) -> list[V]:
        """Width, height, depth, and the number of levels. What has layers has them as its first missing size: height
        of rows, depth of planes and cubes; a row has a height of 1, as a surface 0 (recorded on an H100)."""

    def surface_load(self, handle: V, shape: str, coordinates: list[V], size: int, outside: str) -> list[V]:
        """`size` bytes (1 2 4 8 16) at byte offset x. outside: "trap", "clamp", or "zero". The layer is the last
        coordinate."""

    def surface_store(
        self, handle: V, shape: str, coordinates: list[V], values: list[V], size: int, outside: str
    ) -> None:
        """Bytes at byte offset x, which must be a whole texel; size 0: channels converted, at texel x."""

    def surface_reduce(
        self,
        handle: V,
        shape: str,
        coordinates: list[V],
        operation: str,
        kind: str,
        value: V,
        in_bytes: bool,
        outside: str,
    ) -> None:
        """An atomic operation (add min max and or xor inc dec) on a texel. kind: u32 s32 u64 s64, or d32 d64: as the
        surface's format is."""
