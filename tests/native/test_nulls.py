"""Every call with nulls and zeros for all its arguments, on a device: what an H100 answered (driver 580.159.04, runtime
13.0; `conformance/nulls.expected`), but for the calls listed here. Where the GPU's driver crashed anything else will
do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.runtime_support import CONFORMANCE, NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)

# (recorded, ours): mostly the order in which several wrong arguments are looked at, and what AMD's devices lack.
DIFFERENT = {
    (1, 801): "cudaMemGetDefaultMemPool cudaMemGetMemPool cudaMemSetMemPool cuMemGetDefaultMemPool cuMemGetMemPool "
    "cuMemSetMemPool cuMulticastAddDevice cuMulticastBindAddr cuMulticastBindMem cuMulticastCreate "
    "cuMulticastGetGranularity cuMulticastUnbind cuTensorMapEncodeIm2col cuTensorMapEncodeIm2colWide "
    "cuTensorMapEncodeTiled cuTensorMapReplaceAddress",
    (400, 1): "cudaDeviceGetNvSciSyncAttributes cudaGetTextureObjectTextureDesc cuDeviceGetNvSciSyncAttributes "
    "cuArray3DGetDescriptor cuArrayGetDescriptor cuLinkAddFile cuLinkAddFile_v2 cuLinkComplete cuLinkDestroy",
    (0, 400): "cudaMemcpyArrayToArray cuMemcpyAtoA_v2 cuMemcpyAtoD_v2 cuMemcpyAtoH_v2 cuMemcpyAtoHAsync_v2 "
    "cuMemcpyDtoA_v2 cuMemcpyHtoA_v2 cuMemcpyHtoAAsync_v2",
    (1, 400): "cudaMipmappedArrayGetMemoryRequirements cudaMipmappedArrayGetSparseProperties cudaCreateTextureObject "
    "cuArrayGetSparseProperties cuMipmappedArrayGetMemoryRequirements cuMipmappedArrayGetSparseProperties",
    (304, 3): "cuCheckpointProcessCheckpoint cuCheckpointProcessLock cuCheckpointProcessRestore "
    "cuCheckpointProcessUnlock",
    (400, 201): "cuModuleGetGlobal cuTexRefGetAddress cuTexRefSetAddress cuTexRefSetAddress2D",
    (801, 1): "cuStreamWaitValue32 cuStreamWaitValue64 cuStreamWriteValue32 cuStreamWriteValue64",
    (1, 101): "cudaDeviceGetP2PAtomicCapabilities cuDeviceGetP2PAtomicCapabilities",
    (13, 1): "cudaGraphExecMemcpyNodeSetParamsFromSymbol cudaGraphExecMemcpyNodeSetParamsToSymbol",
    (0, 201): "cuMemGetAddressRange",
    (1, 304): "cudaGLGetDevices",
    (98, 1): "cudaGetFuncBySymbol",
    (101, 1): "cudaGetSurfaceObjectResourceDesc",
    (708, 1): "cudaVDPAUSetVDPAUDevice",
    (708, 46): "cudaGLSetGLDevice",
    (801, 0): "cuStreamBatchMemOp",
}


def answers(text: str) -> dict[str, str]:
    """Name → result, or how the process ended."""
    return dict(line.split(" ", 1) for line in text.splitlines())


def test_calls_with_nulls_answer_as_recorded(tmp_path: Path) -> None:
    (tmp_path / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    recorded = answers((CONFORMANCE / "nulls.expected").read_text())
    (tmp_path / "names").write_text("\n".join(recorded))
    link = (f"-L{tmp_path}", "-lcuda", "-Xlinker", "--allow-shlib-undefined", "-Wno-deprecated-declarations")
    build_program(CONFORMANCE / "nulls.cu", tmp_path, *link)
    (tmp_path / "run").write_text("#!/bin/sh\nexec ./nulls after names\n")
    (tmp_path / "run").chmod(0o755)
    ours = answers(run_emulated(tmp_path / "run").stdout)
    assert not [name for name, result in ours.items() if result.startswith("signal")]
    told = {name: pair for pair, names in DIFFERENT.items() for name in names.split()}
    found = {
        name: (int(result), int(ours[name]))
        for name, result in recorded.items()
        if not result.startswith("signal") and result != ours[name]
    }
    assert found == told
