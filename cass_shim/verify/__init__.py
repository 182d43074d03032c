"""Verification: contract checks (E0), a reference interpreter of SASS, generated inputs, agreement (E1)."""

from cass_shim.verify.captured import Captured
from cass_shim.verify.cost import Against
from cass_shim.verify.kernel import ReadsLanes, verify_kernel

__all__ = ["Against", "Captured", "ReadsLanes", "verify_kernel"]
