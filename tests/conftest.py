"""What must be set before any test of a process loads the emulated device."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

# The library reads this when it is loaded: a kernel that never ends is stopped, whichever test came first.
os.environ.setdefault("CASS_EMU_LIMIT", "20000000")
# Daemons of tests do what they are asked and nothing behind it, which would be counted, and slow the next test.
os.environ.setdefault("CASS_BEHIND", "0")
# Most tests have a cache of their own and so a daemon: a hundred that wait for ten minutes fill a machine's memory.
os.environ.setdefault("CASS_IDLE", "20")
# Asked once by the library, too: verification in a test's own process would turn it on for what other tests launch,
# and for their programs. Daemons do not take it over.
os.environ.setdefault("CASS_EMU_WAITS", "0")


@pytest.fixture(autouse=True)
def _settings_of_llvm_stay_what_they_are() -> Iterator[None]:
    """Targets of training pairs are made with options of LLVM that are the whole process's, and later tests' too."""
    yield
    made = sys.modules.get("tools.pairs.targets")
    assert not (made and made._machine.cache_info().currsize), "make targets in a process of their own"
