"""Mutation score of the verifier: wrong RDNA3 assembly, and whether verification rejects it."""
