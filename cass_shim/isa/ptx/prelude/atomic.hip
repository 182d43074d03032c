template <int order, int scope, class P, class T> FN T ptx_atom_add(P at, T x) {
    return __hip_atomic_fetch_add(at, x, order, scope);
}
// Memory flushes denormals of f32, shared memory keeps them (PTX ISA §9.7.13.5; recorded, tests/vectors/ptx).
template <int order, int scope> FN f32 ptx_atom_add(GLOBAL f32 *at, f32 x) {
    auto sum = [=](u32 seen) { return as<u32>(ptx_ftz(ptx_ftz(as<f32>(seen)) + ptx_ftz(x))); };
    return as<f32>(ptx_atom_update<order, scope>((GLOBAL u32 *)at, sum));
}
template <int order, int scope> FN f32 ptx_atom_add(f32 *at, f32 x) {
    if (!__builtin_amdgcn_is_shared(at)) return ptx_atom_add<order, scope>((GLOBAL f32 *)at, x);
    return __hip_atomic_fetch_add((SHARED f32 *)at, x, order, scope);
}

template <int order, int scope, class P, class T> FN T ptx_atom_and(P at, T x) {
    return __hip_atomic_fetch_and(at, x, order, scope);
}

template <int order, int scope, class P, class T> FN T ptx_atom_or(P at, T x) {
    return __hip_atomic_fetch_or(at, x, order, scope);
}

template <int order, int scope, class P, class T> FN T ptx_atom_xor(P at, T x) {
    return __hip_atomic_fetch_xor(at, x, order, scope);
}

template <int order, int scope, class P, class T> FN T ptx_atom_min(P at, T x) {
    return __hip_atomic_fetch_min(at, x, order, scope);
}

template <int order, int scope, class P, class T> FN T ptx_atom_max(P at, T x) {
    return __hip_atomic_fetch_max(at, x, order, scope);
}

template <int order, int scope, class P, class T> FN T ptx_atom_exch(P at, T x) {
    return __hip_atomic_exchange(at, x, order, scope);
}

template <int order, int scope, class P, class T> FN T ptx_atom_cas(P at, T expected, T x) {
    constexpr int failure = order == __ATOMIC_ACQ_REL || order == __ATOMIC_ACQUIRE ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED;
    __hip_atomic_compare_exchange_strong(at, &expected, x, order, failure, scope);
    return expected;
}

template <int order, int scope, class P, class F> FN auto ptx_atom_update(P at, F f) {
    auto seen = __hip_atomic_load(at, __ATOMIC_RELAXED, scope);
    while (!__hip_atomic_compare_exchange_strong(at, &seen, f(seen), order, __ATOMIC_RELAXED, scope)) {}
    return seen;
}

template <int order, int scope, class P> FN u32 ptx_atom_inc(P at, u32 x) {
    return ptx_atom_update<order, scope>(at, [=](u32 seen) { return seen >= x ? 0u : seen + 1; });
}

template <int order, int scope, class P> FN u32 ptx_atom_dec(P at, u32 x) {
    return ptx_atom_update<order, scope>(at, [=](u32 seen) { return seen == 0 || seen > x ? x : seen - 1; });
}

FN u16 ptx_add_f16(u16 a, u16 b) { return as<u16>((f16)(as<f16>(a) + as<f16>(b))); }

FN u16 ptx_min_f16(u16 a, u16 b) { return as<u16>((f16)ptx_fmin((f32)as<f16>(a), (f32)as<f16>(b))); }

FN u16 ptx_max_f16(u16 a, u16 b) { return as<u16>((f16)ptx_fmax((f32)as<f16>(a), (f32)as<f16>(b))); }

FN u16 ptx_add_bf16(u16 a, u16 b) {
    return ptx_f64_to_bf16_rn(ptx_add_odd((f64)ptx_bf16_to_f32(a), (f64)ptx_bf16_to_f32(b)));
}

FN u16 ptx_min_bf16(u16 a, u16 b) { return ptx_f32_to_bf16_rn(ptx_fmin(ptx_bf16_to_f32(a), ptx_bf16_to_f32(b))); }

FN u16 ptx_max_bf16(u16 a, u16 b) { return ptx_f32_to_bf16_rn(ptx_fmax(ptx_bf16_to_f32(a), ptx_bf16_to_f32(b))); }

template <int order, int scope, class P> FN u16 ptx_atom_add_f16(P at, u16 x) {
    return ptx_atom_update<order, scope>(at, [=](u16 seen) { return ptx_add_f16(seen, x); });
}

