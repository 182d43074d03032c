// A variable that begins as zeroes, and who writes to it; the command line gives their names.
__device__ int NAME[256];
__global__ void KERNEL(int i) { NAME[i] = i; }
