template <u32 size> FN void ptx_copy(u32 to, u64 from, u32 used) {
    if (used >= size) {
        if constexpr (size == 16) ptx_st_shared<v4<u32>>(to, ptx_ld_global<v4<u32>>(from));
        else if constexpr (size == 8) ptx_st_shared<u64>(to, ptx_ld_global<u64>(from));
        else ptx_st_shared<u32>(to, ptx_ld_global<u32>(from));
    } else {
        for (u32 at = 0; at < size; at++) ptx_st_shared<u8>(to + at, at < used ? ptx_ld_global<u8>(from + at) : (u8)0);
    }
}

/* Bits 0 to 19: arrivals expected in a phase; 20 to 40: transactions to come, signed; 41 to 60: arrivals to come; 63:
   the phase. */
FN u64 ptx_mbarrier_of(u64 phase, u64 pending, u64 transactions, u64 expected) {
    return phase << 63 | (pending & 0xfffff) << 41 | (transactions & 0x1fffff) << 20 | (expected & 0xfffff);
}

FN void ptx_mbarrier_init(u32 at, u32 count) {
    __hip_atomic_store((SHARED u64 *)at, ptx_mbarrier_of(0, count, 0, count), __ATOMIC_RELAXED,
                       __HIP_MEMORY_SCOPE_WORKGROUP);
}

FN u64 ptx_mbarrier_change(u32 at, u32 arrivals, u32 dropped, u32 transactions) {
    SHARED u64 *object = (SHARED u64 *)at;
    u64 seen = __hip_atomic_load(object, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP), next;
    do {
        u64 pending = (seen >> 41) - arrivals, to_come = (seen >> 20) + transactions, expected = seen - dropped;
        bool over = !(pending & 0xfffff) && !(to_come & 0x1fffff);
        next = ptx_mbarrier_of(seen >> 63 ^ over, over ? expected : pending, to_come, expected);
    } while (!__hip_atomic_compare_exchange_strong(object, &seen, next, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED,
                                                   __HIP_MEMORY_SCOPE_WORKGROUP));
    return seen;
}

FN u64 ptx_mbarrier_arrive(u32 at, bool drop, u32 count, u32 transactions = 0) {
    return ptx_mbarrier_change(at, count, drop ? count : 0, transactions);
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
