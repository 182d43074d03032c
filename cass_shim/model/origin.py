"""Where assembly text comes from, in its first lines: `; cass KEY: VALUE`.

In: facts of a model's answer (model, prompt, decoding, candidates). Out: comment lines, which travel with the text from
stage to stage, and the facts again, for the provenance of what is assembled from it.
"""

from __future__ import annotations

from collections.abc import Mapping

_MARK = "; cass "
_MOST = 1 << 14  # characters of all facts


def with_origin(text: str, facts: Mapping[str, str]) -> str:
    """The text with a line for each fact in front. Keys hold no colon, values no line end."""
    return "".join(f"{_MARK}{key}: {' '.join(value.split())}\n" for key, value in facts.items()) + text


def origin_of(text: str) -> dict[str, str]:
    """The facts that the text begins with; what follows another line is the answer's own and counts for nothing."""
    found: dict[str, str] = {}
    for line in text[:_MOST].splitlines():
        key, colon, value = line.removeprefix(_MARK).partition(": ")
        if not line.startswith(_MARK) or not colon or key in found:
            break
        found[key] = value
    return found
