"""Add one answer to a directory of recorded answers: what a CASS model would say to one kernel's prompt.

`python3 tools/record_cass_answer.py --cubin FILE --kernel NAME --assembly FILE.s --note "who checked what" DIRECTORY`

The prompt is built from the cubin exactly as the translator builds it; the answer is the assembly in a `hipasm`
fence. `--reply-to REASON` records the answer to the repair turn after the answer already recorded was rejected.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from cass_shim.decode.cuobjdump import print_sass
from cass_shim.extract.cubin import read_cubin
from cass_shim.translate.cass.models import INDEX
from cass_shim.translate.cass.prompt import OUTPUT_FENCE, Message, build_prompt, digest, repair_turn


def conversation(cubin: bytes, kernel: str) -> tuple[Message, ...]:
    """The first turn for a kernel of a cubin."""
    return (Message("user", build_prompt(print_sass(read_cubin(cubin), kernel))),)


def record(directory: Path, messages: tuple[Message, ...], kernel: str, assembly: str, note: str) -> str:
    """Write the answer and its entry; its digest. The note goes into the file, in front of the fence."""
    directory.mkdir(parents=True, exist_ok=True)
    index_path = directory / INDEX
    empty: dict[str, Any] = {"format": 1, "answers": {}}
    index: dict[str, Any] = json.loads(index_path.read_text()) if index_path.exists() else empty
    name = digest(messages)
    file = f"{kernel[:60]}.{name[:12]}.md"
    (directory / file).write_text(f"{note}\n\n```{OUTPUT_FENCE}\n{assembly.rstrip()}\n```\n")
    index["answers"][name] = {"file": file, "kernel": kernel, "note": note}
    index["answers"] = dict(sorted(index["answers"].items(), key=lambda item: str(item[1]["file"])))
    index_path.write_text(json.dumps(index, indent=1) + "\n")
    return name


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--cubin", type=Path, required=True)
    parser.add_argument("--kernel", required=True)
    parser.add_argument("--assembly", type=Path, required=True)
    parser.add_argument("--note", required=True)
    parser.add_argument("--reply-to", default="", help="reason of the rejection that the answer repairs")
    options = parser.parse_args()
    messages = conversation(options.cubin.read_bytes(), options.kernel)
    if options.reply_to:
        index = json.loads((options.directory / INDEX).read_text())
        rejected = (options.directory / index["answers"][digest(messages)]["file"]).read_text()
        messages = (*messages, Message("assistant", rejected), Message("user", repair_turn(options.reply_to)))
    print(record(options.directory, messages, options.kernel, options.assembly.read_text(), options.note))


if __name__ == "__main__":
    main()
