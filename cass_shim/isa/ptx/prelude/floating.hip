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
    return __builtin_fabsf(b) > 0x1p126f && __builtin_fabsf(b) < __builtin_inff() ? a * 0.0f : ptx_div_full(a, b);
}

FN f32 ptx_div_full(f32 a, f32 b) {
    i32 e = __builtin_amdgcn_frexp_expf(b);
    if (__builtin_amdgcn_classf(b, 0x267)) return a * __builtin_amdgcn_rcpf(b);
    f32 r = __builtin_amdgcn_rcpf(__builtin_amdgcn_frexp_mantf(b));
    i32 f = __builtin_amdgcn_frexp_expf(a);
    if (__builtin_amdgcn_classf(a, 0x267)) return a * r;
    return __builtin_amdgcn_ldexpf(__builtin_amdgcn_frexp_mantf(a) * r, f - e);
}

FN f32 ptx_rcp(f32 x) {
    f32 r = __builtin_amdgcn_rcpf(__builtin_amdgcn_frexp_mantf(x));
    return __builtin_amdgcn_classf(x, 0x267) ? __builtin_amdgcn_rcpf(x)
                                             : __builtin_amdgcn_ldexpf(r, -__builtin_amdgcn_frexp_expf(x));
}
FN f64 ptx_high(f64 x) { return as<f64>(as<u64>(x) & ~0xffffffffull); }

FN f64 ptx_rcp_high(f64 x) { return ptx_high(1.0 / ptx_high(x)); }

FN f64 ptx_rsqrt_high(f64 x) { return ptx_high(1.0 / __builtin_sqrt(ptx_high(x))); }


FN f32 ptx_sqrt(f32 x) {
    bool tiny = x < 0x1p-96f;
    f32 r = __builtin_amdgcn_sqrtf(tiny ? x * 0x1p32f : x);
    return tiny ? r * 0x1p-16f : r;
}

FN f32 ptx_rsqrt(f32 x) {
    bool tiny = x < 0x1p-96f;
    f32 r = __builtin_amdgcn_rsqf(tiny ? x * 0x1p32f : x);
    return tiny ? r * 0x1p16f : r;
}
FN f64 ptx_rsqrt(f64 x) { return 1.0 / __builtin_sqrt(x); }

FN f32 ptx_turns(f32 x) {
    f32 turns = x * 0.15915494f;
    return __builtin_fabsf(turns) <= 256.0f ? turns : __builtin_amdgcn_fractf(turns);
}

FN f32 ptx_sin(f32 x) { return __builtin_amdgcn_sinf(ptx_turns(x)); }

FN f32 ptx_cos(f32 x) { return __builtin_amdgcn_cosf(ptx_turns(x)); }

FN f32 ptx_lg2(f32 x) {
    bool tiny = x < 0x1p-126f;
    f32 r = __builtin_amdgcn_logf(tiny ? x * 0x1p32f : x);
    return tiny ? r - 32.0f : r;
}

FN f32 ptx_ex2(f32 x) {
    bool low = x < -126.0f;
    f32 r = __builtin_amdgcn_exp2f(low ? x + 64.0f : x);
    return low ? r * 0x1p-64f : r;
}

FN f32 ptx_tanh(f32 x) {
    f32 a = __builtin_fabsf(x);
    f32 e = __builtin_amdgcn_exp2f(a * 2.8853901f);
    f32 t = a < 0x1p-7f ? a - a * a * a * 0.33333333f : 1.0f - 2.0f * __builtin_amdgcn_rcpf(e + 1.0f);
    return x != x ? x : __builtin_copysignf(t, x);
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
