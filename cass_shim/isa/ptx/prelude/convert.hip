template <class D, class S> FN D ptx_clamp(S x) {
    constexpr D least = (D)-1 < (D)0 ? (D)((ptx_bits<D>)1 << (8 * sizeof(D) - 1)) : (D)0;
    constexpr D most = (D)~least;
    if constexpr ((S)-1 < (S)0) {
        if (x < 0 && (least == 0 || (i64)x < (i64)least)) return least;
        return x > 0 && (u64)x > (u64)most ? most : (D)x;
    } else {
        return (u64)x > (u64)most ? most : (D)x;
    }
}

FN f32 ptx_round_rint(f32 x) { return __builtin_rintf(x); }
FN f64 ptx_round_rint(f64 x) { return __builtin_rint(x); }
FN f16 ptx_round_rint(f16 x) { return (f16)__builtin_rintf((f32)x); }

FN f32 ptx_round_trunc(f32 x) { return __builtin_truncf(x); }
FN f64 ptx_round_trunc(f64 x) { return __builtin_trunc(x); }
FN f16 ptx_round_trunc(f16 x) { return (f16)__builtin_truncf((f32)x); }

FN f32 ptx_round_floor(f32 x) { return __builtin_floorf(x); }
FN f64 ptx_round_floor(f64 x) { return __builtin_floor(x); }
FN f16 ptx_round_floor(f16 x) { return (f16)__builtin_floorf((f32)x); }

FN f32 ptx_round_ceil(f32 x) { return __builtin_ceilf(x); }
FN f64 ptx_round_ceil(f64 x) { return __builtin_ceil(x); }
FN f16 ptx_round_ceil(f16 x) { return (f16)__builtin_ceilf((f32)x); }

template <class D, class S> FN D ptx_to_integer(S x) {
    return x != x ? (D)((ptx_bits<D>)1 << (8 * sizeof(D) - 1)) : (D)x;
}

template <class T> FN T ptx_relu(T x) { return x != x ? as<T>((ptx_bits<T>)(sizeof(T) == 2 ? 0x7fffu : 0x7fffffffu)) : x > (T)0 ? x : (T)0; }

FN f16 ptx_finite(f16 x) {
    u16 bits = as<u16>(x);
    return (bits & 0x7fff) == 0x7c00 ? as<f16>((u16)(bits - 1)) : x;
}

FN f64 ptx_odd(u64 m) {
    u32 spare = m >> 53 ? 11u - (u32)__builtin_clzll(m) : 0;
    u64 low = m & ((1ull << spare) - 1);
    u64 kept = m - low;
    if (low) kept |= 1ull << spare;
    return (f64)kept;
}
FN f64 ptx_odd(i64 x) {
    u64 m = x < 0 ? 0 - (u64)x : (u64)x;
    f64 r = ptx_odd(m);
    return x < 0 ? -r : r;
}
FN f64 ptx_odd(u32 x) { return (f64)x; }
FN f64 ptx_odd(i32 x) { return (f64)x; }

FN f16 ptx_to_f16(f32 x) {
    // Of a product and its conversion clang makes v_fma_mixlo_f16 with +0 to add, which loses the sign of -0.
    if (!__builtin_constant_p(x)) asm("" : "+v"(x));
    return (f16)x;
}

FN f32 ptx_narrow_to(f64 x, f32) { return (f32)x; }
FN f16 ptx_narrow_to(f64 x, f16) { return (f16)x; }
FN f16 ptx_narrow_to(f32 x, f16) { return ptx_to_f16(x); }

template <class D, class S> FN i32 ptx_narrow_error(S x, D d) {
    if (x != x || __builtin_fabs((f64)x) == __builtin_inf()) return 0;
    return x > (S)d ? 1 : x < (S)d ? -1 : 0;
}

template <class D, class S> FN D ptx_narrow_rz(S x) {
    D d = ptx_narrow_to(x, D());
    return ptx_nudge_rz(d, ptx_narrow_error(x, d));
}

template <class D, class S> FN D ptx_from_integer_rz(S x) {
    if constexpr (sizeof(D) == 8) {
        if constexpr (sizeof(S) < 8) return (D)x;
        D d = (D)x;
        f64 limit = (S)-1 < (S)0 ? 0x1p63 : 0x1p64;
        i32 error = d >= limit ? -1 : (S)d < x ? 1 : (S)d > x ? -1 : 0;
        return ptx_nudge_rz(d, error);
    } else {
        return ptx_narrow_rz<D>(ptx_odd(x));
    }
}

template <class D, class S> FN D ptx_narrow_rm(S x) {
    D d = ptx_narrow_to(x, D());
    return ptx_nudge_rm(d, ptx_narrow_error(x, d));
}

template <class D, class S> FN D ptx_from_integer_rm(S x) {
    if constexpr (sizeof(D) == 8) {
        if constexpr (sizeof(S) < 8) return (D)x;
        D d = (D)x;
        f64 limit = (S)-1 < (S)0 ? 0x1p63 : 0x1p64;
        i32 error = d >= limit ? -1 : (S)d < x ? 1 : (S)d > x ? -1 : 0;
        return ptx_nudge_rm(d, error);
    } else {
        return ptx_narrow_rm<D>(ptx_odd(x));
    }
}

template <class D, class S> FN D ptx_narrow_rp(S x) {
    D d = ptx_narrow_to(x, D());
    return ptx_nudge_rp(d, ptx_narrow_error(x, d));
}

