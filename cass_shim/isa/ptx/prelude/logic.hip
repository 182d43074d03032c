template <class T> FN T ptx_shl(T a, u32 n) { return n < 8 * sizeof(T) ? (T)(a << n) : (T)0; }

template <class T> FN T ptx_shr(T a, u32 n) {
    u32 most = 8 * sizeof(T) - 1;
    if ((T)-1 < (T)0) return (T)(a >> (n < most ? n : most));
    return n <= most ? (T)(a >> n) : (T)0;
}

FN u32 ptx_shf_l_wrap(u32 low, u32 high, u32 n) {
    n &= 31;
    return (u32)((((u64)high << 32 | low) << n) >> 32);
}

FN u32 ptx_shf_l_clamp(u32 low, u32 high, u32 n) {
    return n >= 32 ? low : (u32)((((u64)high << 32 | low) << n) >> 32);
}

FN u32 ptx_shf_r_wrap(u32 low, u32 high, u32 n) { return __builtin_amdgcn_alignbit(high, low, n & 31); }

FN u32 ptx_shf_r_clamp(u32 low, u32 high, u32 n) {
    return n >= 32 ? high : __builtin_amdgcn_alignbit(high, low, n);
}

FN u32 ptx_prmt(u32 a, u32 b, u32 c) {
    u64 bytes = (u64)b << 32 | a;
    u32 result = 0;
    for (u32 k = 0; k < 4; k++) {
        u32 pick = c >> 4 * k & 15;
        u32 byte = (u32)(bytes >> 8 * (pick & 7)) & 0xff;
        if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * k;
    }
    return result;
}

FN u32 ptx_prmt_f4e(u32 a, u32 b, u32 c) { return (u32)(((u64)b << 32 | a) >> 8 * (c & 3)); }

FN u32 ptx_prmt_b4e(u32 a, u32 b, u32 c) {
    c &= 3;
    return ptx_prmt(a, b, c == 0 ? 0x5670u : c == 1 ? 0x6701u : c == 2 ? 0x7012u : 0x0123u);
}

FN u32 ptx_prmt_rc8(u32 a, u32 b, u32 c) { return (a >> 8 * (c & 3) & 0xff) * 0x01010101u; }

FN u32 ptx_prmt_ecl(u32 a, u32 b, u32 c) {
    c &= 3;
    return ptx_prmt(a, b, c == 0 ? 0x3210u : c == 1 ? 0x3211u : c == 2 ? 0x3222u : 0x3333u);
}

FN u32 ptx_prmt_ecr(u32 a, u32 b, u32 c) {
    c &= 3;
    return ptx_prmt(a, b, c == 0 ? 0x0000u : c == 1 ? 0x1110u : c == 2 ? 0x2210u : 0x3210u);
}

FN u32 ptx_prmt_rc16(u32 a, u32 b, u32 c) { return (a >> 16 * (c & 1) & 0xffff) * 0x00010001u; }
