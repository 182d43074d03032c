"""The 128-bit SASS encoding (Volta onwards) as declarative rows, one file per instruction family.

In: a 128-bit word, its address and the SM. Out: `model.instruction.Instruction`, whose text is nvdisasm's. Every bit
of a row is accounted for: a set bit that the row does not describe is Unsupported, never ignored.
Source of field positions: Mesa NAK's encoder (as facts) and what ptxas emits for our own programs.
"""
