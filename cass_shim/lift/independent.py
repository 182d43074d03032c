"""Lanes that are scheduled apart: each keeps the number of the block that it runs next.

A loop serves, turn by turn, the group of lanes with one number, each lane of the wave once a round, so that no lane
starves behind one that spins. Convergence barriers are masks of lanes, as on NVIDIA's hardware: a lane that waits names
what it waits at and for whom, and the loop lets it go on when those who are alive are there and wait for it, too (a
callee may use again what siblings of its caller wait at, BMOV). Who has yielded is not waited for at a BSYNC, and is
taken out of the barrier when that is released (US patent 10,067,768, claim 1).

State of a lane, beside its registers: pc (0: it has ended), wait (0: it runs; else what it waits at), need (for which
lanes), region (the mask of the WARPSYNC.EXCLUSIVE it is behind, 0: none; those with another one run apart), chain (of
calls that it is in, where callees are shared, as a number: `lift.contexts`), yielded (since it waited at a BSYNC),
weary (yielded since `vain` began anew) and B0 to B15, the barriers' masks. Of the wave: served (this round), idle
(turns since anything happened) and vain (turns in which somebody waited in vain, whoever ran).
"""

from __future__ import annotations

from collections.abc import Iterator

from cass_shim.lift.builder import Value, constant, typed
from cass_shim.lift.emitter import LlvmEmitter
from cass_shim.lift.flow import Flow

# What a lane waits at: BSYNC of barrier n is _BSYNC + n, BREAK of it _BREAK + n; a block that lanes enter together is
# _TOGETHER + its number.
_BSYNC, WARPSYNC, BLOCK_BARRIER, _BREAK, _TOGETHER = 1, 17, 18, 20, 64
_BARRIERS = 16
# Turns without an event, more than two rounds of 32 groups, until nobody will go on by itself. A BSYNC is opened then:
# masks that callees keep in registers (BMOV) still name lanes that yielded and went. After as many again it is over.
_PATIENCE = 96
# Every so many turns in vain while others run, a BSYNC is opened too where all of those have yielded within the last
# _POLLED: lanes that poll for what those behind it would do (who restored an old mask from a register wait for each
# other, at two barriers).
_LOOK, _POLLED = 512, 4096
_MANY = 500  # blocks beyond which registers stay in memory

