"""Rows of the CUDA driver API, one module per chapter of its manual."""
