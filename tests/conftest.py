"""What must be set before any test of a process loads the emulated device."""

from __future__ import annotations

import os

# The library reads this when it is loaded: a kernel that never ends is stopped, whichever test came first.
os.environ.setdefault("CASS_EMU_LIMIT", "20000000")
# Daemons of tests do what they are asked and nothing behind it, which would be counted, and slow the next test.
os.environ.setdefault("CASS_BEHIND", "0")
