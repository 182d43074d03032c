"""Proofs (E4): symbolic execution of SASS and RDNA3 code into terms, and z3 for what their normal forms leave open."""

from cass_shim.verify.proof.prove import Proof, candidate_blocks, prove_kernel
from cass_shim.verify.proof.replay import Replay

__all__ = ["Proof", "Replay", "candidate_blocks", "prove_kernel"]
