"""What an LLVM's code generation compiles wrongly, and in which order optimised IR is rewritten so that it does not.

In: optimised IR as text, and whose code generation is next. Out: IR as that compiles it rightly. Which LLVM is used for
what, and why: `docs/adr/0012-which-llvm.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cass_shim.assemble.meets import guarded
from cass_shim.assemble.ones import whole
from cass_shim.assemble.parameters import in_front
from cass_shim.assemble.releases import marked, waited
from cass_shim.assemble.webs import paired
from cass_shim.assemble.zeros import constrained

# llvmlite's LLVM 22. Two are no repairs: the first makes lifted kernels load their parameters as HIP's do, the last
# saves time.
IN_PROCESS = (in_front, constrained, whole, guarded, marked, paired)
BY_CLANG = (constrained, whole, waited)  # clang 20 and 21: `toolchain` refuses one that would need `guarded`


def repaired(text: str, repairs: Sequence[Callable[[str], str | None]]) -> str | None:
    """The module rewritten; None where it is right as it stands."""
    changed = None
    for rewrite in repairs:
        changed = rewrite(changed or text) or changed
    return changed
