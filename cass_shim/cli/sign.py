"""`cass cache sign PATH…`: check what others proposed for the programs there, and sign what holds."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import click

from cass_shim.cache.audit import Audit
from cass_shim.cache.epoch import sources_digest
from cass_shim.cache.places import QUARANTINE, open_store, places
from cass_shim.cache.remote import ObjectStore, RemoteTier, without_secrets
from cass_shim.cache.storage import Entry
from cass_shim.cache.tiers import Signed
from cass_shim.cache.trust import Signer, TrustSet
from cass_shim.cli.pack import say
from cass_shim.cli.places import audit, key_root, signing_key
from cass_shim.cli.precompile import Job, find_jobs
from cass_shim.cli.programs import demangled
from cass_shim.daemon.reverify import pack_check, unpack_translation
from cass_shim.daemon.workers import ProcessPool, WorkerLost, Zygote
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError
from cass_shim.model.wire import FrameKind, KernelRequest, ModuleRequest, Status


@dataclass
class Signing:
    """One run over some kernels and every configured place."""

    config: Config
    trust: TrustSet
    signer: Signer
    log: Audit
    pool: ProcessPool
    counts: Counter[str] = field(default_factory=Counter)

    async def run(self, jobs: list[Job]) -> None:
        """Look at each kernel's proposals in each place."""
        for place in places(self.config):
            timeout_s = self.config.number("remote_timeout")
            aside, main = (open_store(place, timeout_s, folder) for folder in (QUARANTINE, ""))
            for job in jobs:
                try:
                    await self._kernel(job, aside, main)
                except (OSError, ValueError, CassError) as error:
                    self.counts["trouble"] += 1
                    say(f"{without_secrets(place)}: {error}")

    async def _kernel(self, job: Job, aside: ObjectStore, main: ObjectStore) -> None:
        key = job.found.module.key(job.kernel, self.config.gfx).digest
        proposals = await asyncio.to_thread(RemoteTier(aside).get, key)
        for entry in proposals:
            if entry.record.provenance.get("sources") != sources_digest():
                self._note("of another build", job, entry)
                continue
            checked = await self._checked(job, entry)
            if checked is not None:
                await asyncio.to_thread(Signed(RemoteTier(main), self.trust, self.signer).put, key, checked)
                self._note("signed", job, checked)
        if proposals:  # the objects are left to the store's own clean-up
            await asyncio.to_thread(aside.change_head, key.hex(), lambda _: b"[]")

    async def _checked(self, job: Job, entry: Entry) -> Entry | None:
        """The proposal with this machine's own record, or None."""
        options, limit = self.config.options(), self.config.number("kernel_timeout")
        module = ModuleRequest(job.found.digest, job.found.entry_offset, job.found.region, options).pack()
        request = KernelRequest(job.found.digest, job.kernel, options)
        try:
            async with self.pool.worker() as worker:
                await worker.ask(FrameKind.MODULE, module, limit)
                reply = await worker.ask(FrameKind.VERIFY, pack_check(request, entry), limit)
        except WorkerLost as error:
            self._note("rejected", job, entry, str(error))
            return None
        if reply.status is Status.OK:
            return unpack_translation(reply.body)
        self._note("rejected", job, entry, str(json.loads(reply.body)["message"]))
        return None

    def _note(self, event: str, job: Job, entry: Entry, reason: str = "") -> None:
        self.counts[event] += 1
        record = entry.record
        self.log.add(event, key=record.key, kernel=record.kernel, entry=record.entry, reason=reason)
        print(
            f"{event}: {demangled(job.kernel)}, {record.route}, {record.evidence}" + (f": {reason}" if reason else "")
        )


@click.command("sign")
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
def sign_command(paths: tuple[Path, ...]) -> None:
    """Check again what others proposed for the programs at or below PATHS, and sign what holds.

    Proposals are what machines with CASS_REMOTE_ROLE=propose put into the quarantine of CASS_REMOTES. Exit status 1
    when one was rejected or a place had trouble.
    """
    config = Config.read()
    signer, root = signing_key(config), key_root(config)
    if not places(config):
        raise CassError("no team cache is configured (CASS_REMOTES)")
    jobs, trust = list(find_jobs(paths, config, say)), TrustSet.load(root)
    zygote = Zygote(config)  # forks, so before there are threads

    async def work() -> Counter[str]:
        signing = Signing(config, trust, signer, audit(config), ProcessPool(zygote, 1))
        try:
            await signing.run(jobs)
        finally:
            signing.pool.close()
        return signing.counts

    counts = asyncio.run(work())
    print(f"{counts['signed']} translations signed by {signer.name}, {counts['rejected']} rejected")
    sys.exit(1 if counts["rejected"] or counts["trouble"] else 0)
