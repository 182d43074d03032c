"""`cass selftest`: does translating, launching and computing work on this machine's device?"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from cass_shim.compat.hardware import CheckResult, write_report
from cass_shim.model.errors import CassError
from cass_shim.selftest.run import NoDevice, self_test


def tell(check: CheckResult) -> None:
    """One line on standard output."""
    print(f"{check.state:8} {check.group:9} {check.name}, {check.seconds:g} s: {check.detail}", flush=True)


@click.command("selftest")
@click.option("--hardware", is_flag=True, help="Test the AMD card; refused where there is none.")
@click.option("--json", "output", type=click.Path(dir_okay=False, path_type=Path), help="Write the report here.")
def selftest_command(hardware: bool, output: Path | None) -> None:
    """Run recorded vectors, example programs and launch timing in under five minutes.

    Without --hardware the emulated device is tested. The report names device, driver and versions, and neither user,
    host nor path: it can be shared, and `cass compat report --hardware FILE` takes it in. Exit status 1 when a check
    failed.
    """
    if output is not None and not os.access(output.absolute().parent, os.W_OK):
        raise CassError(f"{output}: its folder is not there or not writable; name another file with --json")
    kind = "hip" if hardware else "emulated"
    try:
        report = self_test(kind, tell)
    except NoDevice as error:
        hint = "; without --hardware the emulated device is tested" if hardware else ""
        raise CassError(f"selftest: {error}{hint}") from error
    for name, value in report.timings.items():
        print(f"{'time':8} {name}: {value:g}")
    print(f"{'passed' if report.passed else 'FAILED'}: {report.title}, cass-shim {report.versions['cass-shim']}")
    if output is not None:
        try:
            write_report(report, output)
        except OSError as error:
            raise CassError(f"{output}: {error.strerror}; name another file with --json") from error
    sys.exit(0 if report.passed else 1)
