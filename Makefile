# Thin targets over `python3 -m tools`; nothing here that cannot be run without make.
.PHONY: demo build test check examples bench fuzz docs clean
demo test check examples bench:
	python3 -m tools $@
build:
	.venv/bin/python -m cass_shim.native.build
docs:
	.venv/bin/python -m cass_shim.api.generate --docs
clean:
	rm -rf cass_shim/native/_build build .pytest_cache .mypy_cache .ruff_cache
