template <int order, int scope, class P, class T> FN T ptx_atom_add(P at, T x) {
    return __hip_atomic_fetch_add(at, x, order, scope);
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

template <int order, int scope, class P> FN u16 ptx_atom_add_f16(P at, u16 x) {
    return ptx_atom_update<order, scope>(at, [=](u16 seen) { return as<u16>((f16)(as<f16>(seen) + as<f16>(x))); });
}

template <int order, int scope, class P> FN u32 ptx_atom_add_f16x2(P at, u32 x) {
    return ptx_atom_update<order, scope>(
        at, [=](u32 seen) { return ptx_pair<f16>([](f16 a, f16 b) { return a + b; }, seen, x); });
}

FN u16 ptx_add_bf16(u16 a, u16 b) {
    return ptx_f64_to_bf16_rn(ptx_add_odd((f64)ptx_bf16_to_f32(a), (f64)ptx_bf16_to_f32(b)));
}

template <int order, int scope, class P> FN u16 ptx_atom_add_bf16(P at, u16 x) {
    return ptx_atom_update<order, scope>(at, [=](u16 seen) { return ptx_add_bf16(seen, x); });
}

template <int order, int scope, class P> FN u32 ptx_atom_add_bf16x2(P at, u32 x) {
    return ptx_atom_update<order, scope>(
        at, [=](u32 seen) { return ptx_pair<u16>([](u16 a, u16 b) { return ptx_add_bf16(a, b); }, seen, x); });
}
