"""VOP3: vector instructions that only exist with 64 bits. Columns: opcode, name, destination, sources.

The 16-bit sources of v_mad_i32_i16 are typed f16 because hardware applies |x| and -x to their sign bits.
"""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "VOP3",
    """
 521  v_fma_dx9_zero_f32         f32    f32 f32 f32
 522  v_mad_i32_i24              b32    b32 b32 b32
 523  v_mad_u32_u24              b32    b32 b32 b32
 524  v_cubeid_f32               f32    f32 f32 f32
 525  v_cubesc_f32               f32    f32 f32 f32
 526  v_cubetc_f32               f32    f32 f32 f32
 527  v_cubema_f32               f32    f32 f32 f32
 528  v_bfe_u32                  b32    b32 b32 b32
 529  v_bfe_i32                  b32    b32 b32 b32
 530  v_bfi_b32                  b32    b32 b32 b32
 531  v_fma_f32                  f32    f32 f32 f32
 532  v_fma_f64                  f64    f64 f64 f64
 533  v_lerp_u8                  b32    b32 b32 b32
 534  v_alignbit_b32             b32    b32 b32 b16
 535  v_alignbyte_b32            b32    b32 b32 b16
 536  v_mullit_f32               f32    f32 f32 f32
 537  v_min3_f32                 f32    f32 f32 f32
 538  v_min3_i32                 b32    b32 b32 b32
 539  v_min3_u32                 b32    b32 b32 b32
 540  v_max3_f32                 f32    f32 f32 f32
 541  v_max3_i32                 b32    b32 b32 b32
 542  v_max3_u32                 b32    b32 b32 b32
 543  v_med3_f32                 f32    f32 f32 f32
 544  v_med3_i32                 b32    b32 b32 b32
 545  v_med3_u32                 b32    b32 b32 b32
 546  v_sad_u8                   b32    b32 b32 b32
 547  v_sad_hi_u8                b32    b32 b32 b32
 548  v_sad_u16                  b32    pk16 pk16 b32
 549  v_sad_u32                  b32    b32 b32 b32
 550  v_cvt_pk_u8_f32            b32    f32 b32 b32
 551  v_div_fixup_f32            f32    f32 f32 f32
 552  v_div_fixup_f64            f64    f64 f64 f64
 567  v_div_fmas_f32             f32    f32 f32 f32
 568  v_div_fmas_f64             f64    f64 f64 f64
 569  v_msad_u8                  b32    b32 b32 b32
 570  v_qsad_pk_u16_u8           b64    b64 b32 b64
 571  v_mqsad_pk_u16_u8          b64    b64 b32 b64
 573  v_mqsad_u32_u8             b128   b64 b32 b128
 576  v_xor3_b32                 b32    b32 b32 b32
 577  v_mad_u16                  b16    b16 b16 b16
 580  v_perm_b32                 b32    b32 b32 b32
 581  v_xad_u32                  b32    b32 b32 b32
 582  v_lshl_add_u32             b32    b32 b32 b32
 583  v_add_lshl_u32             b32    b32 b32 b32
 584  v_fma_f16                  f16    f16 f16 f16
 585  v_min3_f16                 f16    f16 f16 f16
 586  v_min3_i16                 b16    b16 b16 b16
 587  v_min3_u16                 b16    b16 b16 b16
 588  v_max3_f16                 f16    f16 f16 f16
 589  v_max3_i16                 b16    b16 b16 b16
 590  v_max3_u16                 b16    b16 b16 b16
 591  v_med3_f16                 f16    f16 f16 f16
 592  v_med3_i16                 b16    b16 b16 b16
 593  v_med3_u16                 b16    b16 b16 b16
 595  v_mad_i16                  b16    b16 b16 b16
 596  v_div_fixup_f16            f16    f16 f16 f16
 597  v_add3_u32                 b32    b32 b32 b32
 598  v_lshl_or_b32              b32    b32 b32 b32
 599  v_and_or_b32               b32    b32 b32 b32
 600  v_or3_b32                  b32    b32 b32 b32
 601  v_mad_u32_u16              b32    b16 b16 b32
 602  v_mad_i32_i16              b32    f16 f16 b32
 603  v_permlane16_b32           b32    b32 b32 b32
 604  v_permlanex16_b32          b32    b32 b32 b32
 605  v_cndmask_b16              f16    f16 f16 m
 606  v_maxmin_f32               f32    f32 f32 f32
 607  v_minmax_f32               f32    f32 f32 f32
 608  v_maxmin_f16               f16    f16 f16 f16
 609  v_minmax_f16               f16    f16 f16 f16
 610  v_maxmin_u32               b32    b32 b32 b32
 611  v_minmax_u32               b32    b32 b32 b32
 612  v_maxmin_i32               b32    b32 b32 b32
 613  v_minmax_i32               b32    b32 b32 b32
 614  v_dot2_f16_f16             f16    pkf16 pkf16 f16
 615  v_dot2_bf16_bf16           bf16   pkbf16 pkbf16 bf16
 771  v_add_nc_u16               b16    b16 b16
 772  v_sub_nc_u16               b16    b16 b16
 773  v_mul_lo_u16               b16    b16 b16
 774  v_cvt_pk_i16_f32           pk16   f32 f32
 775  v_cvt_pk_u16_f32           pk16   f32 f32
 777  v_max_u16                  b16    b16 b16
 778  v_max_i16                  b16    b16 b16
 779  v_min_u16                  b16    b16 b16
 780  v_min_i16                  b16    b16 b16
 781  v_add_nc_i16               b16    b16 b16
 782  v_sub_nc_i16               b16    b16 b16
 785  v_pack_b32_f16             b32    f16 f16
 786  v_cvt_pk_norm_i16_f16      pk16   f16 f16
 787  v_cvt_pk_norm_u16_f16      pk16   f16 f16
 796  v_ldexp_f32                f32    f32 b32
 797  v_bfm_b32                  b32    b32 b32
 798  v_bcnt_u32_b32             b32    b32 b32
 799  v_mbcnt_lo_u32_b32         b32    b32 b32
 800  v_mbcnt_hi_u32_b32         b32    b32 b32
 801  v_cvt_pk_norm_i16_f32      pk16   f32 f32
 802  v_cvt_pk_norm_u16_f32      pk16   f32 f32
 803  v_cvt_pk_u16_u32           pk16   b32 b32
 804  v_cvt_pk_i16_i32           pk16   b32 b32
 805  v_sub_nc_i32               b32    b32 b32
 806  v_add_nc_i32               b32    b32 b32
 807  v_add_f64                  f64    f64 f64
 808  v_mul_f64                  f64    f64 f64
 809  v_min_f64                  f64    f64 f64
 810  v_max_f64                  f64    f64 f64
 811  v_ldexp_f64                f64    f64 b32
 812  v_mul_lo_u32               b32    b32 b32
 813  v_mul_hi_u32               b32    b32 b32
 814  v_mul_hi_i32               b32    b32 b32
 815  v_trig_preop_f64           f64    f64 b32
 824  v_lshlrev_b16              b16    b16 b16
 825  v_lshrrev_b16              b16    b16 b16
 826  v_ashrrev_i16              b16    b16 b16
 828  v_lshlrev_b64              b64    b32 b64
 829  v_lshrrev_b64              b64    b32 b64
 830  v_ashrrev_i64              b64    b32 b64
 864  v_readlane_b32             s32    b32 b32
 865  v_writelane_b32            b32    b32 b32
 866  v_and_b16                  b16    b16 b16
 867  v_or_b16                   b16    b16 b16
 868  v_xor_b16                  b16    b16 b16
""",
)
