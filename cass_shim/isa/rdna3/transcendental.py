"""Transcendental instructions of gfx1100, whose results vector instructions must not read too soon.

Source: LLVM's GCNHazardRecognizer, whose hazard VALUTransUse gfx1100 to gfx1103 have, and SIInstrInfo's TRANS.
"""

from __future__ import annotations

PREFIXES = ("v_exp_f", "v_log_f", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_")
VECTORS_BETWEEN = 5  # with more vector instructions between the two, or more transcendental ones, all is well
TRANSCENDENTALS_BETWEEN = 1
WAIT = 0xFFF  # s_waitcnt_depctr with va_vdst, bits 12 to 15, of 0


def is_transcendental(name: str) -> bool:
    """By the instruction's name."""
    return name.startswith(PREFIXES)
