"""Random, well-defined CUDA kernels from a seed, in the spirit of Csmith: no race, no undefined behaviour.

`python3 -m tools.kernelgen --seed 7 --count 200 > unit.cu` writes one translation unit that runs every kernel and
prints one digest per kernel and input seed. What a kernel computes does not depend on warp order or on the compiler:
integers wrap in unsigned types, floats use exactly rounded intrinsics, NaNs are made canonical before they are stored,
loops are bounded, indices are masked, barriers and cross-lane operations stand where control flow is uniform.
"""
