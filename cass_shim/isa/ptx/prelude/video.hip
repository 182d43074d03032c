FN i64 ptx_abs64(i64 x) { return x < 0 ? -x : x; }

// lanes: a bit for each element that is computed; the others are those of c.
template <class D, class A, class B, bool sat, bool sum, class F> FN u32 ptx_simd(u32 a, u32 b, u32 c, u32 lanes, F f) {
    constexpr u32 bits = 8 * sizeof(A);
    u32 result = c;
    for (u32 at = 0; at < 32; at += bits) {
        if (!(lanes >> at / bits & 1)) continue;
        i64 exact = f((i64)(A)(a >> at), (i64)(B)(b >> at));
        D value = sat ? ptx_clamp<D>(exact) : (D)exact;
        if (sum) result += (u32)exact; /* as recorded: not cut to the element first */
        else result = (result & ~((u32)(ptx_bits<D>)-1 << at)) | (u32)(ptx_bits<D>)value << at;
    }
    return result;
}

template <u32 at, u32 bits> FN u32 ptx_merge(u32 value, u32 c) {
    constexpr u32 mask = ((1u << bits) - 1) << at;
    return (value << at & mask) | (c & ~mask);
}

FN i64 ptx_low34(i64 x) { return x << 30 >> 30; }

FN i64 ptx_vmad(i64 a, i64 b, u32 c, bool is_signed, bool negate_product, bool negate_c, bool plus_one, u32 scale) {
    i64 total = (i64)(i32)a * (i32)b;
    if (negate_product) total = ~total;
    if (negate_c) c = ~c;
    total += (i64)(i32)c + (plus_one || negate_product || negate_c);
    return is_signed ? total >> scale : (i64)((u64)total >> scale);
}
