/* Functions of one C source that two compilations of it must agree on, bit for bit: for gfx1100, a
 * lane an input, and for the host, a loop. Plain C: no intrinsic, no library call but those the
 * compiler makes itself. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef int s32;
typedef unsigned long u64;
typedef long s64;

typedef union {
    u32 bits;
    float value;
} single;
typedef union {
    u64 bits;
    double value;
} wide;

/* A NaN's sign and payload are the processor's own business. */
FUNCTION u32 of_float(float value) {
    single x = {.value = value};
    return value != value ? 0x7fc00000u : x.bits;
}
FUNCTION u64 of_double(double value) {
    wide x = {.value = value};
    return value != value ? 0x7ff8000000000000ul : x.bits;
}
FUNCTION float to_float(u32 bits) {
    single x = {.bits = bits};
    return x.value;
}
FUNCTION double to_double(u64 bits) {
    wide x = {.bits = bits};
    return x.value;
}

FUNCTION u64 divisions(u64 a, u64 b) {
    s32 x = (s32)a, y = (s32)b;
    u64 sum = b ? a / b + (a % b << 1) : a;
    if (y && !(x == -2147483647 - 1 && y == -1)) sum += (u64)(s64)(x / y) * 31 + (u64)(s64)(x % y);
    if ((s64)b && !((s64)a == -9223372036854775807l - 1 && (s64)b == -1))
        sum ^= (u64)((s64)a / (s64)b);
    if ((u16)b) sum += (u16)((u16)a / (u16)b) + (u64)((u8)a * (u8)b);
    return sum;
}
FUNCTION u64 shifts(u64 a, u64 b) {
    u32 n = b & 31, m = b & 63;
    u64 left = a << m, right = a >> m, arithmetic = (u64)((s64)a >> m);
    u32 turned = ((u32)a << n) | ((u32)a >> ((32 - n) & 31));
    return left ^ right * 3 ^ arithmetic * 5 ^ turned ^ (u64)((s32)a >> n) << 7;
}
FUNCTION u64 counts(u64 a, u64 b) {
    u32 x = (u32)a | 1, y = (u32)b | 1;
    return (u64)(__builtin_clz(x) + __builtin_ctz(y) * 64 + __builtin_popcount(x ^ y) * 4096) |
           (u64)__builtin_clzl(a | 1) << 32 | (u64)__builtin_popcountl(a & b) << 40 |
           (u64)__builtin_bitreverse32(x) << 24;
}
FUNCTION u64 products(u64 a, u64 b) {
    unsigned __int128 whole = (unsigned __int128)a * b;
    __int128 with_signs = (__int128)(s64)a * (s64)b;
    return (u64)whole ^ (u64)(whole >> 64) * 3 ^ (u64)(with_signs >> 64) * 7 ^
           (u64)((u32)a * (u64)(u32)b);
}
FUNCTION u64 floats(u64 a, u64 b) {
    float x = to_float((u32)a), y = to_float((u32)b);
    u64 sum = of_float(x + y) ^ (u64)of_float(x * y) << 13 ^ (u64)of_float(x - y) << 29;
    sum += of_float(__builtin_fmaf(x, y, x)) ^ (u64)of_float(x / y) << 17 ^
           (u64)of_float(__builtin_sqrtf(x)) << 32;
    return sum ^ (u64)(x < y) << 3 ^ (u64)(x <= y) << 5 ^ (u64)(x == y) << 7 ^ (u64)(x != y) << 9;
}
FUNCTION u64 doubles(u64 a, u64 b) {
    double x = to_double(a), y = to_double(b);
    u64 sum = of_double(x + y) ^ of_double(x * y) << 13 ^ of_double(x - y) >> 5;
    sum += of_double(__builtin_fma(x, y, x)) ^ of_double(x / y) << 17 ^
           of_double(__builtin_sqrt(x)) >> 3;
    return sum ^ (u64)(x < y) << 3 ^ (u64)(x >= y) << 5;
}
FUNCTION u64 conversions(u64 a, u64 b) {
    float f = to_float((u32)a);
    double d = to_double(b);
    u64 sum =
        of_float((float)(s32)a) ^ (u64)of_float((float)(u32)b) << 8 ^ (u64)of_float((float)a) << 16;
    sum ^= of_double((double)(s64)b) ^ of_double((double)a) << 3 ^ of_double(f) << 7 ^
           (u64)of_float((float)d) << 32;
    if (f > -2e9f && f < 2e9f) sum += (u64)(s64)(s32)f;
    if (d > -9e18 && d < 9e18) sum += (u64)(s64)d;
    if (d > 0 && d < 1.8e19) sum ^= (u64)d;
    return sum;
}
FUNCTION u64 rounding(u64 a, u64 b) {
    float x = to_float((u32)a);
    double y = to_double(b);
    u64 sum = of_float(__builtin_floorf(x)) ^ (u64)of_float(__builtin_ceilf(x)) << 9 ^
              (u64)of_float(__builtin_truncf(x)) << 21;
    sum += of_double(__builtin_floor(y)) ^ of_double(__builtin_ceil(y)) << 9 ^
           of_double(__builtin_rint(y)) >> 7;
    return sum ^ of_float(__builtin_rintf(x)) ^
           (u64)of_float(__builtin_copysignf(x, (float)y)) << 32;
}
FUNCTION u64 halves(u64 a, u64 b) {
    _Float16 x = (_Float16)to_float((u32)a), y = (_Float16)to_float((u32)b);
    return of_float((float)(_Float16)(x + y)) ^ (u64)of_float((float)(_Float16)(x * y)) << 20 ^
           (u64)of_float((float)x) << 32;
}
FUNCTION u64 collatz(u64 a, u64 b) {
    u64 n = (a & 0xffff) + 1, steps = 0;
    while (n != 1 && steps < 400) n = n & 1 ? 3 * n + 1 : n / 2, steps++;
    return steps << 32 | (u32)(n + b);
}
FUNCTION u64 tables(u64 a, u64 b) {
    u32 bins[16], order[16];
    for (u32 i = 0; i < 16; i++) bins[i] = (u32)(a >> (i * 4 & 60)) & 15, order[i] = i;
    for (u32 i = 1; i < 16; i++)
        for (u32 k = i; k && bins[order[k - 1]] > bins[order[k]]; k--) {
            u32 held = order[k];
            order[k] = order[k - 1], order[k - 1] = held;
        }
    u64 sum = b;
    for (u32 i = 0; i < 16; i++) sum = sum * 31 + order[i] * 17 + bins[order[(b >> i) & 15]];
    return sum;
}
FUNCTION u64 machine(u64 a, u64 b) {
    u64 value = b;
    for (u32 i = 0; i < 16; i++) switch (a >> (i * 4) & 15) {
        case 0:
            value += a;
            break;
        case 1:
            value ^= value << 13;
            break;
        case 2:
            value ^= value >> 7;
            break;
        case 3:
            value *= 0x9e3779b97f4a7c15ul;
            break;
        case 4:
            value = (u64)((s64)value >> 3);
            break;
        case 5:
            value = value > a ? value - a : a - value;
            break;
        case 6:
            value |= (u64)i << 40;
            break;
        case 7:
            if (value & 1) continue;
            value /= 10;
            break;
        default:
            value = (value << 1) | (value >> 63);
            break;
        }
    return value;
}

#define EACH(X)                                                                                    \
    X(divisions)                                                                                   \
    X(shifts) X(counts) X(products) X(floats) X(doubles) X(conversions) X(rounding) X(halves)      \
        X(collatz) X(tables) X(machine)
