"""The sanitizer builds find what is wrong: a planted error each, by the compiler command and the report reader."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tools import sanitizers

OVERRUN = """
#include <stdlib.h>
#include <string.h>
int main(int count, char **words) {
    char *room = malloc(4);
    memset(room, words[0][0], 4 + count);
    int first = room[0];
    free(room);
    return first;
}
"""
OVERFLOW = "int main(int count, char **words) { (void)words; return (2147483647 + count) == 0; }\n"
RACE = """
#include <pthread.h>
static int shared;
static void *add(void *unused) {
    for (int i = 0; i < 1000; i++) shared++;
    return unused;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, add, NULL);
    add(NULL);
    return pthread_join(other, NULL);
}
"""
PLANTED = [
    ("address", OVERRUN, "heap-buffer-overflow"),
    ("address", OVERFLOW, "signed integer overflow"),
    ("thread", RACE, "data race"),
]


@pytest.mark.parametrize(("name", "source", "expected"), PLANTED, ids=["overrun", "overflow", "race"])
def test_a_planted_error_is_reported(name: str, source: str, expected: str, tmp_path: Path) -> None:
    kind = sanitizers.KINDS[name]
    if why := sanitizers.why_not(kind):
        pytest.skip(why)
    native = tmp_path / "native"
    reports = tmp_path / "reports"
    native.mkdir()
    reports.mkdir()
    (native / "planted.c").write_text(source)
    program = tmp_path / "planted"
    command = [str(sanitizers.compiler(kind, tmp_path)), "-O3", "-mavx512f", "-g", str(native / "planted.c")]
    subprocess.run([*command, "-o", str(program), "-lpthread"], check=True, timeout=60)
    env = {**os.environ, **sanitizers.settings(name, kind, reports)}
    prefix = ["setarch", "-R"] if name == "thread" else []
    done = subprocess.run([*prefix, str(program)], env=env, timeout=60, check=False, capture_output=True, text=True)
    (report,) = sanitizers.reports_in(reports, done.stderr)
    assert expected in report and "planted.c:" in report
