"""The RDNA3 side of a proof: gfx1100 machine code decoded to operands, its meanings on terms, a wave that runs it."""
