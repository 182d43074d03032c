FN u32 ptx_lane() { return __builtin_amdgcn_mbcnt_lo(~0u, 0u); }

FN u32 ptx_read_lane(u32 x, u32 lane) { return (u32)__builtin_amdgcn_ds_bpermute((i32)(lane << 2), (i32)x); }

template <class... Ok> FN u32 ptx_shfl_up(u32 x, u32 delta, u32 c, Ok... ok) {
    i32 lane = (i32)ptx_lane(), from = lane - (i32)(delta & 31);
    i32 least = (lane & (i32)(c >> 8 & 31)) | ((i32)(c & 31) & ~(i32)(c >> 8 & 31));
    bool inside = from >= least;
    ((*ok = inside), ...);
    return ptx_read_lane(x, (u32)(inside ? from : lane));
}

template <class... Ok> FN u32 ptx_shfl_down(u32 x, u32 delta, u32 c, Ok... ok) {
    u32 lane = ptx_lane(), from = lane + (delta & 31);
    bool inside = from <= ((lane & (c >> 8 & 31)) | (c & 31 & ~(c >> 8 & 31)));
    ((*ok = inside), ...);
    return ptx_read_lane(x, inside ? from : lane);
}

template <class... Ok> FN u32 ptx_shfl_bfly(u32 x, u32 mask, u32 c, Ok... ok) {
    u32 lane = ptx_lane(), from = lane ^ (mask & 31);
    bool inside = from <= ((lane & (c >> 8 & 31)) | (c & 31 & ~(c >> 8 & 31)));
    ((*ok = inside), ...);
    return ptx_read_lane(x, inside ? from : lane);
}

template <class... Ok> FN u32 ptx_shfl_idx(u32 x, u32 index, u32 c, Ok... ok) {
    u32 lane = ptx_lane(), segment = c >> 8 & 31;
    u32 from = (lane & segment) | (index & 31 & ~segment);
    bool inside = from <= ((lane & segment) | (c & 31 & ~segment));
    ((*ok = inside), ...);
    return ptx_read_lane(x, inside ? from : lane);
}

FN bool ptx_vote_all(bool p, u32 mask) { return (__builtin_amdgcn_ballot_w32(!p) & mask) == 0; }

FN bool ptx_vote_any(bool p, u32 mask) { return (__builtin_amdgcn_ballot_w32(p) & mask) != 0; }

FN bool ptx_vote_uni(bool p, u32 mask) {
    u32 yes = __builtin_amdgcn_ballot_w32(p) & mask;
    return yes == 0 || (__builtin_amdgcn_ballot_w32(!p) & mask) == 0;
}

FN u32 ptx_match_any(u32 x, u32 mask) {
    u32 same = 0;
    for (u32 lane = 0; lane < 32; lane++)
        if (ptx_read_lane(x, lane) == x) same |= 1u << lane;
    return same & mask & __builtin_amdgcn_ballot_w32(true);
}
FN u32 ptx_match_any(u64 x, u32 mask) { return ptx_match_any((u32)x, mask) & ptx_match_any((u32)(x >> 32), mask); }

// A member mask may name lanes that the block does not have.
FN u32 ptx_present(u32 mask) { return mask & __builtin_amdgcn_ballot_w32(true); }

FN bool ptx_match_all(u32 x, u32 mask) {
    u32 first = ptx_read_lane(x, (u32)__builtin_ctz(ptx_present(mask)));
    return ptx_vote_all(x == first, mask);
}
FN bool ptx_match_all(u64 x, u32 mask) { return ptx_match_all((u32)x, mask) & ptx_match_all((u32)(x >> 32), mask); }

template <class T, class F> FN T ptx_redux(T x, u32 mask, F f) {
    mask = ptx_present(mask);
    u32 first = (u32)__builtin_ctz(mask);
    T result = as<T>(ptx_read_lane(as<u32>(x), first));
    for (u32 lane = first + 1; lane < 32; lane++) {
        T other = as<T>(ptx_read_lane(as<u32>(x), lane));
        result = mask >> lane & 1 ? f(result, other) : result;
    }
    return result;
}

template <class T> FN T ptx_redux_add(T x, u32 mask) { return ptx_redux(x, mask, [](T a, T b) { return (T)(a + b); }); }

template <class T> FN T ptx_redux_min(T x, u32 mask) { return ptx_redux(x, mask, [](T a, T b) { return a < b ? a : b; }); }

template <class T> FN T ptx_redux_max(T x, u32 mask) { return ptx_redux(x, mask, [](T a, T b) { return a > b ? a : b; }); }

template <class T> FN T ptx_redux_and(T x, u32 mask) { return ptx_redux(x, mask, [](T a, T b) { return a & b; }); }

template <class T> FN T ptx_redux_or(T x, u32 mask) { return ptx_redux(x, mask, [](T a, T b) { return a | b; }); }

template <class T> FN T ptx_redux_xor(T x, u32 mask) { return ptx_redux(x, mask, [](T a, T b) { return a ^ b; }); }

FN f32 ptx_redux_fmin(f32 x, u32 mask) { return ptx_redux(x, mask, [](f32 a, f32 b) { return ptx_fmin(a, b); }); }

FN f32 ptx_redux_fmax(f32 x, u32 mask) { return ptx_redux(x, mask, [](f32 a, f32 b) { return ptx_fmax(a, b); }); }

FN f32 ptx_redux_fmin_nan(f32 x, u32 mask) { return ptx_redux(x, mask, [](f32 a, f32 b) { return ptx_fmin_nan(a, b); }); }

FN f32 ptx_redux_fmax_nan(f32 x, u32 mask) { return ptx_redux(x, mask, [](f32 a, f32 b) { return ptx_fmax_nan(a, b); }); }

FN void ptx_wave_barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

FN u32 ptx_lowest(u32 x) {
    u32 least = __builtin_amdgcn_readfirstlane(x);
    for (u32 below = __builtin_amdgcn_ballot_w32(x < least); below; below = __builtin_amdgcn_ballot_w32(x < least))
        least = __builtin_amdgcn_readlane(x, (u32)__builtin_ctz(below));
    return least;
}

/* Which case a wave runs next: the lowest, but cases from `waiting` on to `together` take turns. */
FN u32 ptx_turn(u32 next, u32 last, u32 waiting, u32 together) {
    u32 least = ptx_lowest(next);
    if (least < waiting || least >= together) return least;
    u32 following = ptx_lowest(next > last && next < together ? next : ~0u);
    return following == ~0u ? least : following;
}
