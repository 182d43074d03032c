/* Not __builtin_trap: LLVM 22 forgets to expand 64-bit additions of blocks behind one (seen: blank instructions). */
FN void ptx_stop() { __asm__ volatile("s_trap 2"); }

FN u32 ptx_format_bytes(u64 format) {
    u32 size = 0;
    const u8 *at = (const u8 *)format;
    for (u8 c = *at; c; c = *++at) {
        if (c != '%') continue;
        u32 longs = 0, halves = 0;
        for (c = *++at; c && !ptx_is_conversion(c); c = *++at) {
            if (c == '*') size = (size + 3 & ~3u) + 4;
            longs += c == 'l' || c == 'j' || c == 'z' || c == 't';
        }
        if (!c) break;
        if (c == '%') continue;
        bool wide = longs || c == 's' || c == 'p' || c == 'n' || (c >= 'e' && c <= 'g') || (c >= 'E' && c <= 'G')
                    || c == 'a' || c == 'A';
        size = wide ? (size + 7 & ~7u) + 8 : (size + 3 & ~3u) + 4;
    }
    return size;
}

FN bool ptx_is_conversion(u8 c) {
    return c == '%' || (c >= 'a' && c <= 'z' && c != 'h' && c != 'l' && c != 'j' && c != 'z' && c != 't')
           || (c >= 'A' && c <= 'Z' && c != 'L');
}

FN u32 ptx_ring_reserve(u64 ring, u32 bytes) {
    GLOBAL u32 *header = (GLOBAL u32 *)ring;
    u32 capacity = header[0];
    u32 at = __hip_atomic_fetch_add(header + 1, bytes, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    if (at <= capacity && bytes <= capacity - at) return at;
    __hip_atomic_fetch_add(header + 2, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    return ~0u;
}

FN void ptx_ring_finish(u64 record, u32 kind) {
    __hip_atomic_store((GLOBAL u32 *)record, kind, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

FN i32 ptx_format_count(u64 format) {
    i32 count = 0;
    const u8 *at = (const u8 *)format;
    for (u8 c = *at; c; c = *++at) {
        if (c != '%') continue;
        for (c = *++at; c && !ptx_is_conversion(c); c = *++at) count += c == '*';
        if (!c) break;
        count += c != '%';
    }
    return count;
}

FN i32 ptx_vprintf(u64 ring, u64 format, u64 arguments) {
    if (!format) return -1;
    u32 size = ptx_format_bytes(format);
    u32 at = ptx_ring_reserve(ring, 16 + (size + 7 & ~7u));
    if (at == ~0u) return -1;
    u64 record = ring + 16 + at;
    *(GLOBAL u32 *)(record + 4) = size;
    *(GLOBAL u64 *)(record + 8) = format;
    for (u32 k = 0; k < size; k += 4) *(GLOBAL u32 *)(record + 16 + k) = *(const u32 *)(arguments + k);
    ptx_ring_finish(record, 1);
    return ptx_format_count(format);
}

FN void ptx_assertfail(u64 ring, u64 message, u64 file, u32 line, u64 function, u64 size) {
    u32 at = ptx_ring_reserve(ring, 16 + 40);
    if (at != ~0u) {
        u64 record = ring + 16 + at;
        *(GLOBAL u32 *)(record + 4) = 40;
        *(GLOBAL u64 *)(record + 8) = 0;
        *(GLOBAL u64 *)(record + 16) = message;
        *(GLOBAL u64 *)(record + 24) = file;
        *(GLOBAL u64 *)(record + 32) = line;
        *(GLOBAL u64 *)(record + 40) = function;
        *(GLOBAL u64 *)(record + 48) = size;
        ptx_ring_finish(record, 2);
    }
    __builtin_trap();
}

/* A condition handle is the address of its word (native/driver/condition.h). */
FN void ptx_set_condition(u64 handle, u32 value) { *(GLOBAL u32 *)handle = value; }
