# Thin targets over `python3 -m tools`; nothing here that cannot be run without make.
.PHONY: demo build test check examples bench docs clean
demo test check examples bench docs:
	python3 -m tools $@
build:
	.venv/bin/python -m cass_shim.native.build
clean:
	rm -rf cass_shim/native/_build build .pytest_cache .mypy_cache .ruff_cache
