FN i64 ptx_abs64(i64 x) { return x < 0 ? -x : x; }

template <class D, class A, class B, bool sat, bool sum, class F> FN u32 ptx_simd(u32 a, u32 b, u32 c, F f) {
    constexpr u32 bits = 8 * sizeof(A);
    u32 result = sum ? c : 0;
    for (u32 at = 0; at < 32; at += bits) {
        i64 exact = f((i64)(A)(a >> at), (i64)(B)(b >> at));
        D value = sat ? ptx_clamp<D>(exact) : (D)exact;
        if (sum) result += (u32)(i32)value;
        else result |= (u32)(ptx_bits<D>)value << at;
    }
    return result;
}

template <class D, class A, class B, bool sat, bool sum> FN u32 ptx_simd_add(u32 a, u32 b, u32 c) {
    return ptx_simd<D, A, B, sat, sum>(a, b, c, [](i64 x, i64 y) { return x + y; });
}

template <class D, class A, class B, bool sat, bool sum> FN u32 ptx_simd_sub(u32 a, u32 b, u32 c) {
    return ptx_simd<D, A, B, sat, sum>(a, b, c, [](i64 x, i64 y) { return x - y; });
}

template <class D, class A, class B, bool sat, bool sum> FN u32 ptx_simd_avrg(u32 a, u32 b, u32 c) {
    return ptx_simd<D, A, B, sat, sum>(a, b, c, [](i64 x, i64 y) { i64 s = x + y; return s >= 0 ? (s + 1) >> 1 : s >> 1; });
}

template <class D, class A, class B, bool sat, bool sum> FN u32 ptx_simd_absdiff(u32 a, u32 b, u32 c) {
    return ptx_simd<D, A, B, sat, sum>(a, b, c, [](i64 x, i64 y) { return x < y ? y - x : x - y; });
}

template <class D, class A, class B, bool sat, bool sum> FN u32 ptx_simd_min(u32 a, u32 b, u32 c) {
    return ptx_simd<D, A, B, sat, sum>(a, b, c, [](i64 x, i64 y) { return x < y ? x : y; });
}

template <class D, class A, class B, bool sat, bool sum> FN u32 ptx_simd_max(u32 a, u32 b, u32 c) {
    return ptx_simd<D, A, B, sat, sum>(a, b, c, [](i64 x, i64 y) { return x > y ? x : y; });
}

template <class A, class B, bool sum> FN u32 ptx_simd_set_eq(u32 a, u32 b, u32 c) {
    return ptx_simd<ptx_bits<A>, A, B, false, sum>(a, b, c, [](i64 x, i64 y) { return (i64)(x == y); });
}

template <class A, class B, bool sum> FN u32 ptx_simd_set_ne(u32 a, u32 b, u32 c) {
    return ptx_simd<ptx_bits<A>, A, B, false, sum>(a, b, c, [](i64 x, i64 y) { return (i64)(x != y); });
}

template <class A, class B, bool sum> FN u32 ptx_simd_set_lt(u32 a, u32 b, u32 c) {
    return ptx_simd<ptx_bits<A>, A, B, false, sum>(a, b, c, [](i64 x, i64 y) { return (i64)(x < y); });
}

template <class A, class B, bool sum> FN u32 ptx_simd_set_le(u32 a, u32 b, u32 c) {
    return ptx_simd<ptx_bits<A>, A, B, false, sum>(a, b, c, [](i64 x, i64 y) { return (i64)(x <= y); });
}

template <class A, class B, bool sum> FN u32 ptx_simd_set_gt(u32 a, u32 b, u32 c) {
    return ptx_simd<ptx_bits<A>, A, B, false, sum>(a, b, c, [](i64 x, i64 y) { return (i64)(x > y); });
}

template <class A, class B, bool sum> FN u32 ptx_simd_set_ge(u32 a, u32 b, u32 c) {
    return ptx_simd<ptx_bits<A>, A, B, false, sum>(a, b, c, [](i64 x, i64 y) { return (i64)(x >= y); });
}
