"""Training pairs for a model of our own: small CUDA kernels, their SASS, and RDNA3 assembly of the same meaning.

`python3 -m tools.pairs generate OUT` writes pairs, `python3 -m tools.pairs pack OUT SET` makes the token set that
`tools/train` reads. The source is nvcc's sm_80 machine code as our decoder sees it; the target is what the lifter's
LLVM IR becomes with scheduling and pairing of instructions switched off, because its order then follows the SASS.
Nothing comes from `examples/`, the samples or `tests/corpus`, and what resembles them is left out.
"""
