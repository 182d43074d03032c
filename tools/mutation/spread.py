"""Work over processes, each task in one of its own: wrong code may leave a device that still runs, or end its process.

In: tasks with names, asked for again and again so that they can depend on what is done. Out: each result as it comes.
A task whose process ended twice, or that failed, is left out and named.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

from cass_shim.model.errors import CassError

ENDED = 2  # times that a task's process may end; the other tasks of that moment lose theirs with it


class Named(Protocol):
    """A task; no two that wait have the same name."""

    @property
    def name(self) -> str:
        """Of the task."""


class Spread:
    """Keeps `jobs` processes busy until nothing is pending or the time is up.

    pending: the tasks that are left, the most urgent first; those under way may be among them. until: on the monotonic
    clock, when to begin no more; `work` has to look at it itself. keep: what is done with a task's result.
    """

    def __init__(
        self, pending: Callable[[], Iterable[Any]], work: Callable[[Any], Any], keep: Callable[[Any, Any], None]
    ) -> None:
        self.pending, self.work, self.keep = pending, work, keep
        self.failed: Counter[str] = Counter()
        self.waiting: dict[concurrent.futures.Future[Any], Named] = {}

    def run(self, jobs: int, until: float) -> None:
        """All of it; processes that ended are replaced."""
        while self._round(jobs, until):
            self.waiting.clear()

    def _round(self, jobs: int, until: float) -> bool:
        """Whether it has to go on in other processes."""
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(jobs, context, max_tasks_per_child=1) as pool:
            self._more(pool, jobs, until)
            while self.waiting:
                done, _ = concurrent.futures.wait(self.waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    task = self.waiting.pop(future)
                    try:
                        self.keep(task, future.result())
                    except BrokenProcessPool:
                        for one in (task, *self.waiting.values()):
                            self.failed[one.name] += 1
                        print(f"a process ended in one of {self.failed}", flush=True)
                        return True
                    except CassError as error:
                        print(f"{task.name}: {error}", flush=True)
                        self.failed[task.name] = ENDED
                self._more(pool, jobs, until)
        return False

    def _more(self, pool: concurrent.futures.Executor, jobs: int, until: float) -> None:
        """Give out what there is: few more than there are processes, since results change what is pending."""
        if time.monotonic() >= until or len(self.waiting) > jobs:
            return
        names = {task.name for task in self.waiting.values()}
        for task in self.pending():
            if len(self.waiting) > jobs:
                return
            if task.name not in names and self.failed[task.name] < ENDED:
                self.waiting[pool.submit(self.work, task)] = task
