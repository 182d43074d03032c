"""What must be set before any test of a process loads the emulated device."""

from __future__ import annotations

import os

# The library reads this when it is loaded: a kernel that never ends is stopped, whichever test came first.
os.environ.setdefault("CASS_EMU_LIMIT", "20000000")
