FN f32 ptx_sat(f32 x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
FN f64 ptx_sat(f64 x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }
FN f16 ptx_sat(f16 x) { return x > (f16)0 ? (x < (f16)1 ? x : (f16)1) : (f16)0; }

FN f32 ptx_add_rz(f32 a, f32 b) {
    f32 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3\n\tv_add_f32 %0, %1, %2\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}
FN f64 ptx_add_rz(f64 a, f64 b) {
    f64 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 3\n\tv_add_f64 %0, %1, %2\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}

FN f32 ptx_mul_rz(f32 a, f32 b) {
    f32 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3\n\tv_mul_f32 %0, %1, %2\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}
FN f64 ptx_mul_rz(f64 a, f64 b) {
    f64 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 3\n\tv_mul_f64 %0, %1, %2\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}

FN f32 ptx_sub_rz(f32 a, f32 b) { return ptx_add_rz(a, -b); }
FN f64 ptx_sub_rz(f64 a, f64 b) { return ptx_add_rz(a, -b); }

FN f32 ptx_fma_rz(f32 a, f32 b, f32 c) {
    f32 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3\n\tv_fma_f32 %0, %1, %2, %3\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0" : "=&v"(d) : "v"(a), "v"(b), "v"(c));
    return d;
}
FN f64 ptx_fma_rz(f64 a, f64 b, f64 c) {
    f64 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 3\n\tv_fma_f64 %0, %1, %2, %3\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0" : "=&v"(d) : "v"(a), "v"(b), "v"(c));
    return d;
}

FN f32 ptx_div_rz(f32 a, f32 b) {
    f32 q = a / b;
    return ptx_nudge_rz(q, ptx_quotient_error(a, b, q));
}
FN f64 ptx_div_rz(f64 a, f64 b) {
    f64 q = a / b;
    return ptx_nudge_rz(q, ptx_quotient_error(a, b, q));
}

FN f32 ptx_sqrt_rz(f32 a) {
    f32 r = __builtin_sqrtf(a);
    return ptx_nudge_rz(r, ptx_root_error(a, r));
}
FN f64 ptx_sqrt_rz(f64 a) {
    f64 r = __builtin_sqrt(a);
    return ptx_nudge_rz(r, ptx_root_error(a, r));
}

FN f32 ptx_add_rm(f32 a, f32 b) {
    f32 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2\n\tv_add_f32 %0, %1, %2\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}
FN f64 ptx_add_rm(f64 a, f64 b) {
    f64 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 2\n\tv_add_f64 %0, %1, %2\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}

FN f32 ptx_mul_rm(f32 a, f32 b) {
    f32 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2\n\tv_mul_f32 %0, %1, %2\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}
FN f64 ptx_mul_rm(f64 a, f64 b) {
    f64 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 2\n\tv_mul_f64 %0, %1, %2\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}

FN f32 ptx_sub_rm(f32 a, f32 b) { return ptx_add_rm(a, -b); }
FN f64 ptx_sub_rm(f64 a, f64 b) { return ptx_add_rm(a, -b); }

FN f32 ptx_fma_rm(f32 a, f32 b, f32 c) {
    f32 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2\n\tv_fma_f32 %0, %1, %2, %3\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0" : "=&v"(d) : "v"(a), "v"(b), "v"(c));
    return d;
}
FN f64 ptx_fma_rm(f64 a, f64 b, f64 c) {
    f64 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 2\n\tv_fma_f64 %0, %1, %2, %3\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0" : "=&v"(d) : "v"(a), "v"(b), "v"(c));
    return d;
}

FN f32 ptx_div_rm(f32 a, f32 b) {
    f32 q = a / b;
    return ptx_nudge_rm(q, ptx_quotient_error(a, b, q));
}
FN f64 ptx_div_rm(f64 a, f64 b) {
    f64 q = a / b;
    return ptx_nudge_rm(q, ptx_quotient_error(a, b, q));
}

FN f32 ptx_sqrt_rm(f32 a) {
    f32 r = __builtin_sqrtf(a);
    return ptx_nudge_rm(r, ptx_root_error(a, r));
}
FN f64 ptx_sqrt_rm(f64 a) {
    f64 r = __builtin_sqrt(a);
    return ptx_nudge_rm(r, ptx_root_error(a, r));
}

FN f32 ptx_add_rp(f32 a, f32 b) {
    f32 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\n\tv_add_f32 %0, %1, %2\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}
FN f64 ptx_add_rp(f64 a, f64 b) {
    f64 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 1\n\tv_add_f64 %0, %1, %2\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}

FN f32 ptx_mul_rp(f32 a, f32 b) {
    f32 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\n\tv_mul_f32 %0, %1, %2\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}
FN f64 ptx_mul_rp(f64 a, f64 b) {
    f64 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 1\n\tv_mul_f64 %0, %1, %2\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0" : "=&v"(d) : "v"(a), "v"(b));
    return d;
}

FN f32 ptx_sub_rp(f32 a, f32 b) { return ptx_add_rp(a, -b); }
FN f64 ptx_sub_rp(f64 a, f64 b) { return ptx_add_rp(a, -b); }

FN f32 ptx_fma_rp(f32 a, f32 b, f32 c) {
    f32 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\n\tv_fma_f32 %0, %1, %2, %3\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0" : "=&v"(d) : "v"(a), "v"(b), "v"(c));
    return d;
}
FN f64 ptx_fma_rp(f64 a, f64 b, f64 c) {
    f64 d;
    __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 1\n\tv_fma_f64 %0, %1, %2, %3\n\t"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0" : "=&v"(d) : "v"(a), "v"(b), "v"(c));
    return d;
}

