template <class T> FN T ptx_ld_generic(u64 at) { return *(const T *)at; }
template <class T> FN T ptx_ld_generic(u64 at, i32 by) { return *(const T *)((const u8 *)at + by); }

template <class T> FN void ptx_st_generic(u64 at, T x) { *(T *)at = x; }
template <class T> FN void ptx_st_generic(u64 at, i32 by, T x) { *(T *)((u8 *)at + by) = x; }

template <class T> FN T ptx_ld_global(u64 at) { return *(const GLOBAL T *)at; }
template <class T> FN T ptx_ld_global(u64 at, i32 by) { return *(const GLOBAL T *)((const GLOBAL u8 *)at + by); }

template <class T> FN void ptx_st_global(u64 at, T x) { *(GLOBAL T *)at = x; }
template <class T> FN void ptx_st_global(u64 at, i32 by, T x) { *(GLOBAL T *)((GLOBAL u8 *)at + by) = x; }

template <class T> FN T ptx_ld_const(u64 at) { return *(const CONSTANT T *)at; }
template <class T> FN T ptx_ld_const(u64 at, i32 by) { return *(const CONSTANT T *)((const CONSTANT u8 *)at + by); }

template <class T> FN T ptx_ld_shared(u32 at) { return *(const SHARED T *)at; }
template <class T> FN T ptx_ld_shared(u32 at, i32 by) { return *(const SHARED T *)((const SHARED u8 *)at + by); }

template <class T> FN void ptx_st_shared(u32 at, T x) { *(SHARED T *)at = x; }
template <class T> FN void ptx_st_shared(u32 at, i32 by, T x) { *(SHARED T *)((SHARED u8 *)at + by) = x; }

template <class T> FN T ptx_ld_local(u32 at) { return *(const LOCAL T *)at; }
template <class T> FN T ptx_ld_local(u32 at, i32 by) { return *(const LOCAL T *)((const LOCAL u8 *)at + by); }

template <class T> FN void ptx_st_local(u32 at, T x) { *(LOCAL T *)at = x; }
template <class T> FN void ptx_st_local(u32 at, i32 by, T x) { *(LOCAL T *)((LOCAL u8 *)at + by) = x; }

template <class T, int scope> FN T ptx_ld_generic_relaxed(u64 at) {
    return ptx_same<T>(__hip_atomic_load((ptx_bits<T> *)at, __ATOMIC_RELAXED, scope));
}

template <class T, int scope> FN T ptx_ld_generic_acquire(u64 at) {
    return ptx_same<T>(__hip_atomic_load((ptx_bits<T> *)at, __ATOMIC_ACQUIRE, scope));
}

template <class T, int scope> FN void ptx_st_generic_relaxed(u64 at, T x) {
    __hip_atomic_store((ptx_bits<T> *)at, ptx_same<ptx_bits<T>>(x), __ATOMIC_RELAXED, scope);
}

template <class T, int scope> FN void ptx_st_generic_release(u64 at, T x) {
    __hip_atomic_store((ptx_bits<T> *)at, ptx_same<ptx_bits<T>>(x), __ATOMIC_RELEASE, scope);
}

template <class T, int scope> FN T ptx_ld_global_relaxed(u64 at) {
    return ptx_same<T>(__hip_atomic_load((ptx_bits<T> GLOBAL *)at, __ATOMIC_RELAXED, scope));
}

template <class T, int scope> FN T ptx_ld_global_acquire(u64 at) {
    return ptx_same<T>(__hip_atomic_load((ptx_bits<T> GLOBAL *)at, __ATOMIC_ACQUIRE, scope));
}

template <class T, int scope> FN void ptx_st_global_relaxed(u64 at, T x) {
    __hip_atomic_store((ptx_bits<T> GLOBAL *)at, ptx_same<ptx_bits<T>>(x), __ATOMIC_RELAXED, scope);
}

template <class T, int scope> FN void ptx_st_global_release(u64 at, T x) {
    __hip_atomic_store((ptx_bits<T> GLOBAL *)at, ptx_same<ptx_bits<T>>(x), __ATOMIC_RELEASE, scope);
}

template <class T, int scope> FN T ptx_ld_shared_relaxed(u32 at) {
    return ptx_same<T>(__hip_atomic_load((ptx_bits<T> SHARED *)at, __ATOMIC_RELAXED, scope));
}

