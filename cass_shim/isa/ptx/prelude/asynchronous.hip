template <u32 size> FN void ptx_copy(u32 to, u64 from, u32 used) {
    if (used >= size) {
        if constexpr (size == 16) ptx_st_shared<v4<u32>>(to, ptx_ld_global<v4<u32>>(from));
        else if constexpr (size == 8) ptx_st_shared<u64>(to, ptx_ld_global<u64>(from));
        else ptx_st_shared<u32>(to, ptx_ld_global<u32>(from));
    } else {
        for (u32 at = 0; at < size; at++) ptx_st_shared<u8>(to + at, at < used ? ptx_ld_global<u8>(from + at) : (u8)0);
    }
}

FN u64 ptx_mbarrier_of(u64 phase, u64 pending, u64 expected) {
    return phase << 63 | (pending & 0xfffff) << 32 | (expected & 0xfffff);
}

FN void ptx_mbarrier_init(u32 at, u32 count) {
    __hip_atomic_store((SHARED u64 *)at, ptx_mbarrier_of(0, count, count), __ATOMIC_RELAXED,
                       __HIP_MEMORY_SCOPE_WORKGROUP);
}

FN u64 ptx_mbarrier_arrive(u32 at, u32 count, bool drop) {
    SHARED u64 *object = (SHARED u64 *)at;
    u64 seen = __hip_atomic_load(object, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP), next;
    do {
        u64 phase = seen >> 63, pending = (seen >> 32 & 0xfffff) - count, expected = (seen & 0xfffff) - (drop ? count : 0);
        next = (pending & 0xfffff) ? ptx_mbarrier_of(phase, pending, expected)
                                   : ptx_mbarrier_of(phase ^ 1, expected, expected);
    } while (!__hip_atomic_compare_exchange_strong(object, &seen, next, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED,
                                                   __HIP_MEMORY_SCOPE_WORKGROUP));
    return seen;
}

FN void ptx_mbarrier_touch(u32 at) {
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
}

FN bool ptx_mbarrier_over(u32 at, u32 parity) {
    u64 seen = __hip_atomic_load((SHARED u64 *)at, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP);
    bool over = (u32)(seen >> 63) != parity;
    if (!over) __builtin_amdgcn_s_sleep(1);
    return over;
}