FN f32 ptx_div_rp(f32 a, f32 b) {
    f32 q = a / b;
    return ptx_nudge_rp(q, ptx_quotient_error(a, b, q));
}
FN f64 ptx_div_rp(f64 a, f64 b) {
    f64 q = a / b;
    return ptx_nudge_rp(q, ptx_quotient_error(a, b, q));
}

FN f32 ptx_sqrt_rp(f32 a) {
    f32 r = __builtin_sqrtf(a);
    return ptx_nudge_rp(r, ptx_root_error(a, r));
}
FN f64 ptx_sqrt_rp(f64 a) {
    f64 r = __builtin_sqrt(a);
    return ptx_nudge_rp(r, ptx_root_error(a, r));
}

template <class T> FN T ptx_step(T x, i32 away) {
    using I = ptx_bits<T>;
    return as<T>((I)(as<I>(x) + (I)away));
}

template <class T> FN T ptx_nudge_rz(T x, i32 error) {
    if (error == 0 || x == 0 || x != x) return x;
    bool toward = (error < 0) == (x > 0);
    return toward ? ptx_step(x, -1) : x;
}

template <class T> FN T ptx_nudge_rp(T x, i32 error) {
    if (error <= 0 || x != x) return x;
    return ptx_step(x, as<ptx_bits<T>>(x) >> (8 * sizeof(T) - 1) ? -1 : 1);
}

template <class T> FN T ptx_nudge_rm(T x, i32 error) {
    if (error >= 0 || x != x) return x;
    return ptx_step(x, as<ptx_bits<T>>(x) >> (8 * sizeof(T) - 1) ? 1 : -1);
}

