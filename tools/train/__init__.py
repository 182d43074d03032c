"""Trains a small language model of our own on the pairs of `tools/pairs`.

`python3 -m tools.train SET OUT --minutes 7` needs torch, transformers, safetensors and numpy, nothing of cass_shim.
OUT becomes a checkpoint as `cass_shim/translate/cass/checkpoint` holds it.
"""
