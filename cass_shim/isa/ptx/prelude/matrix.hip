struct PtxF16 {
    template <class T> static __attribute__((device)) T dot(u32 a, u32 b, T c) {
        c = __builtin_fmaf((f32)as<f16>((u16)a), (f32)as<f16>((u16)b), c);
        return __builtin_fmaf((f32)as<f16>((u16)(a >> 16)), (f32)as<f16>((u16)(b >> 16)), c);
    }
};

struct PtxBf16 {
    static __attribute__((device)) f32 dot(u32 a, u32 b, f32 c) {
        c = __builtin_fmaf(as<f32>(a << 16), as<f32>(b << 16), c);
        return __builtin_fmaf(as<f32>(a & 0xffff0000u), as<f32>(b & 0xffff0000u), c);
    }
};

struct PtxTf32 {
    static __attribute__((device)) f32 dot(u32 a, u32 b, f32 c) {
        return __builtin_fmaf(as<f32>(a & 0xffffe000u), as<f32>(b & 0xffffe000u), c);
    }
};

struct PtxF64 {
    static __attribute__((device)) f64 dot(u64 a, u64 b, f64 c) { return __builtin_fma(as<f64>(a), as<f64>(b), c); }
};

template <bool sa, bool sb> struct PtxInt8 {
    template <class T> static __attribute__((device)) T dot(u32 a, u32 b, T c) {
        for (u32 k = 0; k < 32; k += 8) {
            i32 x = sa ? (i32)(i8)(a >> k) : (i32)(u8)(a >> k), y = sb ? (i32)(i8)(b >> k) : (i32)(u8)(b >> k);
            c += x * y;
        }
        return c;
    }
};

template <bool sa, bool sb> struct PtxInt4 {
    template <class T> static __attribute__((device)) T dot(u32 a, u32 b, T c) {
        for (u32 k = 0; k < 32; k += 4) {
            i32 x = sa ? (i32)(a << (28 - k)) >> 28 : (i32)(a >> k & 15);
            i32 y = sb ? (i32)(b << (28 - k)) >> 28 : (i32)(b >> k & 15);
            c += x * y;
        }
        return c;
    }
};

template <bool both> struct PtxBits {
    template <class T> static __attribute__((device)) T dot(u32 a, u32 b, T c) {
        return c + __builtin_popcount(both ? a & b : a ^ b);
    }
};

template <int wide_a, int wide_b> struct PtxFp8 {
    static __attribute__((device)) f32 one(u32 x, int wide) {
        return (f32)as<f16>((u16)(wide ? x << 8 : ptx_e4m3_to_f16(x)));
    }
    static __attribute__((device)) f32 dot(u32 a, u32 b, f32 c) {
        for (u32 k = 0; k < 32; k += 8) c = __builtin_fmaf(one(a >> k & 255, wide_a), one(b >> k & 255, wide_b), c);
        return c;
    }
};

FN u32 ptx_from_lane(u32 x, u32 lane) { return ptx_read_lane(x, lane); }
FN u64 ptx_from_lane(u64 x, u32 lane) {
    return (u64)ptx_read_lane((u32)(x >> 32), lane) << 32 | ptx_read_lane((u32)x, lane);
}

FN i64 ptx_clamp_s32(i64 x) { return x > 2147483647 ? 2147483647 : x < -2147483647 - 1 ? -2147483647 - 1 : x; }

template <class E, u32 rows, u32 columns, u32 groups, class T, class R>
FN void ptx_mma_sum(T *sums, const R *a, const R *b) {
    u32 lane = ptx_lane();
#pragma unroll
    for (u32 column = 0; column < columns; column++)
#pragma unroll
        for (u32 row = 0; row < rows; row++)
#pragma unroll
            for (u32 group = 0; group < groups; group++)
#pragma unroll
                for (u32 k = 0; k < 4; k++) {
                    R x = ptx_from_lane(a[group * rows + row], (lane & ~3u) | k);
#pragma unroll
                    for (u32 j = 0; j < 2; j++) {
                        R y = ptx_from_lane(b[column * groups + group], ((lane & 3) * 2 + j) * 4 + k);
                        T &sum = sums[(column * rows + row) * 2 + j];
                        sum = E::dot(x, y, sum);
                    }
                }
}

template <class E, u32 rows, u32 columns, u32 groups, class T, class R>
FN void ptx_mma(T *sums, const R *a, const R *b, bool clamp) {
    if constexpr (sizeof(T) == 4 && (T)0.5f == (T)0) {
        i64 wide[rows * columns * 2];
#pragma unroll
        for (u32 k = 0; k < rows * columns * 2; k++) wide[k] = sums[k];
        ptx_mma_sum<E, rows, columns, groups>(wide, a, b);
#pragma unroll
        for (u32 k = 0; k < rows * columns * 2; k++) sums[k] = (T)(clamp ? ptx_clamp_s32(wide[k]) : wide[k]);
    } else {
        ptx_mma_sum<E, rows, columns, groups>(sums, a, b);
    }
}