FN i32 ptx_sign(f64 x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

FN bool ptx_special(f64 x) { return x == 0 || !(__builtin_fabs(x) < __builtin_inf()); }

FN i32 ptx_quotient_error(f32 a, f32 b, f32 q) {
    if (ptx_special(a) || ptx_special(b)) return 0;
    if (__builtin_fabsf(q) == __builtin_inff()) return q > 0 ? -1 : 1;
    i32 sign = ptx_sign(__builtin_fma(-(f64)q, (f64)b, (f64)a));
    return b < 0 ? -sign : sign;
}
FN i32 ptx_quotient_error(f64 a, f64 b, f64 q) {
    if (ptx_special(a) || ptx_special(b)) return 0;
    if (__builtin_fabs(q) == __builtin_inf()) return q > 0 ? -1 : 1;
    i32 ea = __builtin_amdgcn_frexp_exp(a), eb = __builtin_amdgcn_frexp_exp(b);
    f64 sa = __builtin_amdgcn_frexp_mant(a), sb = __builtin_amdgcn_frexp_mant(b);
    f64 sq = __builtin_amdgcn_ldexp(q, eb - ea);
    i32 sign = ptx_sign(__builtin_fma(-sq, sb, sa));
    return b < 0 ? -sign : sign;
}

FN i32 ptx_root_error(f32 a, f32 r) {
    if (ptx_special(a) || a < 0) return 0;
    return ptx_sign(__builtin_fma(-(f64)r, (f64)r, (f64)a));
}
FN i32 ptx_root_error(f64 a, f64 r) {
    if (ptx_special(a) || a < 0) return 0;
    i32 even = __builtin_amdgcn_frexp_exp(a) & ~1;
    return ptx_sign(__builtin_fma(-__builtin_amdgcn_ldexp(r, -even / 2), __builtin_amdgcn_ldexp(r, -even / 2),
                                  __builtin_amdgcn_ldexp(a, -even)));
}

FN f32 ptx_div_approx(f32 a, f32 b) {
    bool tiny = __builtin_fabsf(b) < 0x1p-126f;
    if (tiny) a *= 0x1p24f, b *= 0x1p24f;
    return ptx_ftz(__builtin_amdgcn_rcpf(b)) * a;
}

FN f32 ptx_div_full(f32 a, f32 b) {
    bool tiny = __builtin_fabsf(b) < 0x1p-126f, huge = __builtin_fabsf(b) > 0x1p126f;
    f32 scale = huge ? 0.25f : tiny ? 0x1p24f : 1.0f;
    return ptx_ftz(__builtin_amdgcn_rcpf(b * scale)) * (a * scale);
}

FN f32 ptx_rcp(f32 x) {
    bool tiny = __builtin_fabsf(x) < 0x1p-126f, huge = __builtin_fabsf(x) > 0x1p126f;
    f32 scale = huge ? 0.25f : tiny ? 0x1p24f : 1.0f;
    return __builtin_amdgcn_rcpf(x * scale) * scale;
}

FN f64 ptx_high(f64 x) { return as<f64>(as<u64>(x) & ~0xffffffffull); }

FN f64 ptx_rcp_high(f64 x) { return ptx_high(__builtin_amdgcn_rcp(ptx_high(x))); }

FN f64 ptx_rsqrt_high(f64 x) { return ptx_high(__builtin_amdgcn_rsq(ptx_high(x))); }

FN f32 ptx_sqrt(f32 x) {
    bool tiny = __builtin_fabsf(x) < 0x1p-126f;
    f32 r = __builtin_amdgcn_sqrtf(tiny ? x * 0x1p24f : x);
    return tiny ? r * 0x1p-12f : r;
}

FN f32 ptx_rsqrt(f32 x) {
    bool tiny = __builtin_fabsf(x) < 0x1p-126f;
    f32 r = __builtin_amdgcn_rsqf(tiny ? x * 0x1p24f : x);
    return tiny ? r * 0x1p12f : r;
}
FN f64 ptx_rsqrt(f64 x) {
    if (!(x > 0) || x == __builtin_inf()) return __builtin_amdgcn_rsq(x);
    bool tiny = x < 0x1p-1021;
    f64 scaled = tiny ? x * 0x1p54 : x;
    f64 y = ptx_high(__builtin_amdgcn_rsq(ptx_high(scaled)));
    f64 e = __builtin_fma(scaled, -(y * y), 1.0);
    y = __builtin_fma(__builtin_fma(e, 0.375, 0.5), y * e, y);
    return tiny ? y * 0x1p27 : y;
}

// Of |x|: sine is odd and cosine even to the bit, as recorded.
FN f32 ptx_turns(f32 x) {
    return __builtin_amdgcn_fractf(ptx_ftz(ptx_mul_rz(__builtin_fabsf(x), 0.15915494f)));
}

FN f32 ptx_sin(f32 x) {
    f32 r = __builtin_amdgcn_sinf(ptx_turns(x));
    return __builtin_signbit(x) ? -r : r;
}

FN f32 ptx_cos(f32 x) { return __builtin_amdgcn_cosf(ptx_turns(x)); }

FN f32 ptx_lg2(f32 x) {
    bool tiny = __builtin_fabsf(x) < 0x1p-126f;
    f32 r = __builtin_amdgcn_logf(tiny ? x * 0x1p24f : x);
    return tiny ? r - 24.0f : r;
}

FN f32 ptx_ex2(f32 x) {
    bool low = x < -126.0f;
    f32 r = ptx_ftz(__builtin_amdgcn_exp2f(low ? x * 0.5f : x));
    return low ? r * r : r;
}

FN f32 ptx_tanh(f32 x) {
    f32 a = __builtin_fabsf(x);
    f32 t = ptx_ftz(__builtin_amdgcn_rcpf(ptx_ftz(__builtin_amdgcn_exp2f(a * 2.88539004f)) + 1.0f)) * -2.0f + 1.0f;
    return a < 0x1p-6f ? x : as<f32>(as<u32>(t) | (as<u32>(x) & 0x80000000u));
}

FN f32 ptx_fmin(f32 a, f32 b) { return ptx_pick(a, b, a < b || (a == b && __builtin_signbit(a))); }
FN f64 ptx_fmin(f64 a, f64 b) { return ptx_pick(a, b, a < b || (a == b && __builtin_signbit(a))); }

FN f32 ptx_fmax(f32 a, f32 b) { return ptx_pick(a, b, a > b || (a == b && __builtin_signbit(b))); }
FN f64 ptx_fmax(f64 a, f64 b) { return ptx_pick(a, b, a > b || (a == b && __builtin_signbit(b))); }

FN f32 ptx_pick(f32 a, f32 b, bool first) {
    if (a != a && b != b) return as<f32>(0x7fffffffu);
    return a != a ? b : b != b ? a : first ? a : b;
}
FN f64 ptx_pick(f64 a, f64 b, bool first) {
    if (a != a && b != b) return as<f64>(0x7fffffffffffffffull);
    return a != a ? b : b != b ? a : first ? a : b;
}

FN f32 ptx_fmin_nan(f32 a, f32 b) { return a != a || b != b ? as<f32>(0x7fffffffu) : ptx_fmin(a, b); }

FN f32 ptx_fmax_nan(f32 a, f32 b) { return a != a || b != b ? as<f32>(0x7fffffffu) : ptx_fmax(a, b); }

FN f32 ptx_xorsign(f32 x, f32 a, f32 b) {
    return as<f32>((as<u32>(x) & 0x7fffffffu) | ((as<u32>(a) ^ as<u32>(b)) & 0x80000000u));
}

template <class T> FN bool ptx_is_finite(T x) { return __builtin_isfinite(x); }

template <class T> FN bool ptx_is_infinite(T x) { return __builtin_isinf(x); }

template <class T> FN bool ptx_is_number(T x) { return x == x; }

template <class T> FN bool ptx_is_notanumber(T x) { return x != x; }

template <class T> FN bool ptx_is_normal(T x) { return __builtin_isfinite(x) && (x == 0 || __builtin_isnormal(x)); }

template <class T> FN bool ptx_is_subnormal(T x) { return x != 0 && __builtin_isfinite(x) && !__builtin_isnormal(x); }
