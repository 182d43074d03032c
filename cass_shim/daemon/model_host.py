"""The process that holds the models of this daemon: started when a kernel is to be asked of one.

It is a child of the daemon and not of a worker, whose memory is limited (CASS_KERNEL_MEMORY): a model of 7 billion
weights takes more. It ends by itself when nobody asks, and is started again by the next kernel.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

from cass_shim.daemon.runtime import PACKAGE_ROOT, socket_path
from cass_shim.model.config import Config

log = logging.getLogger(__name__)

IDLE_S = 120.0  # without a request, after which the models are given up
ROUTE = "cass"


def model_socket(config: Config) -> Path:
    """Where this daemon's models are asked."""
    path = socket_path(config)
    return path.with_name(f"{path.stem}.llm")


class ModelHost:
    """At most one process."""

    def __init__(self, config: Config, idle_s: float = IDLE_S) -> None:
        self.path, self.idle_s = model_socket(config), idle_s
        self.process: subprocess.Popen[bytes] | None = None

    def wanted_by(self, config: Config) -> None:
        """Start it, where this policy asks a model and it does not run. Trouble is a log line: workers say so too."""
        if ROUTE not in config.translator_order or (self.process is not None and self.process.poll() is None):
            return
        command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(PACKAGE_ROOT)!r}); "
                   "from cass_shim.translate.cass.host import main; main()",
                   "--socket", str(self.path), "--idle", f"{self.idle_s:g}"]  # fmt: skip
        try:
            self.path.unlink(missing_ok=True)
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            log.error("no process for the models: %s", error)

    def close(self) -> None:
        """End it."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.path.unlink(missing_ok=True)
