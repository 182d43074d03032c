"""Public wheels: how much of the machine code that others ship is decoded, lifted and compiled.

In: wheels downloaded at run time (never kept in the repository). Out: `docs/wheels.json`, which `tools.sass_page`
prints.
"""
