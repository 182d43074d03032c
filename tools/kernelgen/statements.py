"""Random statements: declarations, assignments, divergent and uniform control flow, shared memory, cross-lane."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from tools.kernelgen.expressions import TYPES, Scope, condition, expression

BLOCK = 64  # threads per block; two full warps, so that barriers matter


class Writer:
    """Collects lines; `uniform` is true where all threads of the block are sure to arrive together."""

    def __init__(self, scope: Scope, budget: int) -> None:
        self.lines: list[str] = []
        self.scope = scope
        self.budget = budget
        self.names: Iterator[int] = count()

    def line(self, text: str, indent: int) -> None:
        """One line of the kernel's body."""
        self.lines.append("    " * indent + text)

    def declare(self, scope: Scope, indent: int, kind: str, value: str) -> str:
        """A new variable."""
        name = f"v{next(self.names)}"
        self.line(f"{kind} {name} = {value};", indent)
        scope.variables[kind].append(name)
        return name

    def block(self, scope: Scope, indent: int, uniform: bool, size: int) -> None:
        """Some statements; nested blocks spend the same budget."""
        for _ in range(size):
            if self.budget <= 0:
                return
            self.budget -= 1
            self.statement(scope, indent, uniform)

    def statement(self, scope: Scope, indent: int, uniform: bool) -> None:
        """One random statement."""
        rng = scope.rng
        choice = rng.random()
        if choice < 0.35:
            kind = rng.choice(TYPES)
            self.declare(scope, indent, kind, expression(scope, kind, 3))
        elif choice < 0.60:
            self.assign(scope, indent)
        elif choice < 0.72:
            self.branch(scope, indent)
        elif choice < 0.82:
            self.loop(scope, indent, uniform)
        elif choice < 0.87:
            self.switch(scope, indent)
        elif choice < 0.92:
            self.array(scope, indent)
        elif uniform:
            rng.choice((self.shared, self.shuffle, self.vote))(scope, indent)

    def assign(self, scope: Scope, indent: int) -> None:
        """Overwrite a variable, or fold a value into the result."""
        rng = scope.rng
        kind = rng.choice(TYPES)
        name = scope.pick(kind)
        if name and name.startswith("v") and rng.random() < 0.7:
            self.line(f"{name} = {expression(scope, kind, 3)};", indent)
        else:
            self.line(f"acc = fold(acc, {expression(scope, kind, 2)});", indent)

    def branch(self, scope: Scope, indent: int) -> None:
        """if, often with else; both sides diverge."""
        self.line(f"if ({condition(scope, 2)}) {{", indent)
        self.block(scope.child(), indent + 1, False, scope.rng.randrange(1, 4))
        if scope.rng.random() < 0.5:
            self.line("} else {", indent)
            self.block(scope.child(), indent + 1, False, scope.rng.randrange(1, 4))
        self.line("}", indent)

    def loop(self, scope: Scope, indent: int, uniform: bool) -> None:
        """A bounded loop: uniform trip count, or one that each lane leaves on its own."""
        rng = scope.rng
        name = f"i{next(self.names)}"
        inner = scope.child()
        same = uniform and rng.random() < 0.5
        bound = str(rng.randrange(2, 9)) if same else f"({expression(scope, 'u32', 1)} & 7) + 1"
        self.line(f"for (u32 {name} = 0, {name}_end = {bound}; {name} < {name}_end; ++{name}) {{", indent)
        inner.variables["u32"].append(name)
        self.block(inner, indent + 1, same, rng.randrange(1, 4))
        if not same and rng.random() < 0.5:
            self.line(f"if ({condition(inner, 1)}) {rng.choice(('break', 'continue'))};", indent + 1)
        self.line(f"acc = fold(acc, {expression(inner, 'u32', 1)});", indent + 1)
        self.line("}", indent)

    def switch(self, scope: Scope, indent: int) -> None:
        """A switch with fall-through, dense enough for a jump table."""
        rng = scope.rng
        cases = rng.choice((3, 6, 9))
        self.line(f"switch ({expression(scope, 'u32', 2)} % {cases + 1}u) {{", indent)
        for number in range(cases):
            self.line(f"case {number}:", indent)
            self.line(f"acc = fold(acc, {expression(scope, rng.choice(TYPES), 2)});", indent + 1)
            if rng.random() < 0.75:
                self.line("break;", indent + 1)
        self.line("default:", indent)
        self.line(f"acc ^= {expression(scope, 'u32', 1)};", indent + 1)
        self.line("}", indent)

    def array(self, scope: Scope, indent: int) -> None:
        """A local array with run-time indices."""
        name = f"a{next(self.names)}"
        kind = scope.rng.choice(("u32", "u64", "f32"))
        self.line(f"{kind} {name}[8];", indent)
        self.line(f"for (int j = 0; j < 8; ++j) {name}[j] = {expression(scope, kind, 1)};", indent)
        self.line(f"{name}[{expression(scope, 'u32', 1)} & 7] = {expression(scope, kind, 2)};", indent)
        self.declare(scope, indent, kind, f"{name}[{expression(scope, 'u32', 1)} & 7]")

    def shared(self, scope: Scope, indent: int) -> None:
        """Exchange through shared memory between two barriers."""
        rng = scope.rng
        self.line("__syncthreads();", indent)
        if rng.random() < 0.4:
            operation = rng.choice(("Add", "Xor", "Max", "Min", "Or", "And"))
            cell = f"&cells[{expression(scope, 'u32', 1)} & {BLOCK - 1}]"
            self.line(f"atomic{operation}({cell}, {expression(scope, 'u32', 1)});", indent)
        else:
            self.line(f"cells[threadIdx.x] = {expression(scope, 'u32', 2)};", indent)
        self.line("__syncthreads();", indent)
        self.declare(scope, indent, "u32", f"cells[{expression(scope, 'u32', 1)} & {BLOCK - 1}]")

    def shuffle(self, scope: Scope, indent: int) -> None:
        """A full-warp shuffle or match."""
        rng = scope.rng
        kind = rng.choice(("u32", "u64", "f32", "s32"))
        value = expression(scope, kind, 1)
        mode = rng.choice(("_sync", "_up_sync", "_down_sync", "_xor_sync"))
        lane = f"(int)({expression(scope, 'u32', 1)} & 31)" if mode == "_sync" else str(rng.randrange(1, 32))
        width = rng.choice((32, 32, 16, 8))
        self.declare(scope, indent, kind, f"__shfl{mode}(0xffffffffu, {value}, {lane}, {width})")

    def vote(self, scope: Scope, indent: int) -> None:
        """A ballot, any, all, or integer warp reduction."""
        rng = scope.rng
        if rng.random() < 0.4:
            operation = rng.choice(("add", "min", "max", "and", "or", "xor"))
            self.declare(scope, indent, "u32", f"__reduce_{operation}_sync(0xffffffffu, {expression(scope, 'u32', 1)})")
        else:
            call = rng.choice(("__ballot_sync", "(u32)__any_sync", "(u32)__all_sync"))
            self.declare(scope, indent, "u32", f"{call}(0xffffffffu, {condition(scope, 1)})")
