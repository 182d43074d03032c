"""Messages between a CUDA program and the daemon, over a Unix socket. C gets the same layouts, generated.

A frame is FRAME then `payload_bytes` of payload. The client asks, the daemon answers each request with one
REPLY frame, in order. Replies carry the file's bytes themselves, so a full disk or a read-only home changes
nothing.
`options` is text, one `CASS_NAME=value` a line: the request-scoped settings of `model.config`, and SPILLED where a
kernel is wanted for a launch with more shared memory than LDS has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from cass_shim.model.errors import Malformed
from cass_shim.model.layout import Layout, member, seal

FRAME_MAGIC = 0x53534143  # "CASS"
WIRE_VERSION = 2
REQUEST_LIMIT = 1 << 30  # bytes; one module of a large library
REPLY_LIMIT = 1 << 28
SPILLED = "CASS_SHARED=spill"  # a line of a kernel request's options

FRAME = Layout("cass_frame", (("u32", "magic"), ("u16", "version"), ("u16", "kind"), ("u64", "payload_bytes")))

MODULE_REQUEST = Layout(
    "cass_module_request",
    (
        ("u8[32]", "module"),
        ("u64", "entry_offset"),
        ("u64", "region_bytes"),
        ("u32", "options_bytes"),
        ("u32", "reserved0"),
    ),
)

KERNEL_REQUEST = Layout("cass_kernel_request", (("u8[32]", "module"), ("u32", "options_bytes"), ("u32", "name_bytes")))

LINK_REQUEST = Layout("cass_link_request", (("u32", "input_count"), ("u32", "reserved0")))  # then, for each image:
LINK_INPUT = Layout("cass_link_input_head", (("u32", "kind"), ("u32", "name_bytes"), ("u64", "content_bytes")))
LINKED = Layout("cass_linked", (("u64", "cubin_bytes"), ("u64", "names_bytes")))  # behind the file's header; then all
LINKED_MAGIC, LINKED_VERSION = b"CASSLNK\0", 2

REPLY = Layout(
    "cass_reply", (("u32", "status"), ("u32", "cuda_error"), ("u64", "body_bytes"))
)  # body: the file, or the message's UTF-8 text


class FrameKind(IntEnum):
    """What a frame holds."""

    MODULE = 1  # MODULE_REQUEST, options, region → manifest
    KERNEL = 2  # KERNEL_REQUEST, options, name → code entry
    STATUS = 3  # empty → JSON text
    STOP = 4  # empty → empty; the daemon ends
    VERIFY = 5  # daemon to worker only: u32 size, a KERNEL payload, record, newline, code entry → record and code entry
    CAPTURE = 6  # CAPTURE_HEAD, a KERNEL payload, the launch (model/captured.py) → code entry
    RIVAL = 7  # daemon to worker only: u32 size, a VERIFY payload, perhaps a CAPTURE payload → record and code entry
    LINK = 8  # LINK_REQUEST and its images → LINKED
    JUDGE = 9  # daemon to worker only: as RIVAL, with the CAPTURE payload → record and code entry
    REPLY = 16


class Status(IntEnum):
    """How a request ended."""

    OK = 0
    FAILED = 1  # body is a message; cuda_error says what the program gets
    NEED_MODULE = 2  # the daemon does not know this module (any more): send MODULE first
    VERSION = 3  # the daemon speaks another version of this protocol


class CudaError(IntEnum):
    """cudaError_t values that a failed request may carry. Source: CUDA runtime API manual, cudaError enum."""

    INVALID_KERNEL_IMAGE = 200
    INVALID_PTX = 218
    UNSUPPORTED_PTX_VERSION = 222
    INVALID_SOURCE = 300
    NOT_SUPPORTED = 801
    NO_KERNEL_IMAGE_FOR_DEVICE = 209
    UNKNOWN = 999


@dataclass(frozen=True, slots=True)
class ModuleRequest:
    """module: SHA-256 of the chosen entry as stored, which begins `entry_offset` bytes into `region`."""

    module: bytes
    entry_offset: int
    region: bytes
    options: str = ""

    def pack(self) -> bytes:
        options = self.options.encode(errors="surrogateescape")
        head = MODULE_REQUEST.pack(
            module=self.module,
            entry_offset=self.entry_offset,
            region_bytes=len(self.region),
            options_bytes=len(options),
        )
        return head + options + self.region

    @classmethod
    def unpack(cls, payload: bytes) -> ModuleRequest:
        head = MODULE_REQUEST.unpack(payload, where="module request")
        module, start = head["module"], MODULE_REQUEST.size + int(head["options_bytes"])
        if start + int(head["region_bytes"]) != len(payload):
            raise Malformed("sizes do not add up", where="module request")
        assert isinstance(module, bytes)
        options = payload[MODULE_REQUEST.size : start].decode(errors="surrogateescape")
        return cls(module, int(head["entry_offset"]), payload[start:], options)


@dataclass(frozen=True, slots=True)
class KernelRequest:
    """Kernel `name` of a module that was sent before."""

    module: bytes
    name: str
    options: str = ""

    @property
    def is_spilled(self) -> bool:
        """Whether the code is to keep shared memory in the arena."""
        return SPILLED in self.options.splitlines()

    def pack(self) -> bytes:
        options, name = (text.encode(errors="surrogateescape") for text in (self.options, self.name))
        head = KERNEL_REQUEST.pack(module=self.module, options_bytes=len(options), name_bytes=len(name))
        return head + options + name

    @classmethod
    def unpack(cls, payload: bytes) -> KernelRequest:
        head = KERNEL_REQUEST.unpack(payload, where="kernel request")
        module, start = head["module"], KERNEL_REQUEST.size + int(head["options_bytes"])
        if start + int(head["name_bytes"]) != len(payload):
            raise Malformed("sizes do not add up", where="kernel request")
        assert isinstance(module, bytes)
        texts = (payload[KERNEL_REQUEST.size : start], payload[start:])
        options, name = (text.decode(errors="surrogateescape") for text in texts)
        return cls(module, name, options)


class LinkKind(IntEnum):
    """What an image is. Source: CUDA driver API manual, CUjitInputType."""

    CUBIN = 0
    PTX = 1
    FATBINARY = 2
    OBJECT = 3
    LIBRARY = 4


@dataclass(frozen=True, slots=True)
class LinkInput:
    """One image of a link; `name` is for messages."""

    kind: LinkKind
    name: str
    content: bytes


def pack_link(inputs: Sequence[LinkInput]) -> bytes:
    """A LINK payload."""
    rows = [LINK_REQUEST.pack(input_count=len(inputs))]
    for one in inputs:
        name = one.name.encode(errors="surrogateescape")
        rows.append(LINK_INPUT.pack(kind=int(one.kind), name_bytes=len(name), content_bytes=len(one.content)))
        rows += [name, one.content]
    return b"".join(rows)


def unpack_link(payload: bytes) -> list[LinkInput]:
    """The images of a LINK payload."""
    where, at, found = "link request", LINK_REQUEST.size, []
    for _ in range(int(LINK_REQUEST.unpack(payload, where=where)["input_count"])):
        head = LINK_INPUT.unpack(payload[at : at + LINK_INPUT.size], where=where)
        start = at + LINK_INPUT.size + int(head["name_bytes"])
        at, name = start + int(head["content_bytes"]), payload[at + LINK_INPUT.size : start]
        if at > len(payload):
            raise Malformed("sizes do not add up", where=where)
        kind = member(LinkKind, head["kind"], where=where)
        found.append(LinkInput(kind, name.decode(errors="surrogateescape"), payload[start:at]))
    return found


@dataclass(frozen=True, slots=True)
class Linked:
    """What becomes of the images of one cuLink: machine code, PTX, or both beside each other.

    cubin: the machine code, linked. texts: PTX that the program's process joins. names: what machine code defines that
    PTX cannot reach; behind a ?, members of libraries that were not taken. Each text and name is ended by a zero.
    """

    cubin: bytes = b""
    names: bytes = b""
    texts: bytes = b""


def pack_linked(linked: Linked) -> bytes:
    """The file that answers a LINK frame."""
    head = LINKED.pack(cubin_bytes=len(linked.cubin), names_bytes=len(linked.names))
    return seal(LINKED_MAGIC, LINKED_VERSION, head + linked.cubin + linked.names + linked.texts)


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer. `body` is a file's bytes when status is OK, else text."""

    status: Status
    body: bytes = b""
    cuda_error: int = 0

    def pack(self) -> bytes:
        head = REPLY.pack(status=int(self.status), cuda_error=self.cuda_error, body_bytes=len(self.body))
        return head + self.body

    @classmethod
    def unpack(cls, payload: bytes) -> Reply:
        head = REPLY.unpack(payload, where="reply")
        if REPLY.size + int(head["body_bytes"]) != len(payload):
            raise Malformed("sizes do not add up", where="reply")
        return cls(member(Status, head["status"], where="reply"), payload[REPLY.size :], int(head["cuda_error"]))


def frame(kind: FrameKind, payload: bytes) -> bytes:
    """A whole frame."""
    head = FRAME.pack(magic=FRAME_MAGIC, version=WIRE_VERSION, kind=int(kind), payload_bytes=len(payload))
    return head + payload


def read_frame_head(content: bytes, limit: int) -> tuple[int, FrameKind, int]:
    """(version, kind, payload size in bytes) of a frame's head; Malformed beyond `limit`."""
    head = FRAME.unpack(content, where="frame")
    if head["magic"] != FRAME_MAGIC:
        raise Malformed("not a cass-shim frame", where="frame", offset=0)
    if int(head["payload_bytes"]) > limit:
        raise Malformed(f"{head['payload_bytes']!r} bytes exceed the limit {limit}", where="frame", offset=8)
    return int(head["version"]), member(FrameKind, head["kind"], where="frame"), int(head["payload_bytes"])
