"""Sets up, shows, tests and measures the project. `python3 -m tools.NAME` goes on in the checkout's environment.

What sets the environment up (`tools/__main__.py` says which commands) runs in any Python; the others need its packages,
and the pages name them as they are typed from a shell, in which that environment need not be active.
"""

from __future__ import annotations

import importlib.util
import os
import sys


def go_on_in_the_environment() -> None:
    """Start this command again by the environment's Python, where this one lacks the requirements."""
    from tools import environment

    if importlib.util.find_spec("elftools") is None and environment.python().exists():
        os.execv(environment.python(), [str(environment.python()), *sys.orig_argv[1:]])


OWN = ("tools.train",)  # which asks for torch, on machines that need nothing else
if sys.orig_argv[1:2] == ["-m"] and sys.orig_argv[2].startswith("tools.") and not sys.orig_argv[2].startswith(OWN):
    go_on_in_the_environment()
