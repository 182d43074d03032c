"""Hardware vectors for SASS instructions: one instruction at a time, executed on a real NVIDIA GPU.

`forms.py` makes PTX that drives ptxas through as many opcode and modifier forms as it can emit; `collect.py` gathers
one encoding of every form from cubins built here and moves its operands to fixed registers; `probe.py` puts each
into a kernel that loads those registers, executes the one instruction and stores every register it may have written;
`record.py` runs the probes on the GPU. The vectors are in `tests/vectors/sass/`.
"""
