#define __global__ __attribute__((global))
#define I (__builtin_amdgcn_workgroup_id_x()*256+__builtin_amdgcn_workitem_id_x())
extern "C" {
__global__ void fdiv(const float*a,const float*b,float*o){ o[I]=a[I]/b[I];}
__global__ void ddiv(const double*a,const double*b,double*o){ o[I]=a[I]/b[I];}
__global__ void fsq(const float*a,float*o){ o[I]=__builtin_sqrtf(a[I]);}
__global__ void dsq(const double*a,double*o){ o[I]=__builtin_sqrt(a[I]);}
__global__ void ffma(const float*a,const float*b,const float*c,float*o){ o[I]=__builtin_fmaf(a[I],b[I],c[I]);}
__global__ void hdiv(const _Float16*a,const _Float16*b,_Float16*o){ o[I]=a[I]/b[I];}
__global__ void d2i(const double*a,long*o,unsigned long*u,double*f){ o[I]=(long)a[I]; u[I]=(unsigned long)__builtin_fabs(a[I]); f[I]=(double)o[I]+(double)u[I];}
__global__ void fconv(const float*a,_Float16*o,int*i,float*r){ o[I]=(_Float16)a[I]; i[I]=(int)a[I]; r[I]=__builtin_rintf(a[I])+__builtin_roundf(a[I]);}
}
