"""`python -m cass_shim.daemon`: started by a CUDA program's client or by `cass daemon start`, never by hand.

--serve --socket PATH [--ready-fd N]    the user's daemon
--inline                                a private translator on descriptor 0
"""

from __future__ import annotations

import argparse
import logging
import os
import socket
import sys
from pathlib import Path

from cass_shim.model.config import FIELDS, Config, Scope, variable
from cass_shim.model.errors import CassError

LOG_LIMIT = 4 << 20  # bytes; a longer log is begun anew


def forget_policy() -> None:
    """Requests bring their own policy; the starter's must not become everybody's."""
    for name, one in FIELDS.items():
        if one.metadata["scope"] is Scope.REQUEST:
            os.environ.pop(variable(name), None)
    os.environ.pop("CASS_EMU_WAITS", None)  # of that program's launches; candidates run with it always


def open_log(path: Path) -> None:
    """Log to a file beside the socket; without one, to nowhere."""
    try:
        mode = "w" if path.exists() and path.stat().st_size > LOG_LIMIT else "a"
        handler: logging.Handler = logging.FileHandler(path, mode)
    except OSError:
        handler = logging.NullHandler()
    form = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, handlers=[handler], format=form)


def main() -> None:
    """Parse the arguments and serve; an expected error is one log line and exit 1."""
    parser = argparse.ArgumentParser(prog="cass_shim.daemon", description=__doc__)
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--inline", action="store_true")
    parser.add_argument("--socket", type=Path, default=Path())
    parser.add_argument("--ready-fd", type=int, default=-1)
    arguments = parser.parse_args()
    forget_policy()
    open_log(arguments.socket.with_name(arguments.socket.name + ".log") if arguments.serve else Path(os.devnull))
    from cass_shim.daemon.server import refuse, serve, serve_inline

    try:
        if not arguments.inline:
            serve(Config.read(), arguments.socket, arguments.ready_fd)
            return
        connection = socket.socket(fileno=0)
        try:
            config = Config.read()
        except CassError as error:
            refuse(connection, str(error))
            raise
        serve_inline(config, connection)
    except (CassError, OSError) as error:
        logging.error("%s", error)
        sys.exit(1)


if __name__ == "__main__":
    main()
