"""Cross-lane instructions and warp-level synchronisation. Source: PTX ISA 9.0 §9.7.9.6, §9.7.13.

A warp is a wave32. Lanes named in a member mask execute the instruction together (the compiler keeps these calls
convergent); other lanes that happen to be active are masked out of the result. `shfl` and `vote` without `.sync` are of
code for GPUs before sm_70, where the lanes that are active take part; a newer GPU still runs it.
"""

from __future__ import annotations

from collections.abc import Sequence

from cass_shim.isa.ptx.spec import Use, Writer, ptx
from cass_shim.isa.ptx.syntax import Operand, Pair, Sink


def _split(operand: Operand) -> tuple[Operand, Operand]:
    return (operand.first, operand.second) if isinstance(operand, Pair) else (operand, Sink())


_ALL = "0xffffffffu"


def _mask(w: Writer, i: Use, operands: Sequence[Operand]) -> str:
    """The lanes that take part: the last operand, or all that are there."""
    return w.get(operands[0], "u32") if operands else _ALL


@ptx("shfl.{sync}?.{mode:up|down|bfly|idx}.{t:b32}")
def shfl(w: Writer, i: Use) -> None:
    """The value of a in another lane of the segment that c describes; own value and p false beyond it."""
    d, a, b, c, *mask = i.take(5 if i["sync"] else 4)
    _mask(w, i, mask)
    value, inside = _split(d)
    x, lane, clamp = w.get(a, "b32"), w.get(b, "b32"), w.get(c, "b32")
    if isinstance(inside, Sink):
        w.set(value, "b32", f"ptx_shfl_{i['mode']}({x}, {lane}, {clamp})")
        return
    got, ok = w.fresh("got"), w.fresh("inside")
    w.line(f"bool {ok}")
    w.line(f"u32 {got} = ptx_shfl_{i['mode']}({x}, {lane}, {clamp}, &{ok})")
    w.set(value, "b32", got)
    w.set(inside, "pred", ok)


@ptx("vote.{sync}?.{mode:all|any|uni}.{t:pred}")
def vote(w: Writer, i: Use) -> None:
    """Whether p holds in all, in any, or the same in all lanes of the mask."""
    d, a, *mask = i.take(3 if i["sync"] else 2)
    w.set(d, "pred", f"ptx_vote_{i['mode']}({w.get(a, 'pred')}, {_mask(w, i, mask)})")


@ptx("vote.{sync}?.ballot.{t:b32}")
def ballot(w: Writer, i: Use) -> None:
    """One bit per lane of the mask."""
    d, a, *mask = i.take(3 if i["sync"] else 2)
    w.set(d, "b32", f"__builtin_amdgcn_ballot_w32({w.get(a, 'pred')}) & {_mask(w, i, mask)}")


@ptx("match.any.sync.{t:b32|b64}")
def match_any(w: Writer, i: Use) -> None:
    """The lanes of the mask whose a is the same."""
    d, a, mask = i.take(3)
    w.set(d, "u32", f"ptx_match_any({w.get(a, i.t)}, {w.get(mask, 'u32')})")


@ptx("match.all.sync.{t:b32|b64}")
def match_all(w: Writer, i: Use) -> None:
    """The lanes of the mask that exist when a is the same in all of them, else 0; p says which."""
    d, a, mask = i.take(3)
    value, same = _split(d)
    held, members = w.fresh("all"), w.get(mask, "u32")
    w.line(f"bool {held} = ptx_match_all({w.get(a, i.t)}, {members})")
    w.set(value, "u32", f"{held} ? ptx_present({members}) : 0u")
    w.set(same, "pred", held)


@ptx(
    "redux.sync.{op:add|min|max}.{t:u32|s32}",
    "redux.sync.{op:and|or|xor}.{t:b32}",
    "redux.sync.{op:min|max}.{abs}?.{NaN}?.{t:f32}",
)
def redux(w: Writer, i: Use) -> None:
    """The reduction of a over the lanes of the mask, in every one of them."""
    d, a, mask = i.take(3)
    if i.t == "f32":
        x = w.get(a, "f32")
        x = f"__builtin_fabsf({x})" if i["abs"] else x
        w.set(d, "f32", f"ptx_redux_f{i['op']}{'_nan' if i['NaN'] else ''}({x}, {w.get(mask, 'u32')})")
    else:
        t = "u32" if i.t == "b32" else i.t
        w.set(d, t, f"ptx_redux_{i['op']}({w.get(a, t)}, {w.get(mask, 'u32')})")


@ptx("activemask.{t:b32}")
def activemask(w: Writer, i: Use) -> None:
    """The lanes that execute this together."""
    w.set(i.take(1)[0], "b32", "__builtin_amdgcn_ballot_w32(true)")


@ptx("elect.sync")
def elect(w: Writer, i: Use) -> None:
    """One leader of the mask: its lowest lane."""
    d, mask = i.take(2)
    leader, elected = _split(d)
    members = w.get(mask, "u32")
    w.set(leader, "u32", f"(u32)__builtin_ctz({members})")
    w.set(elected, "pred", f"ptx_lane() == (u32)__builtin_ctz({members})")


@ptx("bar.warp.sync")
def bar_warp(w: Writer, i: Use) -> None:
    """Lanes of a wave run in step; what remains is the memory order between them."""
    w.get(i.take(1)[0], "u32")
    w.line("ptx_wave_barrier()")
