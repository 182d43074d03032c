"""DS: local data share. Columns: opcode, name."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "DS",
    """
   0  ds_add_u32
   1  ds_sub_u32
   2  ds_rsub_u32
   3  ds_inc_u32
   4  ds_dec_u32
   5  ds_min_i32
   6  ds_max_i32
   7  ds_min_u32
   8  ds_max_u32
   9  ds_and_b32
  10  ds_or_b32
  11  ds_xor_b32
  12  ds_mskor_b32
  13  ds_store_b32
  14  ds_store_2addr_b32
  15  ds_store_2addr_stride64_b32
  16  ds_cmpstore_b32
  17  ds_cmpstore_f32
  18  ds_min_f32
  19  ds_max_f32
  20  ds_nop =s_nop
  21  ds_add_f32
  24  ds_gws_sema_release_all !
  25  ds_gws_init !
  26  ds_gws_sema_v !
  27  ds_gws_sema_br !
  28  ds_gws_sema_p !
  29  ds_gws_barrier !
  30  ds_store_b8
  31  ds_store_b16
  32  ds_add_rtn_u32
  33  ds_sub_rtn_u32
  34  ds_rsub_rtn_u32
  35  ds_inc_rtn_u32
  36  ds_dec_rtn_u32
  37  ds_min_rtn_i32
  38  ds_max_rtn_i32
  39  ds_min_rtn_u32
  40  ds_max_rtn_u32
  41  ds_and_rtn_b32
  42  ds_or_rtn_b32
  43  ds_xor_rtn_b32
  44  ds_mskor_rtn_b32
  45  ds_storexchg_rtn_b32
  46  ds_storexchg_2addr_rtn_b32
  47  ds_storexchg_2addr_stride64_rtn_b32
  48  ds_cmpstore_rtn_b32
  49  ds_cmpstore_rtn_f32
  50  ds_min_rtn_f32
  51  ds_max_rtn_f32
  52  ds_wrap_rtn_b32
  53  ds_swizzle_b32
  54  ds_load_b32
  55  ds_load_2addr_b32
  56  ds_load_2addr_stride64_b32
  57  ds_load_i8
  58  ds_load_u8
  59  ds_load_i16
  60  ds_load_u16
  61  ds_consume
  62  ds_append
  63  ds_ordered_count !
  64  ds_add_u64
  65  ds_sub_u64
  66  ds_rsub_u64
  67  ds_inc_u64
  68  ds_dec_u64
  69  ds_min_i64
  70  ds_max_i64
  71  ds_min_u64
  72  ds_max_u64
  73  ds_and_b64
  74  ds_or_b64
  75  ds_xor_b64
  76  ds_mskor_b64
  77  ds_store_b64
  78  ds_store_2addr_b64
  79  ds_store_2addr_stride64_b64
  80  ds_cmpstore_b64
  81  ds_cmpstore_f64
  82  ds_min_f64
  83  ds_max_f64
  96  ds_add_rtn_u64
  97  ds_sub_rtn_u64
  98  ds_rsub_rtn_u64
  99  ds_inc_rtn_u64
 100  ds_dec_rtn_u64
 101  ds_min_rtn_i64
 102  ds_max_rtn_i64
 103  ds_min_rtn_u64
 104  ds_max_rtn_u64
 105  ds_and_rtn_b64
 106  ds_or_rtn_b64
 107  ds_xor_rtn_b64
 108  ds_mskor_rtn_b64
 109  ds_storexchg_rtn_b64
 110  ds_storexchg_2addr_rtn_b64
 111  ds_storexchg_2addr_stride64_rtn_b64
 112  ds_cmpstore_rtn_b64
 113  ds_cmpstore_rtn_f64
 114  ds_min_rtn_f64
 115  ds_max_rtn_f64
 118  ds_load_b64
 119  ds_load_2addr_b64
 120  ds_load_2addr_stride64_b64
 121  ds_add_rtn_f32
 122  ds_add_gs_reg_rtn !
 123  ds_sub_gs_reg_rtn !
 126  ds_condxchg32_rtn_b64
 160  ds_store_b8_d16_hi
 161  ds_store_b16_d16_hi
 162  ds_load_u8_d16
 163  ds_load_u8_d16_hi
 164  ds_load_i8_d16
 165  ds_load_i8_d16_hi
 166  ds_load_u16_d16
 167  ds_load_u16_d16_hi
 173  ds_bvh_stack_rtn_b32 !
 176  ds_store_addtid_b32
 177  ds_load_addtid_b32
 178  ds_permute_b32
 179  ds_bpermute_b32
 222  ds_store_b96
 223  ds_store_b128
 254  ds_load_b96
 255  ds_load_b128
""",
)
