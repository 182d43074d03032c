"""`python -m cass_shim.api`: docs/api.md on standard output."""

from cass_shim.api.document import document

print(document(), end="")
