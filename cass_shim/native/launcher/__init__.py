"""The `cass-run` launcher's build-time side."""
