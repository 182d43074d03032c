"""The command lines as data, for shell completion and man pages: `cass` from its click commands, `cass-run` from the
settings that its C code is generated from.

In: nothing. Out: a tree of `Command`s.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field

import click

from cass_shim.model.config import FIELDS, LAUNCHER_EXIT, LAUNCHER_PURPOSE, SWITCHES, variable

FOLDER_OR_FILE = frozenset(
    {"keep", "cache_dir", "hip_library", "runtime_dir", "python", "trace_file", "model", "capture_dir"}
)


@dataclass(frozen=True)
class Option:
    """names: "--kernel", "-k". takes: whether a value follows as the next word. files: it is a path."""

    names: tuple[str, ...]
    text: str
    metavar: str = ""
    takes: bool = False
    choices: tuple[str, ...] = ()
    files: bool = False
    default: str = ""


@dataclass(frozen=True)
class Argument:
    """A word by its place. rest: everything behind it is another program's."""

    name: str
    files: bool
    many: bool = False
    required: bool = True
    rest: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Command:
    """path: "cass cache push". text: its description, paragraphs apart by blank lines."""

    path: str
    text: str
    options: tuple[Option, ...] = ()
    arguments: tuple[Argument, ...] = ()
    commands: tuple[Command, ...] = field(default=())

    @property
    def name(self) -> str:
        return self.path.split()[-1]

    @property
    def summary(self) -> str:
        """The first sentence."""
        first = " ".join(self.text.split("\n\n")[0].split())
        return first.split(". ")[0].rstrip(".")

    def walk(self) -> Iterator[Command]:
        """This command and all below it, in order."""
        yield self
        for one in self.commands:
            yield from one.walk()


def cass() -> Command:
    """`cass` and everything below it."""
    from cass_shim.cli.main import cli

    return _command(cli, "cass")


def _command(one: click.Command, path: str) -> Command:
    context = click.Context(one, info_name=path)
    parameters = one.get_params(context)
    below: tuple[Command, ...] = ()
    if isinstance(one, click.Group):
        named = ((name, one.get_command(context, name)) for name in one.list_commands(context))
        below = tuple(_command(found, f"{path} {name}") for name, found in named if found is not None)
    return Command(
        path,
        inspect.cleandoc(one.help or ""),
        tuple(_option(p) for p in parameters if isinstance(p, click.Option)),
        tuple(_argument(p) for p in parameters if isinstance(p, click.Argument)),
        below,
    )


def _option(one: click.Option) -> Option:
    choices = tuple(map(str, one.type.choices)) if isinstance(one.type, click.Choice) else ()
    names = tuple(sorted((*one.opts, *one.secondary_opts), key=len, reverse=True))
    takes = not one.is_flag and not one.count
    shown = one.default if takes and isinstance(one.default, (str, int, float)) and one.default else ""
    metavar = (one.metavar or names[0].lstrip("-").replace("-", "_")).upper() if takes else ""
    return Option(names, one.help or "", metavar, takes, choices, isinstance(one.type, click.Path), str(shown))


def _argument(one: click.Argument) -> Argument:
    many = one.nargs != 1
    rest = one.type is click.UNPROCESSED or isinstance(one.type, type(click.UNPROCESSED))
    choices = tuple(map(str, one.type.choices)) if isinstance(one.type, click.Choice) else ()
    files = isinstance(one.type, click.Path) or many
    return Argument((one.name or "").upper(), files, many, one.required, rest, choices)


def cass_run() -> Command:
    """`cass-run`: a flag for every setting, and its switches."""
    options = []
    for name, one in FIELDS.items():
        facts = one.metadata
        text = f"{facts['doc'].replace('`', '')} Mirror of {variable(name)}."
        flag, takes = f"--{name.replace('_', '-')}", not facts["bare"]
        files = name in FOLDER_OR_FILE
        options.append(Option((flag,), text, "VALUE", takes, facts["choices"], files, str(one.default)))
    options += [Option((f"--{name}",), text) for name, text in SWITCHES.items()]
    arguments = (
        Argument("PROGRAM", True, rest=True),
        Argument("ARGUMENTS", True, many=True, required=False, rest=True),
    )
    return Command("cass-run", f"{LAUNCHER_PURPOSE}\n\nExit status: {LAUNCHER_EXIT}.", tuple(options), arguments)
