"""The inside of a worker process: answers MODULE, KERNEL and CAPTURE frames by running the pipeline.

In: frames of model/wire.py. Out: replies; a kernel's body is its record and the code entry, since only the
daemon writes to the cache. A failure's body is JSON that says whether it will last.
"""

from __future__ import annotations

import json
import logging
import resource
import socket
from collections import OrderedDict

from cass_shim.cache.record import Record
from cass_shim.daemon.judged import judge_by_launch
from cass_shim.daemon.model_host import model_socket
from cass_shim.daemon.reverify import check_again, pack_translation, unpack_check, unpack_with_launch
from cass_shim.daemon.rival import find_rival
from cass_shim.daemon.runtime import receive_frame
from cass_shim.model.captured import CapturedLaunch, unpack_capture
from cass_shim.model.config import Config
from cass_shim.model.errors import (
    CassError,
    DeviceFailed,
    InvalidPtx,
    LinkFailed,
    Malformed,
    NewerPtx,
    Rejected,
    ToolFailed,
    Unsupported,
    one_line,
)
from cass_shim.model.manifest import pack_manifest
from cass_shim.model.wire import (
    REQUEST_LIMIT,
    CudaError,
    FrameKind,
    KernelRequest,
    ModuleRequest,
    Reply,
    Status,
    frame,
    pack_linked,
    unpack_link,
)
from cass_shim.module import Module, load_module, module_manifest
from cass_shim.pipeline import NoTranslation, translate
from cass_shim.translate.cass.models import share

log = logging.getLogger(__name__)

MODULES_KEPT = 32
# What a program's call answers for an error; any other is NO_KERNEL_IMAGE_FOR_DEVICE. A link says more of it.
CODES = {
    NewerPtx: CudaError.UNSUPPORTED_PTX_VERSION,
    InvalidPtx: CudaError.INVALID_PTX,
    Malformed: CudaError.INVALID_KERNEL_IMAGE,
    LinkFailed: CudaError.INVALID_KERNEL_IMAGE,
}
LINK_CODES = {**CODES, LinkFailed: CudaError.INVALID_SOURCE, Unsupported: CudaError.NOT_SUPPORTED}


def failure(error: Exception, asked: FrameKind) -> Reply:
    """The reply for an error. Lasting: the same request would fail again whatever the machine's state.

    everywhere: on other machines too, since it says what no translator knows and not what a check found.
    """
    if isinstance(error, NoTranslation):
        lasting = all(
            isinstance(one, CassError) and not isinstance(one, ToolFailed | DeviceFailed)
            for one in error.reasons.values()
        )
        everywhere = all(isinstance(one, Unsupported) for one in error.reasons.values())
        code = CudaError.NO_KERNEL_IMAGE_FOR_DEVICE
    else:
        lasting, everywhere = isinstance(error, Rejected), False  # a candidate that was checked again
        codes = LINK_CODES if asked is FrameKind.LINK else CODES
        found = (code for kind, code in codes.items() if isinstance(error, kind))
        code = next(found, CudaError.NO_KERNEL_IMAGE_FOR_DEVICE)
        if not isinstance(error, CassError):
            log.exception("%s failed", asked.name)
            code = CudaError.UNKNOWN
    body = json.dumps({"message": one_line(error), "lasting": lasting, "everywhere": everywhere}).encode()
    return Reply(Status.FAILED, body, int(code))


class Translator:
    """Runs requests one after another; keeps the modules it has parsed."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.modules: OrderedDict[bytes, Module] = OrderedDict()

    def handle(self, kind: FrameKind, payload: bytes) -> Reply:
        """The reply to one request; every error becomes a failed reply."""
        try:
            if kind is FrameKind.MODULE:
                return self._module(ModuleRequest.unpack(payload))
            if kind is FrameKind.KERNEL:
                return self._kernel(KernelRequest.unpack(payload))
            if kind is FrameKind.CAPTURE:
                return self._kernel(*unpack_capture(payload))
            if kind is FrameKind.LINK:
                return self._link(payload)
            if kind is FrameKind.VERIFY:
                return self._verify(*unpack_check(payload))
            if kind is FrameKind.RIVAL:
                return self._rival(*unpack_with_launch(payload))
            if kind is FrameKind.JUDGE:
                return self._judge(*unpack_with_launch(payload))
            raise Malformed(f"a {kind.name} frame", where="worker")
        except Exception as error:  # the daemon must get an answer, whatever a stage does
            return failure(error, kind)

    def _module(self, request: ModuleRequest) -> Reply:
        module = load_module(request.region, request.entry_offset, request.module)
        self.modules[request.module] = module
        while len(self.modules) > MODULES_KEPT:
            self.modules.popitem(last=False)
        gfx = self.config.with_options(request.options).gfx
        return Reply(Status.OK, pack_manifest(module_manifest(module, gfx)))

    def _link(self, payload: bytes) -> Reply:
        from cass_shim.extract.link_inputs import link_images

        return Reply(Status.OK, pack_linked(link_images(unpack_link(payload))))

    def _module_of(self, request: KernelRequest) -> Module | None:
        """The module as the request wants its kernel, where it is known."""
        module = self.modules.get(request.module)
        return module.for_spilled if module is not None and request.is_spilled else module

    def _kernel(self, request: KernelRequest, captured: CapturedLaunch | None = None) -> Reply:
        module = self._module_of(request)
        if module is None:
            return Reply(Status.NEED_MODULE)
        self.modules.move_to_end(request.module)
        answer = translate(module, request.name, self.config.with_options(request.options), captured)
        return Reply(Status.OK, pack_translation(answer))

    def _verify(self, request: KernelRequest, record: Record, content: bytes) -> Reply:
        module = self._module_of(request)
        if module is None:
            return Reply(Status.NEED_MODULE)
        config = self.config.with_options(request.options)
        return Reply(Status.OK, pack_translation(check_again(module, request.name, record, content, config)))

    def _rival(self, request: KernelRequest, record: Record, content: bytes, launch: CapturedLaunch | None) -> Reply:
        module = self._module_of(request)
        if module is None:
            return Reply(Status.NEED_MODULE)
        share(None)  # what this costs is this process's, and counted
        config = self.config.with_options(request.options)
        return Reply(Status.OK, pack_translation(find_rival(module, request.name, record, content, config, launch)))

    def _judge(self, request: KernelRequest, record: Record, content: bytes, launch: CapturedLaunch | None) -> Reply:
        module = self._module_of(request)
        if module is None:
            return Reply(Status.NEED_MODULE)
        if launch is None:
            raise Malformed("no launch in it", where="judge request")
        config = self.config.with_options(request.options)
        answer = judge_by_launch(module, request.name, record, content, config, launch)
        return Reply(Status.OK, pack_translation(answer))


def set_limits(memory_mib: float) -> None:
    """No core files, and a bound on the memory that a hostile kernel can make us use."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory_mib > 0:
        size = int(memory_mib) << 20
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def serve(connection: socket.socket, config: Config) -> None:
    """Answer until the daemon closes the connection."""
    share(model_socket(config))
    translator = Translator(config)
    while True:
        try:
            _, kind, payload = receive_frame(connection, REQUEST_LIMIT)
            connection.sendall(frame(FrameKind.REPLY, translator.handle(kind, payload).pack()))
        except OSError:
            return
