"""Records that the decoder adds around an instruction: modifiers, DPP, jumps between decoded runs, refusals, checks."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "INTERNAL",
    """
  0  jump
  1  illegal
  2  refused
  3  prep_b32
  4  prep_b64
  5  prep_packed
  6  post_f16
  7  post_f32
  8  post_f64
  9  dpp16
 10  dpp8
 11  dpp_end
 12  copy_b32
 13  copy_b64
 14  vopd_end
 15  post_pkf16
 16  aligned
 17  await
 18  touch
 19  meet
 20  issued
 21  shared
""",
)
