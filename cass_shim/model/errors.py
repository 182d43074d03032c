"""The six ways a stage can end badly. Anything else that is raised is a bug."""

from __future__ import annotations


class CassError(Exception):
    """Base of all expected failures; `str()` is one line a user can act on."""


class Malformed(CassError):
    """Bad bytes. `where` names the file, section or structure; `offset` is in bytes from its start."""

    def __init__(self, what: str, *, where: str = "", offset: int | None = None) -> None:
        place = f"{where}: " if where else ""
        at = f" (offset {offset:#x})" if offset is not None else ""
        super().__init__(f"{place}{what}{at}")
        self.what, self.where, self.offset = what, where, offset


class InvalidPtx(Malformed):
    """PTX that its language does not allow. `where` names the line."""


class NewerPtx(InvalidPtx):
    """PTX of a version that is not known."""


class Unsupported(CassError):
    """Well-formed input that we cannot handle. `feature` is the stable name that coverage counts.

    `feature` is an instruction form ("HGMMA.64x8x16"), a function or a directive; `address` the byte
    offset of the instruction in its kernel.
    """

    def __init__(self, feature: str, *, kernel: str = "", address: int | None = None, why: str = "") -> None:
        at = f" at {address:#06x}" if address is not None else ""
        of = f" in {kernel}" if kernel else ""
        because = f": {why}" if why else ""
        super().__init__(f"unsupported {feature}{at}{of}{because}")
        self.feature, self.kernel, self.address, self.why = feature, kernel, address, why


class Rejected(CassError):
    """The verifier refused a candidate. `witness` says on which input and where it differed."""

    def __init__(self, reason: str, *, kernel: str = "", witness: str = "") -> None:
        of = f"{kernel}: " if kernel else ""
        shown = f" [{witness}]" if witness else ""
        super().__init__(f"{of}{reason}{shown}")
        self.reason, self.kernel, self.witness = reason, kernel, witness


class LinkFailed(CassError):
    """Images that do not go together. `what` as nvlink says it; `symbol` that it is about, if any."""

    def __init__(self, what: str, *, symbol: str = "") -> None:
        super().__init__(f"{what} '{symbol}'" if symbol else what)
        self.what, self.symbol = what, symbol


class ToolFailed(CassError):
    """An external tool failed. `command` is what ran, `stderr` what it printed."""

    def __init__(self, tool: str, *, command: str = "", stderr: str = "") -> None:
        super().__init__(f"{tool} failed: {stderr.strip().splitlines()[0] if stderr.strip() else command}")
        self.tool, self.command, self.stderr = tool, command, stderr


class DeviceFailed(CassError):
    """A HIP call or a launch failed. `code` is the hipError_t, `call` the function's name."""

    def __init__(self, call: str, code: int, reason: str = "") -> None:
        super().__init__(f"{call}: HIP error {code}{': ' + reason if reason else ''}")
        self.call, self.code, self.reason = call, code, reason


def one_line(error: Exception) -> str:
    """An expected error's own line; anything else is a bug and says where it was raised."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if isinstance(error, CassError) else f"internal error, {type(error).__name__}: {text}"
