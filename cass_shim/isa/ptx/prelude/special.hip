FN u32 ptx_tid_x() { return __builtin_amdgcn_workitem_id_x(); }

FN u32 ptx_tid_y() { return __builtin_amdgcn_workitem_id_y(); }

FN u32 ptx_tid_z() { return __builtin_amdgcn_workitem_id_z(); }

FN u32 ptx_ctaid_x() { return __builtin_amdgcn_workgroup_id_x(); }

FN u32 ptx_ctaid_y() { return __builtin_amdgcn_workgroup_id_y(); }

FN u32 ptx_ctaid_z() { return __builtin_amdgcn_workgroup_id_z(); }

template <class T> FN T ptx_hidden(u32 at) {
    return *(const CONSTANT T *)((const CONSTANT u8 *)__builtin_amdgcn_implicitarg_ptr() + at);
}

FN u32 ptx_nctaid_x() { return ptx_hidden<u32>(0); }

FN u32 ptx_nctaid_y() { return ptx_hidden<u32>(4); }

FN u32 ptx_nctaid_z() { return ptx_hidden<u32>(8); }

FN u32 ptx_ntid_x() { return ptx_hidden<u16>(12); }

FN u32 ptx_ntid_y() { return ptx_hidden<u16>(14); }

FN u32 ptx_ntid_z() { return ptx_hidden<u16>(16); }

FN u32 ptx_warp() { return (ptx_tid_x() + ptx_ntid_x() * (ptx_tid_y() + ptx_ntid_y() * ptx_tid_z())) >> 5; }

FN u32 ptx_warps() { return (ptx_ntid_x() * ptx_ntid_y() * ptx_ntid_z() + 31) >> 5; }

FN u32 ptx_smid() { return __builtin_amdgcn_s_getreg(0x1497) * 8 + (__builtin_amdgcn_s_getreg(0x1a97) & 7); }

FN u32 ptx_nsmid() { return 48; }

FN u64 ptx_clock() { return __builtin_readcyclecounter(); }

FN u64 ptx_timer() { return __builtin_readsteadycounter() * 10; }

FN u32 ptx_dynamic_shared() {
    // The hidden argument is there only where a kernel has and uses shared memory that the launch sizes.
    extern __attribute__((shared, aligned(16))) u8 ptx_dynamic_area[];
    asm volatile("" ::"s"((u32)(SHARED u8 *)ptx_dynamic_area));
    return ptx_hidden<u32>(120);
}

FN u32 ptx_total_shared(u32 fixed) {
    // Without what is reserved for the system, in units of 128 bytes from sm_80 on: PTX ISA 9.0 §10.27; an H200 says so.
    return (fixed + ptx_dynamic_shared() + 127) & ~127u;
}
