"""What to try of a kernel: launch shapes, sizes and classes of values, the most informative first.

In: the kernel, a `Survey`, a seed. Out: `Scenario`s, of which `inputs.make_input` makes memory and parameters.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from cass_shim.isa import shared_memory
from cass_shim.model.artifacts import SassKernel
from cass_shim.model.kernel_abi import SHARED_OPT_IN_SPILLED, WARP
from cass_shim.verify.inputs import Roles, Scenario, Shape
from cass_shim.verify.survey import Survey

EDGES = 3  # bounds that are tried as 0
STEPS, BEYOND = 2, 5  # how many of an index's steps are tried as bounds, and how far behind them
EDGE_SIZE = 9  # the others then: small, since it is the edge that counts, and no multiple of a tile
ROUNDS, MOST_ELEMENTS = 19, 4864  # of a loop over one block's elements: four times four and three, or five times four
BELOW = 7  # elements: fewer than threads, and no power of two
SMALL_BLOCK = (8, 8, 1)  # of those with two dimensions: rows that do not fill a warp
MANY_THREADS = 512  # of the launch that is there for its many values
FLOATS = ("f16", "bf16", "f32", "f64")
IDLE_BLOCKS, IDLE_SIZE = 4, 33  # of the launch that is there for those without work: size a little more than a warp


def shapes(kernel: SassKernel, found: Survey) -> list[Shape]:
    """Launch shapes worth trying, most useful first."""
    dynamic = 0
    static = kernel.abi.shared_bytes - (shared_memory.RESERVED_BYTES if kernel.sm >= shared_memory.FIRST_SM else 0)
    if kernel.abi.spilled:
        dynamic = SHARED_OPT_IN_SPILLED - max(static, 0)
    elif found.shared and (static <= 0 or found.both_shared):
        dynamic = 8192
    if kernel.abi.required_block is not None:
        blocks = [kernel.abi.required_block]
    elif found.dimensions == 1:
        # a block usually stages one or two elements a thread
        held = [static // size for size in (4, 8, 16) if static % size == 0] if found.shared else []
        likely = [n for n in held if 32 <= n <= 1024 and n % 32 == 0]
        sizes = dict.fromkeys([*likely[:2], 64, 256, 128, 32, 50])
        blocks = [(n, 1, 1) for n in sizes]
    elif found.dimensions == 2:
        blocks = [(16, 16, 1), (32, 8, 1), (8, 8, 1), (32, 32, 1), (32, 1, 1), (13, 5, 1)]
    else:
        blocks = [(8, 4, 2), (16, 4, 4), (4, 4, 4), (64, 1, 1)]
    limit = kernel.abi.max_threads or 1024
    grid = {1: (2, 1, 1), 2: (2, 2, 1), 3: (2, 1, 2)}[found.dimensions]
    if not found.many_blocks or found.grid_sync:  # blocks that wait for each other spin, for nobody knows how long
        grid = (1, 1, 1)
    listed = [Shape(grid, block, dynamic) for block in blocks if math.prod(block) <= limit]
    tried = [shape for shape in listed if shape.is_whole or not found.whole_warps]
    return tried or [Shape(grid, (min(limit, WARP), 1, 1), dynamic)]


def typical_size(found: Survey, shape: Shape) -> int:
    """A value for integer parameters that makes some threads of the last block idle."""
    threads = shape.block[0] * shape.block[1] * shape.block[2]
    return 24 if found.dimensions > 1 else min(threads, 64) + 28


def probes(kernel: SassKernel, found: Survey, seed: int) -> list[Scenario]:
    """One scenario per shape, to find a block the kernel was made for; also teaches roles and kinds."""
    tried = shapes(kernel, found)
    return [Scenario(s, "small", typical_size(found, s), seed + 20 * n) for n, s in enumerate(tried)]


def scenarios(kernel: SassKernel, found: Survey, main: Shape, seed: int) -> list[Scenario]:
    """What to try after the first success, most informative first. main: the shape that worked."""
    others = [s for s in shapes(kernel, found) if s != main] or [main]
    plain = "whole" if found.float_atomics else "random"
    special, wide = (plain, plain) if found.float_atomics else ("special", "wide")
    size = typical_size(found, main)
    plan = [Scenario(main, plain, size, seed + 1)]
    if found.atomics:  # nobody to race with, or only its warp: nearly everything is defined
        # ptxas may have folded some exchanges away, and what the program's PTX gives there is undefined
        alone = (WARP if found.exchanges or found.whole_warps else 1, 1, 1)
        plan.append(Scenario(Shape((1, 1, 1), alone, main.dynamic_shared), "small", size, seed + 8))
    plan.append(Scenario(main, plain, size, seed + 12, powers=2))
    plan.append(_many_values(found, _largest(main, others), plain, seed))
    plan.append(_mostly_idle(found, _largest(main, others), seed))
    # another block early: loops that go round once in the main one go round several times, or not at all
    plan.append(Scenario(others[0], wide, size, seed + 4, vary_sizes=True))
    plan.append(Scenario(main, special, size - 7, seed + 3))
    plan.append(Scenario(main, special, IDLE_SIZE, seed + 14))
    plan.append(_long_loops(found, main, plain, seed))
    plan.append(Scenario(main, wide, size + 5, seed + 2, vary_sizes=True))
    plan.append(Scenario(main, "sorted", 16, seed + 5, vary_sizes=True))
    plan.append(Scenario(others[-1], wide, 33, seed + 9))
    return plan


def _long_loops(found: Survey, main: Shape, plain: str, seed: int) -> Scenario:
    """More elements than threads, so that loops over the grid go round, some often enough for an unrolled one with
    another number left over; long inner dimensions, for the same."""
    if found.dimensions > 1:
        return Scenario(main, plain, 72, seed + 10)
    threads = math.prod(main.block)
    rounds = max(ROUNDS * WARP, min(ROUNDS * threads, MOST_ELEMENTS)) // threads
    return Scenario(replace(main, grid=(1, 1, 1)), plain, rounds * threads + threads // 2 + 5, seed + 10)


def _largest(main: Shape, others: list[Shape]) -> Shape:
    """The one with most threads of those with full warps."""
    return max((main, *others), key=lambda shape: math.prod(shape.block) if shape.is_whole else 0)


def _many_values(found: Survey, shape: Shape, plain: str, seed: int) -> Scenario:
    """Numbers of every kind for many threads at once: what only rare values show, such as a half of a 64-bit number
    that is all ones. The reference takes little longer over more threads, as it runs all lanes of a launch together."""
    values = plain if found.float_atomics else "mixed"
    if found.dimensions > 1 or shape.grid == (1, 1, 1):
        return Scenario(shape, values, typical_size(found, shape), seed + 13)
    grid = (max(shape.grid[0], MANY_THREADS // shape.block[0]), 1, 1)
    return Scenario(replace(shape, grid=grid), values, grid[0] * shape.block[0] - 5, seed + 13)


def _mostly_idle(found: Survey, shape: Shape, seed: int) -> Scenario:
    """Large blocks most of whose threads have no element, and blocks that have none at all: what such threads do to
    those that work, and what is left where nobody works, which a maximum of negative numbers shows."""
    values = "whole" if found.float_atomics else "negative"
    if found.dimensions > 1 or shape.grid == (1, 1, 1):
        return Scenario(shape, values, EDGE_SIZE, seed + 15)
    return Scenario(replace(shape, grid=(IDLE_BLOCKS, 1, 1)), values, IDLE_SIZE, seed + 15)


def corners(kernel: SassKernel, found: Survey, main: Shape, seed: int) -> list[Scenario]:
    """Sizes and shapes at the edge, each of which told mutants that nothing else did (docs/verification.md).

    One element; blocks that end in part of a warp with work for all their threads, so that a lane which is not there
    shows when it is woken; fewer elements than threads; rows that fill no warp; a bound of 4 and the next of 32, for
    loops that begin in the middle; extremes at the end of a warp, where lanes are combined. With shared floats
    infinities, at sizes that rise: what a tile holds of the one before, or of beyond an edge, shows where it is an
    infinity times 0, at either size in more than half of all seeds.
    """
    plain = "whole" if found.float_atomics else "random"
    tried = [Scenario(main, "equal", 1, seed + 6), Scenario(main, plain, BELOW, seed + 20)]
    if found.dimensions == 2:
        small = next((shape for shape in shapes(kernel, found) if shape.block == SMALL_BLOCK), main)
        tried += [Scenario(small, plain, BELOW, seed + 21), Scenario(small, plain, BELOW, seed + 22, powers=4)]
    else:
        tried.append(Scenario(main, plain, BELOW, seed + 22, powers=4))
    if (found.exchanges or found.shared or found.atomics) and not found.float_atomics:
        tried.append(Scenario(main, "peaks", typical_size(found, main), seed + 23))
    part = next((shape for shape in shapes(kernel, found) if not shape.is_whole), None)
    if part is not None:
        several = found.dimensions == 1 and part.grid != (1, 1, 1)
        part = replace(part, grid=(IDLE_BLOCKS, 1, 1)) if several else part
        size = BELOW if found.shared else 72  # a tile of a part of a block has no room for more
        if found.dimensions == 1:
            size = 3 * math.prod(part.block) * part.grid[0] + 37
        tried.append(Scenario(part, plain, size, seed + 16))
    if found.shared and not found.float_atomics and any(kind in FLOATS for kind in found.loads.values()):
        sizes = (typical_size(found, main) - 7, IDLE_SIZE)
        tried += [Scenario(main, "infinite", size, 2 * seed + 19 + 40 * n) for n, size in enumerate(sizes)]  # odd seeds
    return tried


def edges(found: Survey, roles: Roles, main: Shape, seed: int) -> list[Scenario]:
    """Inputs at the edge of what code compares with: bounds just beyond what it adds to an index, and bounds of 0.

    The latter, a loop that does not go round or an array without elements, not with lanes that may meet: a stride or a
    count of 0 makes them race for one address, and where there are atomics nobody can tell. There one thread goes
    alone, or one warp, where its lanes read each other or blocks wait for each other.
    """
    plain = "whole" if found.float_atomics else "random"
    steps = sorted(found.steps)[:STEPS] if found.bounds and found.dimensions == 1 else []
    beyond = [Scenario(main, plain, step + BEYOND, seed + 50 + step) for step in steps]
    if found.bounds and found.dimensions > 1:  # a block's width and one more of each dimension, which is a tile of one
        beyond.append(Scenario(main, plain, main.block[0] + 1, seed + 50, alike=True))
    alone = (WARP if found.exchanges or found.whole_warps or found.grid_sync else 1, 1, 1)
    shape = Shape((1, 1, 1), alone, main.dynamic_shared) if found.atomics or found.grid_sync else main
    known = sorted(at for at, kind in found.scalars.items() if kind == "i32" and at & ~7 in found.bounds)
    taken = {at for start in roles.pointers for at in (start, start + 4)}
    offsets = [at for at in known if at not in taken][:EDGES]
    return [*beyond, *(Scenario(shape, "sorted", EDGE_SIZE, seed + 30 + at, edge=at) for at in offsets)]


def variation(
    kernel: SassKernel, found: Survey, main: Shape, bounds: list[int], random: np.random.Generator
) -> Scenario:
    """A scenario at random for the search of uncovered code. bounds: numbers the code compares with."""
    known = shapes(kernel, found)
    shape = main if random.random() < 0.6 else known[int(random.integers(len(known)))]
    sizes = [1, 2, 3, 5, 8, 16, 33, 64, 100, 300, 700, *(b + d for b in bounds for d in (0, 1))]
    classes = ["random", "special", "wide", "mixed", "negative", "sorted", "equal", "small"]
    classes = ["whole", "small"] if found.float_atomics else classes
    return Scenario(
        shape,
        classes[int(random.integers(len(classes)))],
        max(1, int(sizes[int(random.integers(len(sizes)))])),
        int(random.integers(1 << 30)),
        vary_sizes=bool(random.random() < 0.5),
    )
