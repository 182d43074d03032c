template <class T, class S> FN T as(S x) { return __builtin_bit_cast(T, x); }

#define GLOBAL __attribute__((address_space(1)))

#define SHARED __attribute__((address_space(3)))

#define CONSTANT __attribute__((address_space(4)))

#define LOCAL __attribute__((address_space(5)))

template <class T> struct alignas(2 * sizeof(T)) v2 { T x, y; };

template <class T> struct alignas(4 * sizeof(T)) v4 { T x, y, z, w; };

template <class T> struct alignas(8 * sizeof(T)) v8 { T x, y, z, w, x2, y2, z2, w2; };

template <u32 size, u32 align> struct alignas(align) Block {
    u8 bytes[size];
    template <class T> __attribute__((device)) T &at(u32 offset) { return *(T *)(bytes + offset); }
};

FN f32 ptx_ftz(f32 x) { return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x; }
FN f16 ptx_ftz(f16 x) { return as<u16>(x) & 0x7c00 ? x : as<f16>((u16)(as<u16>(x) & 0x8000)); }
FN f64 ptx_ftz(f64 x) { return __builtin_fabs(x) < 0x1p-1022 ? __builtin_copysign(0.0, x) : x; }

FN f32 ptx_bf16_to_f32(u16 x) { return as<f32>((u32)x << 16); }