template <class D, class S> FN D ptx_from_integer_rp(S x) {
    if constexpr (sizeof(D) == 8) {
        if constexpr (sizeof(S) < 8) return (D)x;
        D d = (D)x;
        f64 limit = (S)-1 < (S)0 ? 0x1p63 : 0x1p64;
        i32 error = d >= limit ? -1 : (S)d < x ? 1 : (S)d > x ? -1 : 0;
        return ptx_nudge_rp(d, error);
    } else {
        return ptx_narrow_rp<D>(ptx_odd(x));
    }
}

FN u16 ptx_f32_to_bf16_rn(f32 x) {
    u32 bits = as<u32>(x);
    if (x != x) return 0x7fff;
    return (u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

FN u16 ptx_f32_to_bf16_rz(f32 x) { return x != x ? (u16)0x7fff : (u16)(as<u32>(x) >> 16); }

FN u16 ptx_f32_to_bf16_rm(f32 x) {
    u32 bits = as<u32>(x);
    if (x != x) return 0x7fff;
    return (u16)((bits >> 16) + (bits >> 31 && bits & 0xffff && (bits & 0x7f800000) != 0x7f800000));
}

FN u16 ptx_f32_to_bf16_rp(f32 x) {
    u32 bits = as<u32>(x);
    if (x != x) return 0x7fff;
    return (u16)((bits >> 16) + (!(bits >> 31) && bits & 0xffff && (bits & 0x7f800000) != 0x7f800000));
}

FN f32 ptx_f64_to_f32_odd(f64 x) {
    f32 r = ptx_narrow_rz<f32>(x);
    return x == x && (f64)r != x ? as<f32>(as<u32>(r) | 1) : r;
}

FN u16 ptx_f64_to_bf16_rn(f64 x) { return ptx_f32_to_bf16_rn(ptx_f64_to_f32_odd(x)); }

FN u16 ptx_f64_to_bf16_rz(f64 x) { return ptx_f32_to_bf16_rz(ptx_f64_to_f32_odd(x)); }

FN u16 ptx_f64_to_bf16_rm(f64 x) { return ptx_f32_to_bf16_rm(ptx_f64_to_f32_odd(x)); }

FN u16 ptx_f64_to_bf16_rp(f64 x) { return ptx_f32_to_bf16_rp(ptx_f64_to_f32_odd(x)); }

FN u16 ptx_bf16_relu(u16 x) { return (x & 0x7fff) > 0x7f80 ? (u16)0x7fff : x & 0x8000 ? (u16)0 : x; }

FN u16 ptx_bf16_finite(u16 x) { return (x & 0x7fff) == 0x7f80 ? (u16)(x - 1) : x; }

FN u32 ptx_tf32_rna(f32 x) {
    u32 bits = as<u32>(x);
    return ((bits & 0x7f800000) == 0x7f800000 ? bits : bits + 0x1000) & 0xffffe000;
}

FN u32 ptx_tf32_rn(f32 x) {
    u32 bits = as<u32>(x);
    return ((bits & 0x7f800000) == 0x7f800000 ? bits : bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000;
}

FN u32 ptx_tf32_finite(u32 x) { return (x & 0x7fffffff) == 0x7f800000 ? x - 0x2000 : x; }

FN u32 ptx_tf32_rz(f32 x) { return as<u32>(x) & 0xffffe000; }

template <u32 mantissa, i32 least, u32 most> FN u32 ptx_f32_to_fp8(f32 x) {
    u32 bits = as<u32>(x), sign = bits >> 24 & 0x80;
    if (x != x) return 0x7f;
    f32 m = __builtin_fabsf(x);
    i32 e = m == 0 ? least : (i32)(as<u32>(m) >> 23) - 127;
    e = e < least ? least : e;
    f32 scaled = __builtin_rintf(__builtin_amdgcn_ldexpf(m, (i32)mantissa - e));
    u32 code = scaled >= 4096.0f ? most : (u32)((e - least) << mantissa) + (u32)scaled;
    return sign | (code > most ? most : code);
}

FN u32 ptx_f32_to_e4m3(f32 x) { return ptx_f32_to_fp8<3, -6, 0x7e>(x); }

FN u32 ptx_f32_to_e5m2(f32 x) { return ptx_f32_to_fp8<2, -14, 0x7b>(x); }

FN u32 ptx_e4m3_to_f16(u32 x) {
    u32 sign = (x & 0x80) << 8, e = x >> 3 & 15, m = x & 7;
    if ((x & 0x7f) == 0x7f) return 0x7fff;
    if (e) return sign | (e + 8) << 10 | m << 7;
    return sign | as<u16>((f16)((f32)m * 0x1p-9f));
}

FN u32 ptx_e4m3x2_to_f16x2(u16 x) { return ptx_e4m3_to_f16(x & 0xff) | ptx_e4m3_to_f16(x >> 8) << 16; }

FN u32 ptx_e5m2x2_to_f16x2(u16 x) { return (u32)(x & 0xff) << 8 | (u32)(x >> 8) << 24; }

FN u32 ptx_e4m3x2_to_f16x2_relu(u16 x) { return ptx_f16x2_relu(ptx_e4m3x2_to_f16x2(x)); }

FN u32 ptx_e5m2x2_to_f16x2_relu(u16 x) { return ptx_f16x2_relu(ptx_e5m2x2_to_f16x2(x)); }

FN u32 ptx_f16x2_relu(u32 x) {
    return as<u16>(ptx_relu(as<f16>((u16)x))) | (u32)as<u16>(ptx_relu(as<f16>((u16)(x >> 16)))) << 16;
}