// a has two of every four units of a row (one of two when a unit is a word); a nibble of metadata says which.
template <class E, u32 unit, u32 words, u32 chunks, class T>
FN void ptx_mma_sparse_sum(T *sums, const u32 *a, const u32 *b, u32 metadata, u32 first) {
    constexpr u32 packed = 32 / unit, kept = unit == 32 ? 1 : 2, whole = 2 * kept, mask = unit == 32 ? ~0u : (1u << unit % 32) - 1;
    u32 quad = ptx_lane() & ~3u, column = (ptx_lane() & 3) * 2;
#pragma unroll
    for (u32 row = 0; row < 2; row++)
#pragma unroll
        for (u32 at = 0; at < words / 2 * 4 * packed; at++) {
            u32 group = at / kept;
            /* A word has four groups of two rows, or of bytes eight groups of one row (recorded on an H200). */
            u32 holder = unit == 8 ? group / 8 * 2 + row : group / 4, shift = unit == 8 ? group % 8 * 4 : 16 * row + 4 * (group % 4);
            u32 nibble = ptx_read_lane(metadata, quad | (first + holder)) >> shift & 15;
            u32 from = group * whole + (unit == 32 ? nibble >> 1 & 1 : nibble >> (2 * (at % kept)) & 3);
            u32 x = ptx_read_lane(a[at / (4 * packed) * 2 + row], quad | (at / packed % 4)) >> (at % packed * unit) & mask;
#pragma unroll
            for (u32 j = 0; j < 2; j++) {
                u32 word = ptx_read_lane(b[group * whole / (4 * packed)], (column + j) * 4 + from / packed % 4);
                sums[row * 2 + j] = E::dot(x, word >> (from % packed * unit) & mask, sums[row * 2 + j]);
            }
        }
}

template <class E, u32 unit, u32 words, u32 chunks, class T>
FN void ptx_mma_sparse(T *sums, const u32 *a, const u32 *b, u32 metadata, u32 first, bool clamp) {
    if constexpr ((T)0.5f == (T)0) {
        i64 wide[4];
#pragma unroll
        for (u32 k = 0; k < 4; k++) wide[k] = sums[k];
        ptx_mma_sparse_sum<E, unit, words, chunks>(wide, a, b, metadata, first);
#pragma unroll
        for (u32 k = 0; k < 4; k++) sums[k] = (T)(clamp ? ptx_clamp_s32(wide[k]) : wide[k]);
    } else {
        ptx_mma_sparse_sum<E, unit, words, chunks>(sums, a, b, metadata, first);
    }
}

FN f32 ptx_quad_element(const u32 *fragment, u32 lane, u32 element) {
    u32 low = ptx_read_lane(fragment[0], lane), high = ptx_read_lane(fragment[1], lane);
    return (f32)as<f16>((u16)((element & 2 ? high : low) >> (element & 1) * 16));
}

// Lanes 4 p to 4 p + 3 and those 16 above multiply together.
template <bool a_rows, bool b_rows, bool halves> FN void ptx_mma_quads(f32 *sums, const u32 *a, const u32 *b) {
    u32 lane = ptx_lane(), pair = lane & 12;
#pragma unroll
    for (u32 at = 0; at < 8; at++) {
        u32 row = (halves ? lane & 3 : (lane & 1) + (at & 2)) + (lane & 16) / 4;
        u32 column = halves ? at : (at & 4) + (lane & 2) + (at & 1);
        u32 a_side = pair | (row & 4) * 4, b_side = pair | (column & 4) * 4;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            f32 x = ptx_quad_element(a, a_side | (a_rows ? row & 3 : k), a_rows ? k : row & 3);
            f32 y = ptx_quad_element(b, b_side | (b_rows ? k : column & 3), b_rows ? column & 3 : k);
            sums[at] = __builtin_fmaf(x, y, sums[at]);
        }
    }
}

// Accumulators in the lanes where those of f16 lie (a row in each lane) to where sums of f32 are.
FN void ptx_quad_sums(f32 *sums, const u32 *c) {
    u32 lane = ptx_lane();
#pragma unroll
    for (u32 at = 0; at < 8; at++) {
        u32 from = (lane & 28) | (lane & 1) | (at & 2);
        u32 low = ptx_read_lane(c[at / 4 * 2], from), high = ptx_read_lane(c[at / 4 * 2 + 1], from);
        sums[at] = (f32)as<f16>((u16)((lane & 2 ? high : low) >> (at & 1) * 16));
    }
}

// Where one of eight rows begins. PTX wants strides that are multiples of 16 bytes; of others ptxas counts whole words.
template <u32 packed> FN u64 ptx_wmma_line(u32 row, u32 stride) { return row * (u64)(stride / packed * packed); }

