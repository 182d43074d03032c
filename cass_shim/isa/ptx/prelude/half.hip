template <class T, class F, class... P> FN u32 ptx_pair(F f, P... packed) {
    u16 low = as<u16>((T)f(as<T>((u16)packed)...));
    u16 high = as<u16>((T)f(as<T>((u16)(packed >> 16))...));
    return (u32)high << 16 | low;
}

FN f64 ptx_add_odd(f64 a, f64 b) {
    f64 s = a + b;
    f64 bb = s - a;
    f64 error = (a - (s - bb)) + (b - bb);
    if (error == 0 || error != error || as<u64>(s) & 1) return s;
    return as<f64>(as<u64>(s) + ((error > 0) == (s > 0) ? 1ull : ~0ull));
}

template <class F, class... W> FN u64 ptx_pair_f32(F f, W... words) {
    u32 low = as<u32>(f(as<f32>((u32)words)...)), high = as<u32>(f(as<f32>((u32)(words >> 32))...));
    return (u64)high << 32 | low;
}

FN bool ptx_oob(u16 x) { return (x & 0x7fff) == 0x7ff7; }
FN bool ptx_oob(f16 x) { return ptx_oob(as<u16>(x)); }
