"""Writes the completion scripts and man pages that a wheel installs: `python3 -m tools.shell_pages`.

They are made from the command lines (cass_shim/cli/completion.py, manpage.py); tests/cli/test_completion.py holds the
files to them. A wheel puts each below the environment's `share/`, where shells and man(1) look (pyproject.toml).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cass_shim.cli.completion import SHELLS
from cass_shim.cli.manpage import PAGES

SHARE = Path(__file__).resolve().parents[1] / "cass_shim" / "cli" / "share"


def shell_pages() -> Mapping[str, str]:
    """Path below SHARE → content."""
    return {
        "bash/cass": SHELLS["bash"](),
        "bash/cass-run": '. "${BASH_SOURCE[0]%-run}"\n',  # bash-completion looks for a file of the command's name
        "zsh/_cass": SHELLS["zsh"](),
        "fish/cass.fish": SHELLS["fish"](),
        "fish/cass-run.fish": "source (status dirname)/cass.fish\n",
        **{f"man/{name}.1": make() for name, make in PAGES.items()},
    }


def main() -> None:
    """Write what changed."""
    for name, content in shell_pages().items():
        path = SHARE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            path.write_text(content, encoding="utf-8")
            print(path.relative_to(SHARE.parents[2]))


if __name__ == "__main__":
    main()
