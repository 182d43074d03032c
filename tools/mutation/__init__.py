"""Mutation score of the verifier: wrong translations, and whether verification rejects them.

Wrong are single lines of the lifter's RDNA3 assembly (`operators`, `python -m tools.mutation`), its waits
(`waits`), or single instructions of the SASS before it is lifted (`sass`).
"""
