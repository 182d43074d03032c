"""`cass man`: the man pages of `cass` and `cass-run`, made from the command lines themselves.

In: the trees of `cli.parsers`. Out: roff for the man macros (groff_man(7)), without a date, so that it is
reproducible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import click

from cass_shim import __version__
from cass_shim.cli.parsers import Argument, Command, Option, cass, cass_run

ENVIRONMENT = (
    "Every option of cass-run has a variable, CASS_ and the option's name in capitals; cass reads the same ones. "
    "Options win over variables."
)
STATUS = (
    "0 done, 1 the answer is no (something failed, is missing or is rejected), 2 wrong usage, 125 cass's own failure."
)


def roff(text: str) -> str:
    """Text that roff takes as it is: backslashes, hyphens, dots and quotes at the start of a line, other alphabets."""
    escaped = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    escaped = "".join(one if one.isascii() else f"\\[u{ord(one):04X}]" for one in escaped)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield ".PP"
        yield roff(paragraph)


def _option(one: Option) -> Iterator[str]:
    value = f"=\\fI{roff(one.metavar)}\\fR" if one.takes else ""
    yield ".TP"
    yield ", ".join(f"\\fB{roff(name)}\\fR" for name in one.names) + value
    notes = [one.text]
    if one.choices and not all(choice in one.text for choice in one.choices):
        notes.append(f"One of {', '.join(one.choices)}.")
    if one.default:
        notes.append(f"Default {one.default}.")
    yield roff(" ".join(notes)) or "\\&"


def _argument(one: Argument) -> str:
    shown = f"\\fI{roff(one.name)}\\fR{'...' if one.many else ''}"
    return shown if one.required else f"[{shown}]"


def _synopsis(command: Command) -> str:
    below = "\\fICOMMAND\\fR" if command.commands else ""
    parts = [f"\\fB{roff(command.path)}\\fR", "[\\fIOPTIONS\\fR]", below, *map(_argument, command.arguments)]
    return " ".join(part for part in parts if part)


def _page(name: str, purpose: str, tree: Command, body: list[str], other: str) -> str:
    lines = [
        f'.TH {name.upper()} 1 "" "cass\\-shim {__version__}" "User Commands"',
        ".SH NAME", f"{roff(name)} \\- {roff(purpose)}",
        ".SH SYNOPSIS", _synopsis(tree), *body,
        ".SH ENVIRONMENT", roff(ENVIRONMENT),
        ".SH SEE ALSO", f"\\fB{roff(other)}\\fR(1)",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def cass_page() -> str:
    """cass(1): one section a command."""
    tree = cass()
    body = [".SH DESCRIPTION", roff(tree.text), ".SH COMMANDS"]
    for command in tree.walk():
        if command is tree:
            continue
        body += [f'.SS "{roff(command.path)}"', _synopsis(command), *_paragraphs(command.text)]
        body += [line for option in command.options if option.names[0] != "--help" for line in _option(option)]
    body += [".SH OPTIONS", *(line for option in tree.options for line in _option(option))]
    body += [".SH EXIT STATUS", roff(STATUS)]
    return _page("cass", tree.summary, tree, body, "cass-run")


def cass_run_page() -> str:
    """cass-run(1)."""
    tree = cass_run()
    text, status = tree.text.split("\n\nExit status: ")
    body = [".SH DESCRIPTION", roff(text), ".SH OPTIONS"]
    body += [line for option in tree.options for line in _option(option)]
    body += [".SH EXIT STATUS", roff(status)]
    return _page("cass-run", tree.summary, tree, body, "cass")


PAGES: Mapping[str, Callable[[], str]] = {"cass": cass_page, "cass-run": cass_run_page}


@click.command("man")
@click.argument("page", type=click.Choice(tuple(PAGES)))
def man_command(page: str) -> None:
    """Print a man page.

    To install both: for page in cass cass-run; do cass man $page > ~/.local/share/man/man1/$page.1; done
    """
    click.echo(PAGES[page](), nl=False)
