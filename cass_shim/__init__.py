"""Run unmodified CUDA binaries on AMD RDNA3, or on an emulated gfx1100."""

__version__ = "0.1.0"
