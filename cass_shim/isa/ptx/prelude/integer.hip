FN i32 ptx_add_sat(i32 a, i32 b) { return __builtin_elementwise_add_sat(a, b); }

FN i32 ptx_sub_sat(i32 a, i32 b) { return __builtin_elementwise_sub_sat(a, b); }

FN i16 ptx_mul_hi(i16 a, i16 b) { return (i16)((i32)a * b >> 16); }
FN u16 ptx_mul_hi(u16 a, u16 b) { return (u16)((u32)a * b >> 16); }
FN i32 ptx_mul_hi(i32 a, i32 b) { return (i32)((i64)a * b >> 32); }
FN u32 ptx_mul_hi(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
FN i64 ptx_mul_hi(i64 a, i64 b) { return (i64)((__int128)a * b >> 64); }
FN u64 ptx_mul_hi(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }

FN u32 ptx_mul24_lo(u32 a, u32 b) { return (a & 0xffffffu) * (b & 0xffffffu); }
FN i32 ptx_mul24_lo(i32 a, i32 b) { return (i32)((u32)(a << 8 >> 8) * (u32)(b << 8 >> 8)); }

FN u32 ptx_mul24_hi(u32 a, u32 b) { return (u32)((u64)(a & 0xffffffu) * (b & 0xffffffu) >> 16); }
FN i32 ptx_mul24_hi(i32 a, i32 b) { return (i32)((i64)(a << 8 >> 8) * (b << 8 >> 8) >> 16); }

template <class T> FN T ptx_div(T a, T b) {
    if (b == 0) return (T)-1;
    if constexpr ((T)-1 < (T)0) { if (b == (T)-1) return (T)(0 - a); }
    return (T)(a / b);
}

template <class T> FN T ptx_rem(T a, T b) {
    if (b == 0) return (T)-1;
    if constexpr ((T)-1 < (T)0) { if (b == (T)-1) return 0; }
    return (T)(a % b);
}

template <class T, class U> FN T ptx_min(T a, U b) { return a < (T)b ? a : (T)b; }

template <class T, class U> FN T ptx_max(T a, U b) { return a > (T)b ? a : (T)b; }

template <class T, class F> FN u32 ptx_x2(u32 a, u32 b, F f) {
    return (u32)(u16)f((T)a, (T)b) | (u32)(u16)f((T)(a >> 16), (T)(b >> 16)) << 16;
}

template <class T> FN u32 ptx_add_x2(u32 a, u32 b) { return ptx_x2<T>(a, b, [](T x, T y) { return (T)(x + y); }); }

template <class T> FN u32 ptx_min_x2(u32 a, u32 b) { return ptx_x2<T>(a, b, [](T x, T y) { return x < y ? x : y; }); }

template <class T> FN u32 ptx_max_x2(u32 a, u32 b) { return ptx_x2<T>(a, b, [](T x, T y) { return x > y ? x : y; }); }

template <class T> FN u32 ptx_min_x2_relu(u32 a, u32 b) {
    return ptx_x2<T>(a, b, [](T x, T y) { T m = x < y ? x : y; return m < 0 ? (T)0 : m; });
}

template <class T> FN u32 ptx_max_x2_relu(u32 a, u32 b) {
    return ptx_x2<T>(a, b, [](T x, T y) { T m = x > y ? x : y; return m < 0 ? (T)0 : m; });
}

FN u32 ptx_popc(u32 a) { return (u32)__builtin_popcount(a); }
FN u32 ptx_popc(u64 a) { return (u32)__builtin_popcountll(a); }

FN u32 ptx_clz(u32 a) { return a ? (u32)__builtin_clz(a) : 32u; }
FN u32 ptx_clz(u64 a) { return a ? (u32)__builtin_clzll(a) : 64u; }

FN u32 ptx_bfind(u32 a) { return a ? 31u - (u32)__builtin_clz(a) : ~0u; }
FN u32 ptx_bfind(u64 a) { return a ? 63u - (u32)__builtin_clzll(a) : ~0u; }
FN u32 ptx_bfind(i32 a) { return ptx_bfind((u32)(a < 0 ? ~a : a)); }
FN u32 ptx_bfind(i64 a) { return ptx_bfind((u64)(a < 0 ? ~a : a)); }

FN u32 ptx_bfind_shift(u32 a) { u32 p = ptx_bfind(a); return p == ~0u ? p : 31u - p; }
FN u32 ptx_bfind_shift(u64 a) { u32 p = ptx_bfind(a); return p == ~0u ? p : 63u - p; }
FN u32 ptx_bfind_shift(i32 a) { u32 p = ptx_bfind(a); return p == ~0u ? p : 31u - p; }
FN u32 ptx_bfind_shift(i64 a) { u32 p = ptx_bfind(a); return p == ~0u ? p : 63u - p; }

FN u32 ptx_fns(u32 mask, u32 base, i32 offset) {
    if (base > 31) return ~0u;
    if (offset == 0) return mask >> base & 1 ? base : ~0u;
    i32 step = offset > 0 ? 1 : -1, left = offset > 0 ? offset : -offset;
    for (i32 at = (i32)base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --left == 0) return (u32)at;
    return ~0u;
}

FN u32 ptx_bfe(u32 a, u32 at, u32 size) {
    at &= 0xff, size &= 0xff;
    if (at > 31 || size == 0) return 0;
    a >>= at;
    return size > 31 ? a : a & ((1u << size) - 1);
}
FN i32 ptx_bfe(i32 a, u32 at, u32 size) {
    at &= 0xff, size &= 0xff;
    if (size == 0) return 0;
    if (at > 31) return a >> 31;
    u32 top = at + size > 32 ? 32 : at + size;
    return (i32)((u32)a << (32 - top)) >> (32 - top + at);
}
FN u64 ptx_bfe(u64 a, u32 at, u32 size) {
    if (at > 63 || size == 0) return 0;
    a >>= at;
    return size > 63 ? a : a & ((1ull << size) - 1);
}
FN i64 ptx_bfe(i64 a, u32 at, u32 size) {
    if (size == 0) return 0;
    if (at > 63) return a >> 63;
    u32 top = size > 64 - at ? 64 : at + size;
    return (i64)((u64)a << (64 - top)) >> (64 - top + at);
}

FN u32 ptx_bfi(u32 a, u32 b, u32 at, u32 size) {
    at &= 0xff, size &= 0xff;
    if (at > 31 || size == 0) return b;
    u32 mask = (size > 31 ? ~0u : (1u << size) - 1) << at;
    return (b & ~mask) | (a << at & mask);
}
FN u64 ptx_bfi(u64 a, u64 b, u32 at, u32 size) {
    if (at > 63 || size == 0) return b;
    u64 mask = (size > 63 ? ~0ull : (1ull << size) - 1) << at;
    return (b & ~mask) | (a << at & mask);
}

FN u32 ptx_szext_clamp(u32 a, u32 n) { return n > 31 ? a : a & ((1u << n) - 1); }
FN i32 ptx_szext_clamp(i32 a, u32 n) { return n > 31 ? a : n == 0 ? 0 : (i32)((u32)a << (32 - n)) >> (32 - n); }

FN u32 ptx_szext_wrap(u32 a, u32 n) { n &= 31; return a & ((1u << n) - 1); }
FN i32 ptx_szext_wrap(i32 a, u32 n) { n &= 31; return n == 0 ? 0 : (i32)((u32)a << (32 - n)) >> (32 - n); }

FN u32 ptx_bmsk_clamp(u32 at, u32 size) {
    if (at > 31 || size == 0) return 0;
    return (size > 31 ? ~0u : (1u << size) - 1) << at;
}

FN u32 ptx_bmsk_wrap(u32 at, u32 size) { return ((1u << (size & 31)) - 1) << (at & 31); }

template <class A, class B> FN u32 ptx_dp4a(u32 a, u32 b, u32 c) {
    for (u32 k = 0; k < 32; k += 8) c += (u32)((i32)(A)(a >> k) * (i32)(B)(b >> k));
    return c;
}

template <class A, class B> FN u32 ptx_dp2a(u32 a, u32 b, u32 shift, u32 c) {
    for (u32 k = 0; k < 2; k++) c += (u32)((i32)(A)(a >> 16 * k) * (i32)(B)(b >> (shift + 8 * k)));
    return c;
}

template <class T> FN T ptx_add_carry(T a, T b, bool carry) { return a + b + (T)carry; }

template <class T> FN T ptx_add_carry_out(T a, T b, bool carry, bool *out) {
    T once, twice;
    bool first = __builtin_add_overflow(a, b, &once);
    bool second = __builtin_add_overflow(once, (T)carry, &twice);
    *out = first | second;
    return twice;
}

template <class T> FN T ptx_sub_borrow(T a, T b, bool borrow) { return a - b - (T)borrow; }

template <class T> FN T ptx_sub_borrow_out(T a, T b, bool borrow, bool *out) {
    T once, twice;
    bool first = __builtin_sub_overflow(a, b, &once);
    bool second = __builtin_sub_overflow(once, (T)borrow, &twice);
    *out = first | second;
    return twice;
}
