"""Rows of the CUDA runtime API, one module per chapter of its manual."""