_TURN = """\
turn:
  %t.pc = load i32, ptr addrspace(5) %pc, align 4
  %t.wait = load i32, ptr addrspace(5) %wait, align 4
  %t.need = load i32, ptr addrspace(5) %need, align 4
  %t.region = load i32, ptr addrspace(5) %region, align 4
  %t.living = icmp ne i32 %t.pc, 0
  %t.alive = call i32 @llvm.amdgcn.ballot.i32(i1 %t.living)
  %t.none = icmp eq i32 %t.alive, 0
  br i1 %t.none, label %done, label %choose
choose:
  %t.served = load i32, ptr addrspace(5) %served, align 4
  %t.unserved = xor i32 %t.served, -1
  %t.rest = and i32 %t.alive, %t.unserved
  %t.again = icmp eq i32 %t.rest, 0
  %t.left = select i1 %t.again, i32 %t.alive, i32 %t.rest
  %t.before = select i1 %t.again, i32 0, i32 %t.served
  %t.leader = call i32 @llvm.cttz.i32(i32 %t.left, i1 true)
  %t.place = call i32 @llvm.amdgcn.readlane.i32(i32 %t.pc, i32 %t.leader)
  %t.kind = call i32 @llvm.amdgcn.readlane.i32(i32 %t.wait, i32 %t.leader)
  %t.mask = call i32 @llvm.amdgcn.readlane.i32(i32 %t.need, i32 %t.leader)
WHERE
  %t.waits = and i1 %t.like, %t.living
  %t.runs = icmp eq i32 %t.kind, 0
  %t.group.first = call i32 @llvm.amdgcn.readlane.i32(i32 %t.region, i32 %t.leader)
  %t.group.same = icmp eq i32 %t.region, %t.group.first
  %t.same.pc = and i1 %t.here, %t.group.same
  %t.same.need = icmp eq i32 %t.need, %t.mask
  %t.wants = lshr i32 %t.need, %t.leader
  %t.wants.it = trunc i32 %t.wants to i1
  %t.mutual = or i1 %t.wants.it, %t.same.need
  %t.meets = and i1 %t.waits, %t.mutual
  %t.there = call i32 @llvm.amdgcn.ballot.i32(i1 %t.meets)
  %t.same = select i1 %t.runs, i1 %t.same.pc, i1 %t.same.need
  %t.mine = and i1 %t.waits, %t.same
  %t.group = call i32 @llvm.amdgcn.ballot.i32(i1 %t.mine)
  %t.now = or i32 %t.before, %t.group
  store i32 %t.now, ptr addrspace(5) %served, align 4
  %t.absent.all = xor i32 %t.there, -1
  %t.absent = and i32 %t.alive, %t.absent.all
  br i1 %t.runs, label %run, label %look
run:
  store i32 0, ptr addrspace(5) %idle, align 4
  br i1 %t.mine, label %body, label %turned
turned:
  br label %turn
plain:
  %t.missing = and i32 %t.mask, %t.absent
  %t.complete = icmp eq i32 %t.missing, 0
  br i1 %t.complete, label %release, label %nothing
release:
  %t.go = select i1 %t.mine, i32 0, i32 %t.wait
  store i32 %t.go, ptr addrspace(5) %wait, align 4
  store i32 0, ptr addrspace(5) %idle, align 4
  br label %turn
block:
  %t.everyone = icmp eq i32 %t.absent, 0
  br i1 %t.everyone, label %cross, label %nothing
cross:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br label %release
nothing:
  %t.idle = load i32, ptr addrspace(5) %idle, align 4
  %t.idle.next = add i32 %t.idle, 1
  store i32 %t.idle.next, ptr addrspace(5) %idle, align 4
  %t.stuck = icmp ugt i32 %t.idle.next, PATIENCE
  br i1 %t.stuck, label %stuck, label %others
others:
  %t.vain = load i32, ptr addrspace(5) %vain, align 4
  %t.vain.next = add i32 %t.vain, 1
  store i32 %t.vain.next, ptr addrspace(5) %vain, align 4
  %t.part = and i32 %t.vain.next, LOOK
  %t.look = icmp eq i32 %t.part, 0
  br i1 %t.look, label %polled, label %turn
polled:
  %t.free = icmp eq i32 %t.wait, 0
  %t.runs.on = and i1 %t.free, %t.living
  %t.running = call i32 @llvm.amdgcn.ballot.i32(i1 %t.runs.on)
  %t.weary = load i1, ptr addrspace(5) %weary, align 4
  %t.tired = call i32 @llvm.amdgcn.ballot.i32(i1 %t.weary)
  %t.fresh.all = xor i32 %t.tired, -1
  %t.fresh = and i32 %t.running, %t.fresh.all
  %t.all.weary = icmp eq i32 %t.fresh, 0
  %t.opens = icmp ult i32 %t.kind, FIRST_BINDING
  %t.opened = and i1 %t.all.weary, %t.opens
  %t.long = icmp uge i32 %t.vain.next, POLLED
  %t.anew = or i1 %t.opened, %t.long
  %t.vain.kept = select i1 %t.anew, i32 0, i32 %t.vain.next
  store i32 %t.vain.kept, ptr addrspace(5) %vain, align 4
  %t.weary.kept = select i1 %t.anew, i1 false, i1 %t.weary
  store i1 %t.weary.kept, ptr addrspace(5) %weary, align 4
  br i1 %t.opened, label %release, label %turn
stuck:
  %t.convergence = icmp ult i32 %t.kind, FIRST_BINDING
  br i1 %t.convergence, label %release, label %hopeless
hopeless:
  %t.never = icmp ugt i32 %t.idle.next, DESPAIR
  br i1 %t.never, label %lost, label %turn
gone:
  store i32 0, ptr addrspace(5) %pc, align 4
  call void @llvm.trap()
  br label %turned"""

# Where chains of calls have numbers: who is at one block in another chain is elsewhere.
_IN_CHAIN = """\
  %t.chain = load i32, ptr addrspace(5) %chain, align 4
  %t.chain.first = call i32 @llvm.amdgcn.readlane.i32(i32 %t.chain, i32 %t.leader)
  %t.chain.same = icmp eq i32 %t.chain, %t.chain.first
  %t.somewhere = icmp ult i32 %t.kind, TOGETHER
  %t.beside = or i1 %t.chain.same, %t.somewhere
  %t.alike = icmp eq i32 %t.wait, %t.kind
  %t.like = and i1 %t.alike, %t.beside
  %t.at = icmp eq i32 %t.pc, %t.place
  %t.here = and i1 %t.at, %t.chain.same"""
_ANY_CHAIN = """\
  %t.like = icmp eq i32 %t.wait, %t.kind
  %t.here = icmp eq i32 %t.pc, %t.place"""

