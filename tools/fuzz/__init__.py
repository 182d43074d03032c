"""`python3 -m tools.fuzz`: fuzzing of every parser and protocol, with coverage where the machine has it (README.md)."""
