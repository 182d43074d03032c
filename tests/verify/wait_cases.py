"""Hand-written code with its waits and with each way of forgetting one.

For the check of the code (tests/verify) and for the emulated device where results come late (tests/native).
"""

from __future__ import annotations

GOOD = {
    "scalar load": "s_load_b64 s[4:5], s[0:1], 0\ns_waitcnt lgkmcnt(0)\ns_add_u32 s6, s4, s5",
    "the older of two": """global_load_b32 v1, v[2:3], off
        global_load_b32 v4, v[2:3], off offset:4
        s_waitcnt vmcnt(1)
        v_mov_b32 v5, v1
        s_waitcnt vmcnt(0)
        v_mov_b32 v5, v4""",
    "both sides wait": """global_load_b32 v1, v[2:3], off
        s_cbranch_scc0 other
        s_waitcnt vmcnt(0)
        s_branch join
        other:
        s_waitcnt vmcnt(0)
        join:
        v_mov_b32 v5, v1""",
    "LDS in order": "ds_load_b32 v1, v0\nds_load_b32 v2, v0 offset:4\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v1",
    "address is free again": "global_load_b32 v1, v[2:3], off\nv_mov_b32 v2, 0",
    "two LDS addresses take one register each": """global_load_b32 v1, v[2:3], off
        global_load_b32 v4, v[2:3], off
        global_load_b32 v5, v[2:3], off
        s_waitcnt vmcnt(1)
        ds_store_2addr_b32 v0, v4, v1 offset1:1
        s_waitcnt vmcnt(0)
        v_mov_b32 v6, v5""",
    "a swizzle has no data": "global_load_b32 v0, v[2:3], off\nds_swizzle_b32 v5, v1 offset:0x401f",
    "an image load counts": """global_load_b32 v1, v[2:3], off
        image_load v[4:7], v[8:9], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm
        s_waitcnt vmcnt(1)
        v_mov_b32 v2, v1
        s_waitcnt vmcnt(0)
        v_mov_b32 v2, v7""",
    "an image store does not": """global_load_b32 v1, v[2:3], off
        image_store v[4:7], v8, s[4:11] dmask:0xf dim:SQ_RSRC_IMG_1D unorm
        v_mov_b32 v4, 0
        s_waitcnt vmcnt(0)
        v_mov_b32 v2, v1""",
    "an upper half is not the register 128 above": """global_load_b32 v163, v[2:3], off
        v_mov_b16_e32 v35.h, v36.h
        v_add_f16_e32 v1.l, v35.h, v35.h
        v_cmp_lt_f16_e32 v35.h, v35.h""",
    "fmac has no third source": """s_load_b64 s[0:1], s[16:17], 0
        v_fmac_f32_e64 v3, 0x4f800000, 0x4f800000
        s_waitcnt lgkmcnt(0)
        s_add_u32 s6, s0, s1""",
    "stores before a barrier": """global_load_b32 v6, v[2:3], off
        ds_store_b32 v0, v0
        global_store_b32 v[2:3], v0, off
        s_waitcnt lgkmcnt(0)
        s_waitcnt_vscnt null, 0
        s_barrier
        s_waitcnt vmcnt(0)""",
    "loads into one register in order": """global_load_b32 v6, v[2:3], off
        global_load_b32 v6, v[2:3], off offset:4
        s_waitcnt vmcnt(0)
        v_mov_b32 v7, v6""",
    "dual issue without a second source": """global_load_b32 v0, v[2:3], off
        v_dual_mov_b32 v4, v5 :: v_dual_mov_b32 v7, v6""",
}
BAD = {
    "a wait as long as a register says": (  # s_waitcnt_vmcnt s4, 0, which LLVM's assembler does not write
        "s_mov_b32 s4, 5\nglobal_load_b32 v1, v[2:3], off\n.long 0xbc840000\nv_mov_b32 v5, v1",
        "v1 is touched",
    ),
    "fmac adds to its destination": ("global_load_b32 v3, v[4:5], off\nv_fmac_f32_e64 v3, s2, 2.0", "v3 is touched"),
    "upper half as a source": ("global_load_b32 v35, v[2:3], off\nv_mov_b16_e32 v1.l, v35.h", "v35 is touched"),
    "upper half as a second source": ("global_load_b32 v35, v[2:3], off\nv_add_f16_e32 v1.l, v1.l, v35.h", "v35 is"),
    "upper half of a comparison": ("global_load_b32 v35, v[2:3], off\nv_cmp_lt_f16_e32 v35.h, v1.l", "v35 is touched"),
    "upper half written": ("global_load_b32 v35, v[2:3], off\nv_mov_b16_e32 v35.h, v1.l", "v35 is touched"),
    "half with DPP": (
        "global_load_b32 v35, v[2:3], off\nv_mov_b16_dpp v1.l, v35.h quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
        "v35 is touched",
    ),
    "the other half of what is loaded": (
        "global_load_d16_b16 v35, v[2:3], off\nv_mov_b16_e32 v1.l, v35.h",
        "v35 is touched",
    ),
    "sampled channel": (
        "image_sample_lz v[4:5], [v0, v3], s[4:11], s[12:15] dmask:0x3 dim:SQ_RSRC_IMG_2D\nv_mov_b32 v2, v5",
        "v5 is touched",
    ),
    "gathered texels": (
        "image_gather4_lz v[4:7], v[0:1], s[4:11], s[12:15] dmask:0x1 dim:SQ_RSRC_IMG_2D\nv_mov_b32 v2, v7",
        "v7 is touched",
    ),
    "address of an image": (
        "global_load_b32 v3, v[0:1], off\nimage_sample_lz v4, [v0, v3], s[4:11], s[12:15] dmask:0x1 dim:SQ_RSRC_IMG_2D",
        "v3 is touched",
    ),
    "descriptor of an image": (
        "s_load_b256 s[4:11], s[0:1], 0\nimage_load v4, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm",
        "s4 is touched",
    ),
    "data of an image store": (
        "global_load_b32 v5, v[0:1], off\nimage_store v[4:5], v0, s[4:11] dmask:0x3 dim:SQ_RSRC_IMG_1D unorm",
        "v5 is touched",
    ),
    "scalar load": ("s_load_b64 s[4:5], s[0:1], 0\ns_add_u32 s6, s4, s5", "s4 is touched"),
    "second word": ("s_load_b64 s[4:5], s[0:1], 0\ns_mov_b32 s6, s5", "s5 is touched"),
    "scalar loads come in any order": (
        "s_load_b32 s4, s[0:1], 0\ns_load_b32 s5, s[0:1], 4\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s6, s4",
        "s4 is touched",
    ),
    "the younger of two": (
        "global_load_b32 v1, v[2:3], off\nglobal_load_b32 v4, v[2:3], off\ns_waitcnt vmcnt(1)\nv_mov_b32 v5, v4",
        "v4 is touched",
    ),
    "overwritten": ("global_load_b128 v[4:7], v[2:3], off\nv_mov_b32 v7, 0", "v7 is touched"),
    "wrong counter": ("global_load_b32 v1, v[2:3], off\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v5, v1", "vmcnt"),
    "one side only": (
        "global_load_b32 v1, v[2:3], off\ns_cbranch_scc0 join\ns_waitcnt vmcnt(0)\njoin:\nv_mov_b32 v5, v1",
        "v1 is touched",
    ),
    "round a loop": (
        "again:\nv_mov_b32 v5, v1\nglobal_load_b32 v1, v[2:3], off\ns_cbranch_scc0 again",
        "v1 is touched",
    ),
    "stored": ("ds_load_b32 v1, v0\nglobal_store_b32 v[2:3], v1, off", "v1 is touched"),
    "as an LDS store's second value": (
        "global_load_b32 v1, v[2:3], off\nds_store_2addr_b32 v0, v4, v1 offset1:1",
        "v1 is touched",
    ),
    "as an LDS exchange's new value": (
        "global_load_b32 v1, v[2:3], off\nds_cmpstore_b32 v0, v4, v1",
        "v1 is touched",
    ),
    "as a scalar address": ("s_load_b64 s[4:5], s[0:1], 0\ns_load_b32 s6, s[4:5], 0", "s4 is touched"),
    "as a scalar offset": ("s_load_b32 s4, s[0:1], 0\ns_load_b32 s6, s[0:1], s4", "s4 is touched"),
    "as an address": ("global_load_b64 v[2:3], v[4:5], off\nglobal_load_b32 v1, v[2:3], off", "v2 is touched"),
    "atomic with a result": (
        "global_atomic_add_u32 v1, v[2:3], v4, off glc\nv_mov_b32 v5, v1",
        "v1 is touched",
    ),
    "flat needs both counters": (
        "flat_load_b32 v1, v[2:3]\ns_waitcnt vmcnt(0)\nv_mov_b32 v5, v1",
        "lgkmcnt",
    ),
    "DPP source": (
        "global_load_b32 v1, v[2:3], off\nv_mov_b32_dpp v5, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
        "v1 is touched",
    ),
    "LDS behind a scalar load": (
        "ds_load_b32 v6, v0\ns_load_b32 s6, s[0:1], 0\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v7, v6",
        "v6 is touched at|v6 is touched before",
    ),
    "a scalar register filled twice": (
        "s_load_b32 s6, s[0:1], 0\ns_load_b32 s6, s[0:1], 4\ns_waitcnt lgkmcnt(0)",
        "s6 is loaded again",
    ),
    "filled from memory and from LDS": (
        "global_load_b32 v6, v[2:3], off\nds_load_b32 v6, v0\ns_waitcnt vmcnt(0) lgkmcnt(0)",
        "v6 is loaded again",
    ),
    "LDS stored before a barrier": ("ds_store_b32 v0, v0\ns_barrier", "barrier.* before lgkmcnt"),
    "stored in the turn before": (
        "again:\ns_barrier\nds_store_b32 v0, v0\ns_cbranch_scc0 again",
        "barrier.* before lgkmcnt",
    ),
    "memory stored before a barrier": (
        "global_store_b32 v[2:3], v0, off\ns_waitcnt lgkmcnt(0)\ns_barrier",
        "barrier.* before vscnt",
    ),
    "an atomic before a barrier": ("global_atomic_add_u32 v[2:3], v0, off\ns_barrier", "barrier.* before vscnt"),
    "a generic store before a barrier": (
        "flat_store_b32 v[2:3], v0\ns_waitcnt_vscnt null, 0\ns_barrier",
        "barrier.* before lgkmcnt",
    ),
    "a branch on VCC": ("s_load_b32 vcc_lo, s[0:1], 0\ns_cbranch_vccz over\nover:", "s106 is touched"),
    "a matrix": (
        "ds_load_b32 v20, v0\nv_wmma_f32_16x16x16_f16 v[24:31], v[8:15], v[16:23], v[24:31]",
        "v20 is touched",
    ),
    "a message's answer": (
        "s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)\ns_mov_b32 s8, s7",
        "s7 is touched",
    ),
    "a buffer": ("buffer_load_b32 v6, v0, s[20:23], 0 offen\nv_mov_b32 v7, v6", "v6 is touched"),
    "a buffer's resource": (
        "s_load_b128 s[20:23], s[0:1], 0\nbuffer_load_b32 v6, v0, s[20:23], 0 offen",
        "s20 is touched",
    ),
}
