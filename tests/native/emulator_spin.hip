#define __global__ __attribute__((global))
#define TX __builtin_amdgcn_workitem_id_x()
#define BX __builtin_amdgcn_workgroup_id_x()
extern "C" {
// every group waits until all groups have arrived: grid barrier, without sleep
__global__ void gridsync(unsigned*c,unsigned*o,unsigned n){ 
 for(unsigned r=1;r<=3;r++){ __builtin_amdgcn_s_barrier(); if(TX==0){ __hip_atomic_fetch_add(c,1u,__ATOMIC_SEQ_CST,__HIP_MEMORY_SCOPE_AGENT); while(__hip_atomic_load(c,__ATOMIC_SEQ_CST,__HIP_MEMORY_SCOPE_AGENT)<r*n); } __builtin_amdgcn_s_barrier(); }
 if(TX==0) o[BX]=*c; }
// group 0 waits for the last one
__global__ void back(unsigned*f,unsigned*o,unsigned n){ if(BX==0){ while(__hip_atomic_load(f,__ATOMIC_SEQ_CST,__HIP_MEMORY_SCOPE_AGENT)==0) __builtin_amdgcn_s_sleep(1); o[TX]=f[0]; } else if(BX==n-1) __hip_atomic_store(f,7u,__ATOMIC_SEQ_CST,__HIP_MEMORY_SCOPE_AGENT); }
// waves of one group spin on each other
__global__ void waves(unsigned*o){ __attribute__((shared)) static volatile unsigned f[8]; unsigned w=TX>>5; if(TX<8) f[TX]=0; __builtin_amdgcn_s_barrier(); if(w<7) while(f[w+1]==0); if((TX&31)==0) f[w]=w+1; o[TX]=f[w]; }
}