template <int order, int scope, class P> FN u32 ptx_atom_add_f16x2(P at, u32 x) {
    return ptx_atom_update<order, scope>(
        at, [=](u32 seen) { return ptx_pair<u16>([](u16 a, u16 b) { return ptx_add_f16(a, b); }, seen, x); });
}

template <int order, int scope, class P> FN u16 ptx_atom_add_bf16(P at, u16 x) {
    return ptx_atom_update<order, scope>(at, [=](u16 seen) { return ptx_add_bf16(seen, x); });
}

template <int order, int scope, class P> FN u32 ptx_atom_add_bf16x2(P at, u32 x) {
    return ptx_atom_update<order, scope>(
        at, [=](u32 seen) { return ptx_pair<u16>([](u16 a, u16 b) { return ptx_add_bf16(a, b); }, seen, x); });
}

template <int order, int scope, class P> FN u16 ptx_atom_min_f16(P at, u16 x) {
    return ptx_atom_update<order, scope>(at, [=](u16 seen) { return ptx_min_f16(seen, x); });
}

template <int order, int scope, class P> FN u32 ptx_atom_min_f16x2(P at, u32 x) {
    return ptx_atom_update<order, scope>(
        at, [=](u32 seen) { return ptx_pair<u16>([](u16 a, u16 b) { return ptx_min_f16(a, b); }, seen, x); });
}

template <int order, int scope, class P> FN u16 ptx_atom_min_bf16(P at, u16 x) {
    return ptx_atom_update<order, scope>(at, [=](u16 seen) { return ptx_min_bf16(seen, x); });
}

template <int order, int scope, class P> FN u32 ptx_atom_min_bf16x2(P at, u32 x) {
    return ptx_atom_update<order, scope>(
        at, [=](u32 seen) { return ptx_pair<u16>([](u16 a, u16 b) { return ptx_min_bf16(a, b); }, seen, x); });
}

template <int order, int scope, class P> FN u16 ptx_atom_max_f16(P at, u16 x) {
    return ptx_atom_update<order, scope>(at, [=](u16 seen) { return ptx_max_f16(seen, x); });
}

template <int order, int scope, class P> FN u32 ptx_atom_max_f16x2(P at, u32 x) {
    return ptx_atom_update<order, scope>(
        at, [=](u32 seen) { return ptx_pair<u16>([](u16 a, u16 b) { return ptx_max_f16(a, b); }, seen, x); });
}

template <int order, int scope, class P> FN u16 ptx_atom_max_bf16(P at, u16 x) {
    return ptx_atom_update<order, scope>(at, [=](u16 seen) { return ptx_max_bf16(seen, x); });
}

template <int order, int scope, class P> FN u32 ptx_atom_max_bf16x2(P at, u32 x) {
    return ptx_atom_update<order, scope>(
        at, [=](u32 seen) { return ptx_pair<u16>([](u16 a, u16 b) { return ptx_max_bf16(a, b); }, seen, x); });
}

static __attribute__((device)) u32 ptx_locks_128[64];

/* RDNA3 has no access of 16 bytes that is one step: the lanes of a wave take turns, waves take the address's lock. */
template <class F> FN u128 ptx_locked_128(u64 at, F f) {
    GLOBAL u32 *lock = (GLOBAL u32 *)ptx_locks_128 + (at >> 4 & 63);
    u128 seen = 0;
    for (u32 turns = __builtin_amdgcn_ballot_w32(true); turns; turns &= turns - 1) {
        if (ptx_lane() == (u32)__builtin_ctz(turns)) {
            while (__hip_atomic_exchange(lock, 1u, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) __builtin_amdgcn_s_sleep(1);
            seen = f((u128 *)at);
            __hip_atomic_store(lock, 0u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        }
    }
    return seen;
}

FN u128 ptx_atom_exch_128(u64 at, u128 x) {
    return ptx_locked_128(at, [=](u128 *p) { u128 seen = *p; *p = x; return seen; });
}

FN u128 ptx_atom_cas_128(u64 at, u128 expected, u128 x) {
    return ptx_locked_128(at, [=](u128 *p) { u128 seen = *p; if (seen == expected) *p = x; return seen; });
}

FN u128 ptx_ld_128(u64 at) {
    return ptx_locked_128(at, [=](u128 *p) { return *p; });
}

FN void ptx_st_128(u64 at, u128 x) { ptx_atom_exch_128(at, x); }
