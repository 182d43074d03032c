"""Checkpointing: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Checkpointing")
fn = chapter.fn

fn("cuCheckpointProcessCheckpoint", IMPLEMENTED, "CUresult",
   "int pid, CUcheckpointCheckpointArgs *args", since=12080)
fn("cuCheckpointProcessGetRestoreThreadId", IMPLEMENTED, "CUresult", "int pid, int *tid", since=12080)
fn("cuCheckpointProcessGetState", IMPLEMENTED, "CUresult", "int pid, CUprocessState *state", since=12080)
fn("cuCheckpointProcessLock", IMPLEMENTED, "CUresult", "int pid, CUcheckpointLockArgs *args", since=12080)
fn("cuCheckpointProcessRestore", IMPLEMENTED, "CUresult", "int pid, CUcheckpointRestoreArgs *args", since=12080)
fn("cuCheckpointProcessUnlock", IMPLEMENTED, "CUresult", "int pid, CUcheckpointUnlockArgs *args", since=12080)
fn("cuCheckpointOperationComplete", IMPLEMENTED, "CUresult", "CUcheckpointOperationHandle handle", since=13040)
