"""Facts about RDNA3 instructions: what a real GPU leaves in its registers, one short program per row."""