_AT_BSYNC = """\
bsync.N:
  %b.N.yielded = load i1, ptr addrspace(5) %yielded, align 4
  %b.N.yielding = call i32 @llvm.amdgcn.ballot.i32(i1 %b.N.yielded)
  %b.N.patient = xor i32 %b.N.yielding, -1
  %b.N.awaited = and i32 %t.absent, %b.N.patient
  %b.N.missing = and i32 %t.mask, %b.N.awaited
  %b.N.complete = icmp eq i32 %b.N.missing, 0
  br i1 %b.N.complete, label %bsync.N.open, label %nothing
bsync.N.open:
  %b.N.mask = load i32, ptr addrspace(5) %BN, align 4
  %b.N.part = icmp eq i32 %b.N.mask, %t.mask
  %b.N.others = xor i32 %t.group, -1
  %b.N.fewer = and i32 %t.mask, %b.N.others
  %b.N.new = select i1 %b.N.part, i32 %b.N.fewer, i32 %b.N.mask
  store i32 %b.N.new, ptr addrspace(5) %BN, align 4
  %b.N.still = select i1 %b.N.part, i1 false, i1 %b.N.yielded
  store i1 %b.N.still, ptr addrspace(5) %yielded, align 4
  br label %release"""

_AT_BREAK = """\
break.N:
  %k.N.mask = load i32, ptr addrspace(5) %BN, align 4
  %k.N.part = icmp eq i32 %k.N.mask, %t.mask
  %k.N.others = xor i32 %t.group, -1
  %k.N.fewer = and i32 %t.mask, %k.N.others
  %k.N.new = select i1 %k.N.part, i32 %k.N.fewer, i32 %k.N.mask
  store i32 %k.N.new, ptr addrspace(5) %BN, align 4
  %k.N.there = icmp eq i32 %t.wait, BSYNC_N
  %k.N.meant = icmp eq i32 %t.need, %t.mask
  %k.N.waiting = and i1 %k.N.there, %k.N.meant
  %k.N.need = select i1 %k.N.waiting, i32 %k.N.fewer, i32 %t.need
  store i32 %k.N.need, ptr addrspace(5) %need, align 4
  br label %release"""


