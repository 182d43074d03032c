"""Answers asked for ahead do not hold up the end of the process (`test_evaluate` has what they are)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time


def test_ctrl_c_does_not_wait_for_a_slow_server() -> None:
    code = (
        "import signal, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell without job control lets it be ignored
        "from cass_shim.compat.ahead import Ahead\n"
        "from cass_shim.translate.cass.models import Decoding\n"
        "class Model:\n"
        "    identity, window = 'm', 1\n"
        "    def generate(self, messages, decoding):\n"
        "        print('asked', flush=True); time.sleep(600)\n"
        "ahead = Ahead(Model(), ['a', 'b'], [Decoding()])\n"
        "time.sleep(600)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline().startswith("asked")
    began = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in err
    assert process.returncode != 0 and time.monotonic() - began < 30
