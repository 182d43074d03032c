"""Verification: contract checks (E0), a reference interpreter of SASS, generated inputs, agreement (E1)."""
