"""The command line, `cass`. Commands are loaded when they are used.

Exit status: 0 done, 1 the answer is no, 2 usage, 125 our own failure (as `env` and `docker` have it).
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping

import click

from cass_shim import __version__
from cass_shim.model.errors import CassError

# command → module below cass_shim.cli that defines it
COMMANDS: Mapping[str, str] = {
    "inspect": "inspect",
    "doctor": "doctor",
    "explain": "explain",
    "run": "explain",
    "precompile": "precompile",
    "disasm": "disasm",
    "view": "view",
    "completion": "completion",
    "man": "manpage",
    "selftest": "selftest",
    "compat": "compat",
    "eval": "eval",
    "extract": "stages",
    "decode": "stages",
    "translate": "stages",
    "assemble": "stages",
    "verify": "stages",
    "capture": "capture",
    "replay": "capture",
    "cache": "cache",
    "daemon": "daemon",
}


class LazyGroup(click.Group):
    """A group whose commands are imported by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*COMMANDS, *super().list_commands(ctx)})

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a command that is written like it for an unknown one."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.exceptions.NoSuchCommand(
                args[0], f"No such command '{args[0]}'; `cass --help` lists them.", possibilities=COMMANDS, ctx=ctx
            )
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module = importlib.import_module(f"cass_shim.cli.{COMMANDS[cmd_name]}")
        command = getattr(module, f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command


@click.group(cls=LazyGroup)
@click.version_option(__version__, prog_name="cass")
def cli() -> None:
    """Run CUDA programs on AMD RDNA3: look into programs, translations and the cache."""


def main() -> None:
    """Entry point of `cass`; an expected failure is one line on stderr."""
    try:
        cli(prog_name="cass")
    except CassError as error:
        print(f"cass: {error}", file=sys.stderr)
        sys.exit(125)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)


if __name__ == "__main__":
    main()
