"""VOP1: vector instructions with one source; as VOP3 the opcode is 0x180 higher.

Columns: opcode, name, destination, source.
"""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "VOP1",
    """
   0  v_nop                      -
   1  v_mov_b32                  b32    b32
   2  v_readfirstlane_b32        s32    b32
   3  v_cvt_i32_f64              b32    f64
   4  v_cvt_f64_i32              f64    b32
   5  v_cvt_f32_i32              f32    b32
   6  v_cvt_f32_u32              f32    b32
   7  v_cvt_u32_f32              b32    f32
   8  v_cvt_i32_f32              b32    f32
  10  v_cvt_f16_f32              f16    f32
  11  v_cvt_f32_f16              f32    f16
  12  v_cvt_nearest_i32_f32      b32    f32
  13  v_cvt_floor_i32_f32        b32    f32
  14  v_cvt_off_f32_i4           f32    b32
  15  v_cvt_f32_f64              f32    f64
  16  v_cvt_f64_f32              f64    f32
  17  v_cvt_f32_ubyte0           f32    b32
  18  v_cvt_f32_ubyte1           f32    b32
  19  v_cvt_f32_ubyte2           f32    b32
  20  v_cvt_f32_ubyte3           f32    b32
  21  v_cvt_u32_f64              b32    f64
  22  v_cvt_f64_u32              f64    b32
  23  v_trunc_f64                f64    f64
  24  v_ceil_f64                 f64    f64
  25  v_rndne_f64                f64    f64
  26  v_floor_f64                f64    f64
  27  v_pipeflush                - =v_nop
  28  v_mov_b16                  b16    b16
  32  v_fract_f32                f32    f32
  33  v_trunc_f32                f32    f32
  34  v_ceil_f32                 f32    f32
  35  v_rndne_f32                f32    f32
  36  v_floor_f32                f32    f32
  37  v_exp_f32                  f32    f32 ~1
  39  v_log_f32                  f32    f32 ~1
  42  v_rcp_f32                  f32    f32 ~1
  43  v_rcp_iflag_f32            f32    f32 ~1
  46  v_rsq_f32                  f32    f32 ~1
  47  v_rcp_f64                  f64    f64 ~1
  49  v_rsq_f64                  f64    f64 ~1
  51  v_sqrt_f32                 f32    f32 ~1
  52  v_sqrt_f64                 f64    f64 ~1
  53  v_sin_f32                  f32    f32 ~1
  54  v_cos_f32                  f32    f32 ~1
  55  v_not_b32                  b32    b32
  56  v_bfrev_b32                b32    b32
  57  v_clz_i32_u32              b32    b32
  58  v_ctz_i32_b32              b32    b32
  59  v_cls_i32                  b32    b32
  60  v_frexp_exp_i32_f64        b32    f64
  61  v_frexp_mant_f64           f64    f64
  62  v_fract_f64                f64    f64
  63  v_frexp_exp_i32_f32        b32    f32
  64  v_frexp_mant_f32           f32    f32
  66  v_movreld_b32              b32    b32
  67  v_movrels_b32              b32    b32
  68  v_movrelsd_b32             b32    b32
  72  v_movrelsd_2_b32           b32    b32
  80  v_cvt_f16_u16              f16    b16
  81  v_cvt_f16_i16              f16    b16
  82  v_cvt_u16_f16              b16    f16
  83  v_cvt_i16_f16              b16    f16
  84  v_rcp_f16                  f16    f16 ~1
  85  v_sqrt_f16                 f16    f16 ~1
  86  v_rsq_f16                  f16    f16 ~1
  87  v_log_f16                  f16    f16 ~1
  88  v_exp_f16                  f16    f16 ~1
  89  v_frexp_mant_f16           f16    f16
  90  v_frexp_exp_i16_f16        b16    f16
  91  v_floor_f16                f16    f16
  92  v_ceil_f16                 f16    f16
  93  v_trunc_f16                f16    f16
  94  v_rndne_f16                f16    f16
  95  v_fract_f16                f16    f16
  96  v_sin_f16                  f16    f16 ~1
  97  v_cos_f16                  f16    f16 ~1
  98  v_sat_pk_u8_i16            b16    pk16
  99  v_cvt_norm_i16_f16         b16    f16
 100  v_cvt_norm_u16_f16         b16    f16
 101  v_swap_b32                 b32    b32
 102  v_swap_b16                 b16    b16
 103  v_permlane64_b32           b32    b32
 104  v_swaprel_b32              b32    b32
 105  v_not_b16                  b16    b16
 106  v_cvt_i32_i16              b32    b16
 107  v_cvt_u32_u16              b32    b16
""",
)
