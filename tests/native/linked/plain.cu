// Whole-program code, that is complete by itself.
__global__ void plain(int *p, int v) { p[0] = v + 7; }
