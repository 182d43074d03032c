"""Recorded answers for the CASS translator: made from clang's HIP assembly, checked by a person."""
