"""Measures problems in processes of their own, each with a model of its own.

In: problems, the translator, how many processes. Out: `Measured`, one per problem, as they come. A process that dies
over a kernel (LLVM can end one) is that kernel's failure; another goes on behind it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterator, Sequence
from multiprocessing.connection import Connection, wait

from cass_shim.compat.evaluate import MODEL_ROUTE, Measured, Options, asked_ahead, measure
from cass_shim.compat.problems import Problem
from cass_shim.model.config import Config


def measure_all(
    problems: Sequence[Problem], translator: str, config: Config, options: Options, jobs: int = 1
) -> Iterator[Measured]:
    """One after the other in this process, one of `jobs`; a model is asked ahead."""
    ahead = problems if translator == MODEL_ROUTE and not options.parts else ()  # parts are not known yet
    with asked_ahead(ahead, config, options, jobs) as models:
        for problem in problems:
            yield measure(problem, translator, config, options, models.get(problem.module.sm))


def measure_shared(
    problems: Sequence[Problem], translator: str, config: Config, options: Options, jobs: int
) -> Generator[Measured]:
    """By `jobs` processes, or in this one."""
    if jobs <= 1:
        yield from measure_all(problems, translator, config, options)
        return
    shares = [list(problems[first::jobs]) for first in range(min(jobs, len(problems)))]
    members = {one.link: one for one in (_Member(share, translator, config, options, jobs) for share in shares)}
    try:
        while members:
            for link in wait(list(members)):
                member = members[link]  # type: ignore[index]  # of what was waited for
                found = member.take()
                if found is not None:
                    yield found
                if member.is_over:
                    del members[member.link]
                    member.process.join()
                    if member.left:
                        again = _Member(member.left, translator, config, options, jobs)
                        members[again.link] = again
    finally:
        for member in members.values():
            member.process.terminate()


class _Member:
    """One process and what it has still to measure, in order."""

    def __init__(self, left: list[Problem], translator: str, config: Config, options: Options, jobs: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.left, self.translator, self.is_over = left, translator, False
        self.link, theirs = context.Pipe(duplex=False)
        arguments = (theirs, list(left), translator, config, options, jobs)
        self.process = context.Process(target=_child, args=arguments, daemon=True)
        self.process.start()
        theirs.close()

    def take(self) -> Measured | None:
        """The next result; what the process died over, if it did; None where all is done."""
        try:
            found: Measured = self.link.recv()
        except EOFError:
            self.is_over = True
            return self._died() if self.left else None
        self.left.pop(0)
        return found

    def _died(self) -> Measured:
        self.process.join()
        problem, status = self.left.pop(0), self.process.exitcode
        how = f"the process that measured it ended with status {status}"
        # ended from outside (no memory left): the kernel has no part in it
        lost = how if status in (-signal.SIGKILL, -signal.SIGTERM) else ""
        return Measured(problem.name, problem.group, self.translator, reason=how, lost=lost)


def _child(
    link: Connection, problems: list[Problem], translator: str, config: Config, options: Options, jobs: int
) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    threads = max(1, (os.cpu_count() or 1) // jobs)
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))  # torch is not loaded yet
    for one in measure_all(problems, translator, config, options, jobs):
        link.send(one)


def _end_with_parent() -> None:
    """A parent that is killed takes nobody along by itself, and answers are long."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
