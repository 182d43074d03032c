"""Where lanes go next: as branches between blocks, or as a number that each lane keeps (`lift.independent`).

In: labels of lifted blocks. Out: the terminator of the block being written. "done" ends the lane, "lost" stops the
kernel.
"""

from __future__ import annotations

from cass_shim.lift.builder import Value, constant
from cass_shim.lift.emitter import LlvmEmitter


class Flow:
    """Branches: LLVM structurises them, and lanes that diverged run one path after the other."""

    apart = False  # whether lanes are scheduled apart

    def __init__(self, e: LlvmEmitter) -> None:
        self.e = e

    def begin(self, label: str) -> str:
        """Where the kernel starts, given its first block."""
        return label

    def along(self, label: str, added: int) -> str:
        """A name for the way to a block of another function, which adds to the number of the lane's chain of calls."""
        return label

    def goto(self, label: str) -> None:
        self.e.raw(f"br label %{label}")

    def branch(self, condition: Value, yes: str, no: str) -> None:
        self.e.raw(f"br i1 {condition.text}, label %{yes}, label %{no}")

    def unless(self, condition: Value, other: str) -> None:
        """Lanes without the condition go elsewhere, the others go on here."""
        inside = self.e.new_label("taken")
        self.e.raw(f"br i1 {condition.text}, label %{inside}, label %{other}")
        self.e.go_on(inside)

    def switch(self, text: str, width: int, cases: list[tuple[int, str]]) -> list[str]:
        """The lines of a choice among blocks; any other number is lost."""
        listed = " ".join(f"i{width} {constant(number, width).text}, label %{label}" for number, label in cases)
        return [f"  switch i{width} {text}, label %lost [ {listed} ]"]

    def finish(self) -> None:
        """What belongs behind the last block."""
