"""`cass completion SHELL`: completion scripts for bash, zsh and fish, made from the command lines themselves.

The scripts are static: completing starts no Python. In: the trees of `cli.parsers`. Out: text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files

import click

from cass_shim.cli.parsers import Argument, Command, Option, cass, cass_run


def _template(name: str) -> str:
    return files("cass_shim.cli").joinpath("shells", name).read_text(encoding="utf-8")


def _takes_files(command: Command) -> bool:
    return any(one.files for one in command.arguments)


# ---- bash -----------------------------------------------------------------------------------------------------


def _bash_value(command: Command, option: Option) -> str:
    """What completes an option's value."""
    patterns = "|".join(f'"{command.path} {name}"' for name in option.names)
    if option.choices:
        act = f'_cass_words "{" ".join(option.choices)}"'
    else:
        act = "_cass_files" if option.files else ":"
    return f"    {patterns}) {act}; return ;;\n"


def bash() -> str:
    """The bash script for both programs."""
    trees = (cass(), cass_run())
    commands = [one for tree in trees for one in tree.walk()]
    below = [one.path for one in commands if " " in one.path]
    values = "".join(_bash_value(one, option) for one in commands for option in one.options if option.takes)
    words = "".join(
        f'    "{one.path}") words="{" ".join(_offered(one))}" files={int(_takes_files(one))} ;;\n' for one in commands
    )
    marks = {
        "PATHS": "|".join(f'"{path}"' for path in below),
        "VALUES": values,
        "WORDS": words,
        "TAKING": "|".join(name for option in trees[1].options if option.takes for name in option.names),
    }
    return _filled("bash", marks)


def _offered(command: Command) -> list[str]:
    """Subcommands, words that an argument may be, and options."""
    words = [one.name for one in command.commands] + [word for one in command.arguments for word in one.choices]
    return [*words, *(name for option in command.options for name in option.names)]


def _filled(shell: str, marks: Mapping[str, str]) -> str:
    text = _template(f"completion.{shell}")
    for mark, value in marks.items():
        text = text.replace(f"@{mark}@\n" if value.endswith("\n") else f"@{mark}@", value)
    return text


# ---- zsh ------------------------------------------------------------------------------------------------------


def _zsh_quoted(text: str) -> str:
    """Inside '…' of an _arguments specification."""
    for mark in ("\\", "[", "]", ":"):
        text = text.replace(mark, f"\\{mark}")
    return text.replace("'", "'\\''").replace("`", "")


def _zsh_option(option: Option) -> list[str]:
    text = _zsh_quoted(option.text)
    value = ""
    if option.takes:
        action = f"({' '.join(option.choices)})" if option.choices else "_files" if option.files else " "
        value = f":{option.metavar.lower()}:{action}"
    return [f"'*{name}{'=' if option.takes and name[:2] == '--' else ''}[{text}]{value}'" for name in option.names]


def _zsh_argument(one: Argument) -> str:
    mark = "*:" if one.many else "1:" if one.rest else ":"
    action = f"({' '.join(one.choices)})" if one.choices else "_files" if one.files else " "
    if one.rest:
        return "'1:program:_command_names -e'" if not one.many else "'*::arguments:_normal'"
    return f"'{mark}{one.name.lower()}:{action}'"


def _zsh_function(command: Command) -> str:
    name = "_" + command.path.replace(" ", "_")
    specs = [spec for option in command.options for spec in _zsh_option(option)]
    lines = [f"{name}() {{"]
    if command.commands:
        listed = " ".join(f"'{one.name}:{_zsh_quoted(one.summary)}'" for one in command.commands)
        lines += ["  local state", f"  local -a commands=({listed})"]
        specs += ["'1: :->command'", "'*:: :->rest'"]
    else:
        specs += [_zsh_argument(one) for one in command.arguments]
    flags = "-C" if command.commands else "-S"
    lines.append(f"  _arguments {flags} \\\n    " + " \\\n    ".join(specs))
    if command.commands:
        lines += [
            "  case $state in",
            "    command) _describe command commands ;;",
            f"    rest) (( $+functions[{name}_$words[1]] )) && {name}_$words[1] ;;",
            "  esac",
        ]
    return "\n".join([*lines, "}"])


def zsh() -> str:
    """The zsh script for both programs."""
    functions = [_zsh_function(one) for tree in (cass(), cass_run()) for one in tree.walk()]
    return _filled("zsh", {"FUNCTIONS": "\n\n".join(functions) + "\n"})


# ---- fish -----------------------------------------------------------------------------------------------------


def _fish_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("`", "")
    return f"'{escaped}'"


def _fish_option(command: Command, option: Option, condition: str) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    value = ""
    if option.takes:
        value = f" -x -a '{' '.join(option.choices)}'" if option.choices else " -r -F" if option.files else " -x"
    program = command.path.split()[0]
    return f"complete -c {program} -n {condition} {names}{value} -d {_fish_quoted(option.text)}"


def _fish_command(command: Command) -> list[str]:
    program = command.path.split()[0]
    condition = "__cass_run_open" if program == "cass-run" else f"'__cass_at {command.path}'"
    lines = [
        f"complete -c {program} -n {condition} -a {one.name} -d {_fish_quoted(one.summary)}" for one in command.commands
    ]
    lines += [_fish_option(command, option, condition) for option in command.options]
    words = [word for one in command.arguments for word in one.choices]
    if words:
        lines.append(f"complete -c {program} -n {condition} -a '{' '.join(words)}'")
    if _takes_files(command) and program == "cass":
        lines.append(f"complete -c cass -n {condition} -F")
    return lines


def fish() -> str:
    """The fish script for both programs."""
    trees = (cass(), cass_run())
    below = [one.path for one in trees[0].walk() if " " in one.path]
    marks = {
        "PATHS": " ".join(f"'{path}'" for path in below),
        "TAKING": " ".join(name for option in trees[1].options if option.takes for name in option.names),
        "LINES": "\n".join(line for tree in trees for one in tree.walk() for line in _fish_command(one)) + "\n",
    }
    return _filled("fish", marks)


SHELLS: Mapping[str, Callable[[], str]] = {"bash": bash, "zsh": zsh, "fish": fish}


@click.command("completion")
@click.argument("shell", type=click.Choice(tuple(SHELLS)))
def completion_command(shell: str) -> None:
    """Print the completion script of a shell, for cass and cass-run.

    bash: cass completion bash > ~/.local/share/bash-completion/completions/cass (and a link cass-run to it).
    zsh: cass completion zsh > a folder of your fpath, as _cass.
    fish: cass completion fish > ~/.config/fish/completions/cass.fish (and a link cass-run.fish to it).
    """
    click.echo(SHELLS[shell](), nl=False)
