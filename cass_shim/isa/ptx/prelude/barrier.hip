FN void ptx_barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

FN u32 ptx_arrive(u32 at, u32 number, u32 count) {
    SHARED u32 *arrived = (SHARED u32 *)(at + 8 * (number & 15)), *generation = arrived + 1;
    u32 now = __hip_atomic_load(generation, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    u32 first = (u32)__builtin_ctz(__builtin_amdgcn_ballot_w32(true));
    u32 last = 0;
    if (ptx_lane() == first) {
        u32 before = __hip_atomic_fetch_add(arrived, 32u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP);
        last = before + 32 >= count;
        if (last) {
            __hip_atomic_store(arrived, 0u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
            __hip_atomic_store(generation, now + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
        }
    }
    return now;
}

FN void ptx_named_arrive(u32 at, u32 number, u32 count) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    ptx_arrive(at, number, count);
}

FN void ptx_named_sync(u32 at, u32 number, u32 count) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    u32 now = ptx_arrive(at, number, count);
    SHARED u32 *generation = (SHARED u32 *)(at + 8 * (number & 15)) + 1;
    while (__hip_atomic_load(generation, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP) == now)
        __builtin_amdgcn_s_sleep(1);
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

FN u32 ptx_block_count(u32 at, bool p) {
    SHARED u32 *word = (SHARED u32 *)at;
    ptx_barrier();
    __hip_atomic_store(word, 0u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    ptx_barrier();
    u32 votes = __builtin_amdgcn_ballot_w32(p);
    if (ptx_lane() == (u32)__builtin_ctz(__builtin_amdgcn_ballot_w32(true)))
        __hip_atomic_fetch_add(word, (u32)__builtin_popcount(votes), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    ptx_barrier();
    return __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

// Generation g counts in word g % 3. Its arrivals also clear the word of g + 1: those who read it last, after g - 2,
// have all arrived at g - 1 since, and nobody adds to it before g is over.
FN u32 ptx_named_count(u32 at, u32 number, u32 count, u32 words, bool p) {
    SHARED u32 *generation = (SHARED u32 *)(at + 8 * (number & 15)) + 1;
    SHARED u32 *counts = (SHARED u32 *)(words + 12 * (number & 15));
    u32 now = __hip_atomic_load(generation, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP);
    u32 votes = __builtin_amdgcn_ballot_w32(p);
    if (ptx_lane() == (u32)__builtin_ctz(__builtin_amdgcn_ballot_w32(true))) {
        __hip_atomic_fetch_add(counts + now % 3, (u32)__builtin_popcount(votes), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
        __hip_atomic_store(counts + (now + 1) % 3, 0u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    }
    ptx_named_sync(at, number, count);
    return __hip_atomic_load(counts + now % 3, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}
