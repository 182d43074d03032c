"""Kernels that cannot be translated: remembered on this machine, and shared with the team by who has a key.

In: what a program wants, and a failure that will last. Out: the failure's words, without trying again.
"""

from __future__ import annotations

import asyncio
import logging

from cass_shim.cache.epoch import BAD_PRODUCERS, sources_digest
from cass_shim.cache.index import Index
from cass_shim.cache.refusal import reason_of, refusal
from cass_shim.cache.tiers import Tiered
from cass_shim.model.config import Config, joined_digest
from cass_shim.model.wire import KernelRequest

log = logging.getLogger(__name__)

LIFETIME_S = 24 * 3600.0  # on this machine


class Refusals:
    """Those of one daemon. team: None where no shared cache is configured."""

    def __init__(self, index: Index, team: Tiered | None) -> None:
        self.index, self.team = index, team

    def name(self, request: KernelRequest, key: bytes, config: Config) -> bytes:
        """Depends on the module too, since another program may ship PTX for the same kernel."""
        rules = joined_digest(sources_digest(), repr(BAD_PRODUCERS))
        return joined_digest("refused", key, request.module, rules, *config.policy_values(), config.model)

    def known(self, name: bytes) -> str:
        """This machine's own refusal, or ""."""
        found = self.index.get(f"negative:{name.hex()}")
        if not isinstance(found, str):
            return ""
        self.index.add("negative hits")
        return found

    async def of_the_team(self, name: bytes, config: Config, patience_s: float) -> str:
        """A trusted key's refusal, or ""; where CASS_REVERIFY wants a look of our own nobody is asked."""
        if self.team is None or config.reverify != "signed" or patience_s <= 0:
            return ""
        try:
            found = await asyncio.wait_for(asyncio.to_thread(self.team.get, name), patience_s)
        except TimeoutError:
            self.index.add("team timeouts")
            return ""
        for entry in found:
            if reason := reason_of(entry):
                self.index.add("team refusals")
                return f"{reason} (tried by {entry.record.signature.partition(':')[0]})"
        return ""

    def keep(self, name: bytes, kernel: str, reason: str, *, is_shared: bool) -> None:
        """Remember a failure, and tell the team where it would be every machine's."""
        self.index.set(f"negative:{name.hex()}", reason, LIFETIME_S)
        if self.team is not None and is_shared:
            self.team.put(name, refusal(name, kernel, reason))
