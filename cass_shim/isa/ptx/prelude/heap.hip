FN GLOBAL u64 *ptx_heap_head(u64 heap, u64 size_class) { return (GLOBAL u64 *)(heap + 64 + 8 * size_class); }

FN u64 ptx_malloc(u64 heap, u64 size) {
    // As on an H200: malloc(0) gives a block, and a size is rounded up without regard to the carry.
    size += 15;
    if (size > 1ull << 46) return 0;
    u64 size_class = 64 - (u64)__builtin_clzll(size | 16);
    GLOBAL u64 *head = ptx_heap_head(heap, size_class);
    u64 seen = __hip_atomic_load(head, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
    while ((u32)seen) {
        u64 block = heap + ((seen & 0xffffffffull) << 4);
        u32 next = __hip_atomic_load((GLOBAL u32 *)block, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        u64 changed = ((seen & ~0xffffffffull) + (1ull << 32)) | next;
        if (__hip_atomic_compare_exchange_strong(head, &seen, changed, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,
                                                 __HIP_MEMORY_SCOPE_AGENT))
            return block + 16;
    }
    u64 bytes = 1ull << size_class;
    GLOBAL u64 *used = (GLOBAL u64 *)(heap + 8);
    u64 start = 1024 + __hip_atomic_fetch_add(used, bytes, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (start + bytes > *(GLOBAL u64 *)heap) {
        __hip_atomic_fetch_add(used, -bytes, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        return 0;
    }
    *(GLOBAL u64 *)(heap + start + 8) = size_class;
    return heap + start + 16;
}

FN void ptx_free(u64 heap, u64 address) {
    if (!address) return;
    u64 at = address - heap - 16;
    GLOBAL u64 *head = ptx_heap_head(heap, *(GLOBAL u64 *)(heap + at + 8));
    u64 seen = __hip_atomic_load(head, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT), changed;
    do {
        __hip_atomic_store((GLOBAL u32 *)(heap + at), (u32)seen, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        changed = ((seen & ~0xffffffffull) + (1ull << 32)) | at >> 4;
    } while (!__hip_atomic_compare_exchange_strong(head, &seen, changed, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED,
                                                   __HIP_MEMORY_SCOPE_AGENT));
}
