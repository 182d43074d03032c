"""Checkpointing: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, Chapter

chapter = Chapter("driver", "Checkpointing")
fn = chapter.fn

fn("cuCheckpointProcessCheckpoint", STUB, "CUresult",
   "int pid, CUcheckpointCheckpointArgs *args", since=12080)
fn("cuCheckpointProcessGetRestoreThreadId", STUB, "CUresult", "int pid, int *tid", since=12080)
fn("cuCheckpointProcessGetState", STUB, "CUresult", "int pid, CUprocessState *state", since=12080)
fn("cuCheckpointProcessLock", STUB, "CUresult", "int pid, CUcheckpointLockArgs *args", since=12080)
fn("cuCheckpointProcessRestore", STUB, "CUresult", "int pid, CUcheckpointRestoreArgs *args", since=12080)
fn("cuCheckpointProcessUnlock", STUB, "CUresult", "int pid, CUcheckpointUnlockArgs *args", since=12080)
fn("cuCheckpointOperationComplete", STUB, "CUresult", "CUcheckpointOperationHandle handle", since=13040)