template <u32 blocks, u32 groups, u32 packed, class R, class P>
FN void ptx_wmma_load_a(R *fragment, P at, u32 stride, bool across) {
    u32 lane = ptx_lane();
#pragma unroll
    for (u32 group = 0; group < groups; group++)
#pragma unroll
        for (u32 block = 0; block < blocks; block++) {
            R word = 0;
#pragma unroll
            for (u32 e = 0; e < packed; e++) {
                u64 row = block * 8 + lane / 4, k = (group * 4 + lane % 4) * packed + e;
                u64 line = block * (u64)stride * 8 + ptx_wmma_line<packed>(lane / 4, stride);
                word |= (R)at[across ? line + k : k * stride + row] << (e * 8 * sizeof(at[0]));
            }
            fragment[group * blocks + block] = word;
        }
}

template <u32 blocks, u32 groups, u32 packed, class R, class P>
FN void ptx_wmma_load_b(R *fragment, P at, u32 stride, bool across) {
    u32 lane = ptx_lane();
#pragma unroll
    for (u32 block = 0; block < blocks; block++)
#pragma unroll
        for (u32 group = 0; group < groups; group++) {
            R word = 0;
#pragma unroll
            for (u32 e = 0; e < packed; e++) {
                u64 column = block * 8 + lane / 4, k = (group * 4 + lane % 4) * packed + e;
                u64 line = block * (u64)stride * 8 + ptx_wmma_line<packed>(lane / 4, stride);
                word |= (R)at[across ? line + k : k * stride + column] << (e * 8 * sizeof(at[0]));
            }
            fragment[block * groups + group] = word;
        }
}

template <u32 rows, u32 columns, u32 packed, class R, class P>
FN void ptx_wmma_load_accumulator(R *fragment, P at, u32 stride, bool across) {
    u32 lane = ptx_lane();
#pragma unroll
    for (u32 block = 0; block < rows * columns; block++)
#pragma unroll
        for (u32 j = 0; j < 2; j++) {
            u64 row = block % rows * 8 + lane / 4, column = block / rows * 8 + lane % 4 * 2 + j;
            R value = (R)at[across ? row * stride + column : column * stride + row];
            if (packed == 1) fragment[block * 2 + j] = value;
            else fragment[block] = j ? fragment[block] | value << 16 : value;
        }
}

template <u32 rows, u32 columns, u32 packed, class R, class P>
FN void ptx_wmma_store_accumulator(const R *fragment, P at, u32 stride, bool across) {
    u32 lane = ptx_lane();
#pragma unroll
    for (u32 block = 0; block < rows * columns; block++)
#pragma unroll
        for (u32 j = 0; j < 2; j++) {
            u64 row = block % rows * 8 + lane / 4, column = block / rows * 8 + lane % 4 * 2 + j;
            R value = packed == 1 ? fragment[block * 2 + j] : (R)(fragment[block] >> (j * 16));
            at[across ? row * stride + column : column * stride + row] = value;
        }
}

FN u32 ptx_ldmatrix(u32 row, u32 matrix) {
    u32 lane = ptx_lane();
    return ptx_ld_shared<u32>(ptx_read_lane(row, 8 * matrix + (lane >> 2)) + 4 * (lane & 3));
}

FN u32 ptx_ldmatrix_trans(u32 row, u32 matrix) {
    u32 lane = ptx_lane(), from = 8 * matrix + 2 * (lane & 3), at = 2 * (lane >> 2);
    u32 low = ptx_ld_shared<u16>(ptx_read_lane(row, from) + at);
    return low | (u32)ptx_ld_shared<u16>(ptx_read_lane(row, from + 1) + at) << 16;
}

FN void ptx_stmatrix(u32 row, u32 matrix, u32 x) {
    u32 lane = ptx_lane();
    ptx_st_shared<u32>(ptx_read_lane(row, 8 * matrix + (lane >> 2)) + 4 * (lane & 3), x);
}

FN void ptx_stmatrix_trans(u32 row, u32 matrix, u32 x) {
    u32 lane = ptx_lane(), to = 8 * matrix + 2 * (lane & 3), at = 2 * (lane >> 2);
    ptx_st_shared<u16>(ptx_read_lane(row, to) + at, (u16)x);
    ptx_st_shared<u16>(ptx_read_lane(row, to + 1) + at, (u16)(x >> 16));
}

FN u32 ptx_movmatrix(u32 x) {
    u32 lane = ptx_lane(), from = 8 * (lane & 3) + (lane >> 3), shift = (lane >> 2 & 1) * 16;
    u32 low = ptx_read_lane(x, from) >> shift & 0xffff;
    return low | (ptx_read_lane(x, from + 4) >> shift & 0xffff) << 16;
}