template <class T, int scope> FN T ptx_ld_shared_acquire(u32 at) {
    return ptx_same<T>(__hip_atomic_load((ptx_bits<T> SHARED *)at, __ATOMIC_ACQUIRE, scope));
}

template <class T, int scope> FN void ptx_st_shared_relaxed(u32 at, T x) {
    __hip_atomic_store((ptx_bits<T> SHARED *)at, ptx_same<ptx_bits<T>>(x), __ATOMIC_RELAXED, scope);
}

template <class T, int scope> FN void ptx_st_shared_release(u32 at, T x) {
    __hip_atomic_store((ptx_bits<T> SHARED *)at, ptx_same<ptx_bits<T>>(x), __ATOMIC_RELEASE, scope);
}

template <class T, int scope> FN T ptx_ld_local_relaxed(u32 at) {
    return ptx_same<T>(__hip_atomic_load((ptx_bits<T> LOCAL *)at, __ATOMIC_RELAXED, scope));
}

template <class T, int scope> FN T ptx_ld_local_acquire(u32 at) {
    return ptx_same<T>(__hip_atomic_load((ptx_bits<T> LOCAL *)at, __ATOMIC_ACQUIRE, scope));
}

template <class T, int scope> FN void ptx_st_local_relaxed(u32 at, T x) {
    __hip_atomic_store((ptx_bits<T> LOCAL *)at, ptx_same<ptx_bits<T>>(x), __ATOMIC_RELAXED, scope);
}

template <class T, int scope> FN void ptx_st_local_release(u32 at, T x) {
    __hip_atomic_store((ptx_bits<T> LOCAL *)at, ptx_same<ptx_bits<T>>(x), __ATOMIC_RELEASE, scope);
}

/* 16 bytes in one instruction, as machine code has it: CUB's tiles hold a value and whether it is there. */
template <class T> FN T ptx_ld_generic_whole(u64 at) { return ptx_same<T>(*(const volatile V4<u32> *)at); }

template <class T> FN void ptx_st_generic_whole(u64 at, T x) { *(volatile V4<u32> *)at = ptx_same<V4<u32>>(x); }

template <class T> FN T ptx_ld_global_whole(u64 at) { return ptx_same<T>(*(const volatile GLOBAL V4<u32> *)at); }

template <class T> FN void ptx_st_global_whole(u64 at, T x) { *(volatile GLOBAL V4<u32> *)at = ptx_same<V4<u32>>(x); }

template <class T> FN T ptx_ld_shared_whole(u32 at) { return ptx_same<T>(*(const volatile SHARED V4<u32> *)at); }

template <class T> FN void ptx_st_shared_whole(u32 at, T x) { *(volatile SHARED V4<u32> *)at = ptx_same<V4<u32>>(x); }

template <class T> FN T ptx_ld_local_whole(u32 at) { return ptx_same<T>(*(const volatile LOCAL V4<u32> *)at); }

template <class T> FN void ptx_st_local_whole(u32 at, T x) { *(volatile LOCAL V4<u32> *)at = ptx_same<V4<u32>>(x); }

template <u32 size> struct ptx_sized;
template <> struct ptx_sized<1> { using type = u8; };
template <> struct ptx_sized<2> { using type = u16; };
template <> struct ptx_sized<4> { using type = u32; };
template <> struct ptx_sized<8> { using type = u64; };

template <class T> using ptx_bits = typename ptx_sized<sizeof(T)>::type;

template <class T, class S> FN T ptx_same(S x) { return __builtin_bit_cast(T, x); }

FN u64 ptx_from_shared(u32 at) { return (u64)(const void *)(const SHARED u8 *)at; }

FN u64 ptx_from_local(u32 at) { return (u64)(const void *)(const LOCAL u8 *)at; }

FN u64 ptx_to_shared(u64 at) { return (u32)(const SHARED u8 *)(const u8 *)at; }

FN u64 ptx_to_local(u64 at) { return (u32)(const LOCAL u8 *)(const u8 *)at; }

FN bool ptx_is_shared(u64 at) { return __builtin_amdgcn_is_shared((const void *)at); }

FN bool ptx_is_local(u64 at) { return __builtin_amdgcn_is_private((const void *)at); }

FN bool ptx_is_global(u64 at) { return !ptx_is_shared(at) && !ptx_is_local(at); }

FN bool ptx_is_in(u64 at, u64 variable, u64 size) { return at - variable < size; }

FN bool ptx_is_param(u64 at) { return false; }
