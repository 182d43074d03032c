"""The compatibility suite: the programs of `samples/` and `examples/`, with their domains, features and goldens.

In: the root of a checkout. Out: `SuiteProgram`s. Facts of a sample are in its head comment (`// features: …`,
`// not with: …`); those of an example in `samples/features.toml`, which also holds the features themselves.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cass_shim.model.errors import Malformed

FEATURES = Path("samples", "features.toml")
HEAD = re.compile(r"^// (features|not with): (.*(?:\n//     .*)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SuiteProgram:
    """One program. golden: what a GPU printed (may not be recorded yet); not_with: variants it does not tolerate."""

    name: str
    domain: str
    suite: str
    source: Path
    golden: Path
    exit_code: int
    features: tuple[str, ...]
    not_with: tuple[str, ...]

    @property
    def title(self) -> str:
        """`domain/name`, unique in the suite."""
        return f"{self.domain}/{self.name}"


def find_root(start: Path | None = None) -> Path:
    """The checkout: the folder of this package, or `start` (default: the current one). Raises Malformed outside one."""
    beside = Path(__file__).resolve().parents[2]
    for root in (start or Path.cwd(), beside):
        if (root / FEATURES).is_file():
            return root
    raise Malformed(f"no {FEATURES} here: run in a checkout of cass-shim, or name programs", where=str(start or "."))


def head_lines(source: str) -> dict[str, tuple[str, ...]]:
    """The comma-separated lists of a sample's head comment, by key."""
    comment = re.match(r"(?://.*\n)+", source)
    found = HEAD.findall(comment[0] if comment else "")
    return {key: tuple(word.strip() for word in value.replace("\n//", "").split(",")) for key, value in found}


def exit_codes(folder: Path) -> dict[str, int]:
    """Recorded exit codes by program, empty before anything was recorded."""
    recorded = folder / "RECORDED.json"
    codes: dict[str, int] = json.loads(recorded.read_text())["exit_codes"] if recorded.exists() else {}
    return codes


def read_features(root: Path) -> dict[str, str]:
    """Every feature and the regular expression that its programs contain."""
    document = tomllib.loads((root / FEATURES).read_text())
    return {name: row["pattern"] for name, row in document["features"].items()}


def samples(root: Path) -> list[SuiteProgram]:
    """The programs of `samples/DOMAIN/NAME.cu`."""
    expected = root / "samples" / "expected"
    codes = exit_codes(expected)
    found = []
    for source in sorted((root / "samples").glob("*/*.cu")):
        head = head_lines(source.read_text())
        domain, name = source.parent.name, source.stem
        golden = expected / domain / f"{name}.txt"
        code = codes.get(f"{domain}/{name}", 0)
        features, not_with = head.get("features", ()), head.get("not with", ())
        found.append(SuiteProgram(name, domain, "samples", source, golden, code, features, not_with))
    return found


def examples(root: Path) -> list[SuiteProgram]:
    """The programs of `examples/NAME.cu`."""
    rows = tomllib.loads((root / FEATURES).read_text())["examples"]
    folder = root / "examples"
    codes = exit_codes(folder / "expected")
    found = []
    for source in sorted(folder.glob("*.cu")):
        name, row = source.stem, rows.get(source.stem)
        if row is None:
            raise Malformed(f"no row in [examples] of {FEATURES}", where=str(source))
        golden = folder / "expected" / f"{name}.txt"
        features, not_with = tuple(row["features"]), tuple(row.get("not_with", ()))
        code = codes.get(name, 0)
        found.append(SuiteProgram(name, row["domain"], "examples", source, golden, code, features, not_with))
    return found


def programs(root: Path) -> list[SuiteProgram]:
    """The whole suite."""
    return [*samples(root), *examples(root)]


def select(suite: Sequence[SuiteProgram], name: str) -> list[SuiteProgram]:
    """What `name` stands for: `all`, `samples`, `examples`, a domain, or one program; empty when nothing."""
    if name == "all":
        return list(suite)
    return [p for p in suite if name in (p.suite, p.domain, p.title, p.name)]
