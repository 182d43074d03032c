"""MIMG: images and samplers. Columns: opcode, name. Refused: packed formats, depth comparison, ray tracing."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "MIMG",
    """
   0  image_load
   1  image_load_mip
   2  image_load_pck !
   3  image_load_pck_sgn !
   4  image_load_mip_pck !
   5  image_load_mip_pck_sgn !
   6  image_store
   7  image_store_mip
   8  image_store_pck !
   9  image_store_mip_pck !
  10  image_atomic_swap
  11  image_atomic_cmpswap
  12  image_atomic_add
  13  image_atomic_sub
  14  image_atomic_smin
  15  image_atomic_umin
  16  image_atomic_smax
  17  image_atomic_umax
  18  image_atomic_and
  19  image_atomic_or
  20  image_atomic_xor
  21  image_atomic_inc
  22  image_atomic_dec
  23  image_get_resinfo
  24  image_msaa_load !
  25  image_bvh_intersect_ray !
  26  image_bvh64_intersect_ray !
  27  image_sample
  28  image_sample_d
  29  image_sample_l
  30  image_sample_b
  31  image_sample_lz
  32  image_sample_c !
  33  image_sample_c_d !
  34  image_sample_c_l !
  35  image_sample_c_b !
  36  image_sample_c_lz !
  37  image_sample_o
  38  image_sample_d_o
  39  image_sample_l_o
  40  image_sample_b_o
  41  image_sample_lz_o
  42  image_sample_c_o !
  43  image_sample_c_d_o !
  44  image_sample_c_l_o !
  45  image_sample_c_b_o !
  46  image_sample_c_lz_o !
  47  image_gather4
  48  image_gather4_l
  49  image_gather4_b
  50  image_gather4_lz
  51  image_gather4_c !
  52  image_gather4_c_lz !
  53  image_gather4_o
  54  image_gather4_lz_o
  55  image_gather4_c_lz_o !
  56  image_get_lod
  57  image_sample_d_g16
  58  image_sample_c_d_g16 !
  59  image_sample_d_o_g16
  60  image_sample_c_d_o_g16 !
  64  image_sample_cl
  65  image_sample_d_cl
  66  image_sample_b_cl
  67  image_sample_c_cl !
  68  image_sample_c_d_cl !
  69  image_sample_c_b_cl !
  70  image_sample_cl_o
  71  image_sample_d_cl_o
  72  image_sample_b_cl_o
  73  image_sample_c_cl_o !
  74  image_sample_c_d_cl_o !
  75  image_sample_c_b_cl_o !
  84  image_sample_c_d_cl_g16 !
  85  image_sample_d_cl_o_g16
  86  image_sample_c_d_cl_o_g16 !
  95  image_sample_d_cl_g16
  96  image_gather4_cl
  97  image_gather4_b_cl
  98  image_gather4_c_cl !
  99  image_gather4_c_l !
 100  image_gather4_c_b !
 101  image_gather4_c_b_cl !
 144  image_gather4h !
""",
)
