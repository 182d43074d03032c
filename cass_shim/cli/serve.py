"""`cass cache serve`: a server for the team, from what is installed: bazel-remote, or nginx.

In: options. Out: that server in this process's place, until it is stopped.
"""

from __future__ import annotations

import ipaddress
import os
import pwd
import re
import shutil
from pathlib import Path

import click

from cass_shim.cli.pack import say
from cass_shim.model.errors import CassError

SEARCH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/usr/local/sbin"
ADDRESS = re.compile(r"([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]):([0-9]{1,5})")
PLAIN_PATH = re.compile(r"[A-Za-z0-9_./+-]+")  # what needs no quoting in nginx's language

# Objects are named by their digest, so PUT is all a writer needs; a PUT is a temporary file and a rename.
NGINX = """\
daemon off;
pid nginx.pid;
worker_processes 2;
error_log stderr warn;
{user}events {{ worker_connections 512; }}
http {{
    access_log off;
    client_max_body_size 300m;
    client_body_temp_path body;
    proxy_temp_path unused; fastcgi_temp_path unused; uwsgi_temp_path unused; scgi_temp_path unused;
    default_type application/octet-stream;
    server {{
        listen {address};
        location ~ ^/(quarantine/)?(ac|cas)/[0-9a-f]+$ {{
            root {root};
            dav_methods PUT;
            create_full_put_path on;
            dav_access user:rw group:r all:r;
            limit_except GET HEAD {{
{writers}
                deny all;
            }}
        }}
        location / {{ return 404; }}
    }}
}}
"""


def nginx_configuration(directory: Path, address: str, writers: tuple[str, ...]) -> str:
    """The whole configuration: everybody may read, `writers` may write."""
    if not PLAIN_PATH.fullmatch(str(directory)):
        raise CassError(f"{directory}: nginx needs a path of letters, digits and _./+- only")
    # Started by root, nginx hands its workers to another user, who could not write here.
    user = f"user {pwd.getpwuid(directory.stat().st_uid).pw_name};\n" if os.geteuid() == 0 else ""
    allowed = "\n".join(f"                allow {one};" for one in writers)
    return NGINX.format(user=user, address=address, root=directory / "store", writers=allowed)


def networks(values: tuple[str, ...]) -> tuple[str, ...]:
    """Addresses and networks as nginx takes them; CassError for anything else."""
    try:
        return tuple(str(ipaddress.ip_network(one, strict=False)) for one in values)
    except ValueError as error:
        raise CassError(f"--writers: {error}; expected an address or a network such as 10.0.0.0/8") from error


def command_for(server: str, directory: Path, address: str, gibibytes: int, writers: tuple[str, ...]) -> list[str]:
    """The command line of a known server; writes nginx's configuration where it is the one."""
    path = shutil.which(server, path=SEARCH)
    if path is None:
        raise CassError(f"{server} is not installed")
    if server == "bazel-remote":
        if writers:
            raise CassError("--writers is for nginx; bazel-remote has --htpasswd_file (start it yourself for that)")
        limits = ["--dir", str(directory), "--max_size", str(gibibytes), "--disable_http_ac_validation"]
        return [path, *limits, "--http_address", address, "--grpc_address", "none"]
    (directory / "store").mkdir(mode=0o755, exist_ok=True)
    configuration = directory / "nginx.conf"
    configuration.write_text(nginx_configuration(directory, address, writers or ("127.0.0.1/32", "::1/128")))
    return [path, "-p", str(directory), "-c", str(configuration), "-e", "stderr"]


@click.command("serve")
@click.option("--directory", type=click.Path(path_type=Path), default=Path("cass-cache"), help="Where it keeps things.")
@click.option("--listen", default="127.0.0.1:8980", help="HOST:PORT to answer at.")
@click.option("--size", default=10, help="GiB to keep at most (bazel-remote; nginx has no limit).")
@click.option("--server", type=click.Choice(["auto", "bazel-remote", "nginx"]), default="auto")
@click.option("--writers", multiple=True, help="Address or network that may write (nginx); default this machine.")
def serve_command(directory: Path, listen: str, size: int, server: str, writers: tuple[str, ...]) -> None:
    """Start a server for the team's translations in the foreground.

    It adds nothing to trust: desks use what keys they trust have signed, whoever runs the server. For more than a
    trusted network put TLS before it.
    """
    match = ADDRESS.fullmatch(listen)
    if not match or not 0 < int(match[2]) < 1 << 16:
        raise CassError(f"--listen {listen}: expected HOST:PORT")
    allowed = networks(writers)
    choices = ("bazel-remote", "nginx") if server == "auto" else (server,)
    found = [one for one in choices if shutil.which(one, path=SEARCH)]
    if not found:
        raise CassError(
            f"{' and '.join(choices)} not installed (Debian: nginx-light; bazel-remote is one static binary); "
            "a shared directory in CASS_REMOTES needs no server"
        )
    try:
        directory.mkdir(mode=0o755, parents=True, exist_ok=True)
        command = command_for(found[0], directory.resolve(), listen, size, allowed)
    except OSError as error:
        raise CassError(f"{directory}: {error.strerror or error}") from error
    say(f"{found[0]} serves {directory}; on the desks: CASS_REMOTES=http://{listen}")
    os.execv(command[0], command)