class Independent(Flow):
    """Numbers of blocks, and the loop that serves them.

    numbers: label → number; joined, broken: barriers used; ways: a name for the way to a block → (the block's label,
    what is added to the number of the lane's chain of calls).
    """

    apart = True

    def __init__(self, e: LlvmEmitter) -> None:
        super().__init__(e)
        self.numbers: dict[str, int] = {"done": 0}
        self.joined: set[int] = set()
        self.broken: set[int] = set()
        self.ways: dict[str, tuple[str, int]] = {}
        e.initial |= {"wait": "0", "need": "0", "region": "0", "served": "0", "idle": "0", "vain": "0"}
        e.initial |= {"yielded": "false", "weary": "false"}
        for name in ("pc", "wait", "need", "region", "served", "idle", "vain"):
            e.used[name] = 32
        e.used["yielded"] = e.used["weary"] = 1

    def begin(self, label: str) -> str:
        self.e.initial["pc"] = str(self._number(label))
        return "turn"

    def _number(self, label: str) -> int:
        return self.numbers.setdefault(label, len(self.numbers))

    def along(self, label: str, added: int) -> str:
        if not added:
            return label
        self.e.used["chain"], self.e.initial["chain"] = 32, "0"
        way = f"{label}{added:+d}"
        self.ways[way] = label, added
        return way

    def goto(self, label: str) -> None:
        self.e.lines += self._leaving(label)

    def _leaving(self, label: str) -> Iterator[str]:
        """The lines that send a lane to a block."""
        label, added = self.ways.get(label, (label, 0))
        if added:
            old, new = self.e.name(), self.e.name()
            yield f"  {old} = load i32, ptr addrspace(5) %chain, align 4"
            yield f"  {new} = add i32 {old}, {constant(added, 32).text}"
            yield f"  store i32 {new}, ptr addrspace(5) %chain, align 4"
        yield f"  store i32 {self._number(label)}, ptr addrspace(5) %pc, align 4"
        yield "  br label %turned"

    def _go(self, number: str) -> None:
        self.e.raw(f"store i32 {number}, ptr addrspace(5) %pc, align 4")
        self.e.raw("br label %turned")

    def branch(self, condition: Value, yes: str, no: str) -> None:
        self._go(self._either(condition, yes, no))

    def _either(self, condition: Value, yes: str, no: str) -> str:
        chosen = constant(self._number(yes), 32), constant(self._number(no), 32)
        return self.e.select(condition, *chosen).text

    def unless(self, condition: Value, other: str) -> None:
        inside, elsewhere = self.e.new_label("taken"), self.e.new_label("other")
        self.e.raw(f"br i1 {condition.text}, label %{inside}, label %{elsewhere}")
        self.e.start(elsewhere)
        self.goto(other)
        self.e.go_on(inside)

    def switch(self, text: str, width: int, cases: list[tuple[int, str]]) -> list[str]:
        targets = {label: self.e.new_label("to") for _, label in [*cases, (0, "lost")]}
        listed = " ".join(f"i{width} {constant(n, width).text}, label %{targets[label]}" for n, label in cases)
        lines = [f"  switch i{width} {text}, label %{targets['lost']} [ {listed} ]"]
        for label, block in targets.items():
            lines += [f"{block}:", *self._leaving(label)]
        return lines

    # waiting
    def wait(self, kind: int, need: Value, guard: Value | None, then: str) -> None:
        """End the block: lanes that pass the guard wait, and go on at `then` as the others do at once."""
        held = constant(kind, 32)
        if guard is not None:
            held = self.e.select(guard, held, constant(0, 32))
        self.e.raw(f"store {typed(held)}, ptr addrspace(5) %wait, align 4")
        self.e.raw(f"store {typed(need)}, ptr addrspace(5) %need, align 4")
        self.goto(then)

    def together(self, block: str, need: Value) -> None:
        """End the block, and begin one that lanes enter when all that are needed have come to it."""
        self.wait(_TOGETHER + self._number(block), need, None, block)
        self.e.start_block(block)

    def group(self) -> Value:
        """The mask of those that these lanes run with; 0: with all."""
        return self.e.get_state("region", 32)

    def choose_group(self, mask: Value) -> None:
        """From here on these lanes run only with those that have the same mask; 0: with all."""
        self.e.put_state("region", mask)

    def note_yield(self) -> None:
        """These lanes wait for somebody."""
        self.e.put_state("yielded", constant(1, 1))
        self.e.put_state("weary", constant(1, 1))

    def synchronise(self, barrier: int, guard: Value | None, then: str) -> None:
        """BSYNC."""
        self.joined.add(barrier)
        mask = self.e.get_state(f"B{barrier}", 32)
        self.e.put_state("yielded", constant(0, 1))
        self.e.write_back()
        self.wait(_BSYNC + barrier, mask, guard, then)

    def leave(self, barrier: int, guard: Value | None, then: str) -> None:
        """BREAK: the barrier's other lanes learn of it from the loop."""
        self.broken.add(barrier)
        mask = self.e.get_state(f"B{barrier}", 32)
        self.e.write_back()
        self.wait(_BREAK + barrier, mask, guard, then)

    def finish(self) -> None:
        e = self.e
        self._number("lost")
        e.in_memory = len(self.numbers) > _MANY
        for name in ("ballot.i32(i1)", "readlane.i32(i32, i32)"):
            e.declarations[f"llvm.amdgcn.{name.partition('(')[0]}"] = f"declare i32 @llvm.amdgcn.{name}"
        e.declarations["llvm.cttz.i32"] = "declare i32 @llvm.cttz.i32(i32, i1 immarg)"
        e.declarations["llvm.amdgcn.s.barrier"] = "declare void @llvm.amdgcn.s.barrier()"
        cases = [(WARPSYNC, "plain"), (BLOCK_BARRIER, "block")]
        cases += [(_BSYNC + n, f"bsync.{n}") for n in sorted(self.joined)]
        cases += [(_BREAK + n, f"break.{n}") for n in sorted(self.broken)]
        turn = _TURN.replace("PATIENCE", str(_PATIENCE)).replace("DESPAIR", str(2 * _PATIENCE))
        turn = turn.replace("POLLED", str(_POLLED)).replace("LOOK", str(_LOOK - 1))
        turn = turn.replace("FIRST_BINDING", str(WARPSYNC))
        turn = turn.replace("WHERE", _IN_CHAIN.replace("TOGETHER", str(_TOGETHER)) if self.ways else _ANY_CHAIN)
        e.lines += turn.replace("%choose\n", "%choose, !prof !4\n", e.in_memory).splitlines()
        e.lines += ["look:", f"  switch i32 %t.kind, label %plain [ {_listed(cases)} ]"]
        for template, used in ((_AT_BSYNC, self.joined), (_AT_BREAK, self.broken)):
            for n in sorted(used):
                e.initial[f"B{n}"], e.used[f"B{n}"] = "0", 32
                text = template.replace("BSYNC_N", str(_BSYNC + n)).replace("%BN", f"%B{n}")
                e.lines += text.replace(".N", f".{n}").splitlines()
        blocks = [(number, label) for label, number in self.numbers.items() if label not in ("done", "lost")]
        e.lines += ["body:", f"  switch i32 %t.place, label %gone [ {_listed(blocks)} ]"]


def _listed(cases: list[tuple[int, str]]) -> str:
    return " ".join(f"i32 {number}, label %{label}" for number, label in cases)
