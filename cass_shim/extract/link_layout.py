"""Where shared memory and the constants of called functions lie in each kernel, when cubins are linked.

A called function's code is the same for all its callers, so what it reads lies at one place in all kernels that may
call it: shared variables and bank 2 of functions come first, a kernel's own behind them, dynamic shared memory last;
handles of texture and surface references lie behind the longest parameters.
In: objects with their symbols resolved. Out: `Layout`. Source: nvlink 13.0's results, which have this order.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from cass_shim.extract.cubin import STO_CUDA_ENTRY as ENTRY
from cass_shim.extract.elf import STT_FUNC, Elf, Section, Symbol
from cass_shim.extract.fatbin import cubin_sm
from cass_shim.extract.link_fields import FIELDS
from cass_shim.extract.link_symbols import REFERENCES, SHARED, SPACE, Place, Symbols, is_extern_shared
from cass_shim.model.errors import LinkFailed, Malformed

CALLS, TAKEN, INDIRECT, REFERS = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFC  # groups of .nv.callgraph
BANK_LIMIT, DYNAMIC_ALIGN, LARGEST_ALIGN, HANDLE_BYTES = 1 << 16, 16, 1 << 16, 4
HANDLES_ALIGN = 16  # from sm_100 on. Source: nvlink 13.0 on parameters of 380 to 416 bytes

Code = tuple[int, int]  # a function: object, section


def align(value: int, to: int) -> int:
    """The next multiple."""
    if to > LARGEST_ALIGN:
        raise Malformed(f"alignment of {to:#x}", where="cuLink")
    return -(-value // max(to, 1)) * max(to, 1)


@dataclass
class Layout:
    """Offsets by (object, symbol) for shared variables and by function for bank 2; sizes by kernel."""

    shared: dict[tuple[int, int], int] = field(default_factory=dict)
    dynamic: dict[Code, int] = field(default_factory=dict)  # function → where dynamic shared memory begins for it
    shared_size: dict[Code, int] = field(default_factory=dict)
    uses_shared: set[Code] = field(default_factory=set)  # kernels
    bank2: dict[Code, int] = field(default_factory=dict)
    bank2_content: dict[Code, bytes] = field(default_factory=dict)
    references: dict[tuple[int, int], int] = field(default_factory=dict)  # of textures, surfaces: words of bank 0
    handles: dict[Code, dict[int, Place]] = field(default_factory=dict)  # kernel → its words of bank 0
    calls: dict[Code, set[Code]] = field(default_factory=dict)
    reached: dict[Code, frozenset[Code]] = field(default_factory=dict)  # by a kernel, itself too


@dataclass
class Planner:
    """Makes the layout. functions: chosen code sections with the symbol each is named after, in output order."""

    symbols: Symbols
    functions: dict[Code, Symbol]
    layout: Layout = field(default_factory=Layout)

    def plan(self) -> Layout:
        """The layout of all kernels."""
        graph = self.layout.calls = self._call_graph()
        kernels = [code for code, symbol in self.functions.items() if symbol.other & ENTRY]
        for kernel in kernels:
            self.layout.reached[kernel] = _closure(graph, kernel)
        called = [code for code, symbol in self.functions.items() if not symbol.other & ENTRY]
        self._place_shared(kernels, called)
        self._place_bank2(kernels, called)
        self._place_references(kernels)
        return self.layout

    # who may call whom

    def _code(self, place: Place) -> Code | None:
        code = (place.of, place.symbol.section)
        return code if place.symbol.kind == STT_FUNC and code in self.functions else None

    def _call_graph(self) -> dict[Code, set[Code]]:
        graph: dict[Code, set[Code]] = defaultdict(set)
        taken: dict[str, set[Code]] = defaultdict(set)
        through: dict[Code, set[str]] = defaultdict(set)
        for number, elf in enumerate(self.symbols.objects):
            for group, caller, word in _call_records(elf):
                here = self._code(self.symbols.find(number, _symbol(elf, caller)))
                if here is None:
                    continue
                if group in (CALLS, REFERS):
                    there = self._code(self.symbols.find(number, _symbol(elf, word)))
                    graph[here].update((there,) if there else ())
                elif group == TAKEN:
                    taken[_prototype(elf, word)].add(here)
                elif group == INDIRECT:
                    through[here].add(_prototype(elf, word))
        for caller_code, prototypes in through.items():
            for prototype in prototypes:
                graph[caller_code] |= taken[prototype]
        return graph

    # shared memory

    def _shared_of(self, code: Code) -> tuple[list[tuple[int, Symbol]], bool]:
        """Shared variables that a function's code refers to, and whether dynamic shared memory is among them."""
        found: dict[tuple[int, int], Symbol] = {}
        dynamic = False
        elf = self.symbols.objects[code[0]]
        for record in elf.relocations.get(code[1], ()):
            if record.symbol.other & SPACE != SHARED:
                continue
            place = self.symbols.find(code[0], record.symbol)
            if is_extern_shared(place.symbol):
                dynamic = True
            else:
                found[place.of, place.symbol.index] = place.symbol
        return [(of, symbol) for (of, _), symbol in sorted(found.items())], dynamic

    def _place(self, variables: list[tuple[int, Symbol]], at: int) -> int:
        """Give each variable that has none a place from `at` on; the end. A shared symbol's value is its alignment."""
        for of, symbol in variables:
            if (of, symbol.index) in self.layout.shared:
                continue
            at = align(at, symbol.value)
            self.layout.shared[of, symbol.index] = at
            at += symbol.size
        return at

    def _place_shared(self, kernels: list[Code], called: list[Code]) -> None:
        layout, common = self.layout, 0
        users: set[Code] = set()
        dynamic_users: set[Code] = set()
        for code in called:
            variables, dynamic = self._shared_of(code)
            common = self._place(variables, common)
            users.update((code,) if variables else ())
            dynamic_users.update((code,) if dynamic else ())
        ends: dict[Code, int] = {}
        for kernel in kernels:
            variables, dynamic = self._shared_of(kernel)
            declared = self._declared_shared(kernel)
            end = self._place(variables + declared, common if users & layout.reached[kernel] else 0)
            is_dynamic = dynamic or bool(dynamic_users & layout.reached[kernel])
            ends[kernel] = layout.shared_size[kernel] = align(end, DYNAMIC_ALIGN) if is_dynamic else end
            layout.dynamic[kernel] = ends[kernel]
            layout.uses_shared.update((kernel,) if end or is_dynamic else ())
        sharing = [kernel for kernel in kernels if dynamic_users & layout.reached[kernel]]
        start = max((ends[kernel] for kernel in sharing), default=0)
        for kernel in sharing:
            layout.shared_size[kernel] = layout.dynamic[kernel] = start
        layout.dynamic.update(dict.fromkeys(dynamic_users, start))

    def _declared_shared(self, kernel: Code) -> list[tuple[int, Symbol]]:
        """Variables in the kernel's own shared section, referred to or not."""
        elf = self.symbols.objects[kernel[0]]
        section = elf.about(".nv.shared.", elf.sections[kernel[1]])
        held = elf.symbols_of.get(section.index, ()) if section else ()
        return [(kernel[0], one) for one in held if one.size and one.other & SPACE == SHARED]

    # bank 2

    def _bank2_of(self, code: Code) -> Section | None:
        elf = self.symbols.objects[code[0]]
        return elf.about(".nv.constant2.", elf.sections[code[1]])

    def _place_bank2(self, kernels: list[Code], called: list[Code]) -> None:
        layout, common = self.layout, bytearray()
        users: set[Code] = set()
        for code in called:
            section = self._bank2_of(code)
            if section is None or not section.size:
                continue
            layout.bank2[code] = _append(common, section, self.functions[code].plain)
            users.add(code)
        for kernel in kernels:
            content = bytearray(common) if users & layout.reached[kernel] else bytearray()
            own = self._bank2_of(kernel)
            if own is not None and own.size:
                layout.bank2[kernel] = _append(content, own, self.functions[kernel].plain)
            if content:
                layout.bank2_content[kernel] = bytes(content)

    # texture and surface references

    def _place_references(self, kernels: list[Code]) -> None:
        """Words behind the parameters of all kernels, so that code which several call finds them at one place."""
        elves, layout = self.symbols.objects, self.layout
        sections = [elves[of].about(".nv.constant0.", elves[of].sections[index]) for of, index in kernels]
        to = HANDLES_ALIGN if elves and cubin_sm(elves[0]) >= 100 else HANDLE_BYTES
        start = align(max((one.size for one in sections if one), default=0), to)
        used = {code: list(self._references_of(code)) for code in self.functions}
        for place in (one for places in used.values() for one in places):
            layout.references.setdefault((place.of, place.symbol.index), start + HANDLE_BYTES * len(layout.references))
        for kernel in kernels:
            reached = [one for code in layout.reached[kernel] for one in used[code]]
            layout.handles[kernel] = {layout.references[one.of, one.symbol.index]: one for one in reached}

    def _references_of(self, code: Code) -> Iterator[Place]:
        for record in self.symbols.objects[code[0]].relocations.get(code[1], ()):
            if record.kind in FIELDS and record.symbol.kind in REFERENCES:
                yield self.symbols.find(code[0], record.symbol)


def _append(content: bytearray, section: Section, of: str) -> int:
    """Where in bank 2 the constants of a function begin."""
    content += bytes(align(len(content), section.align) - len(content))
    start = len(content)
    content += section.content
    if len(content) > BANK_LIMIT:
        raise LinkFailed(f"constants of {len(content)} bytes in bank 2 of", symbol=of)
    return start


def _closure(graph: dict[Code, set[Code]], start: Code) -> frozenset[Code]:
    seen, waiting = {start}, [start]
    while waiting:
        fresh = graph.get(waiting.pop(), set()) - seen
        seen |= fresh
        waiting += fresh
    return frozenset(seen)


def _call_records(elf: Elf) -> Iterator[tuple[int, int, int]]:
    """(group, caller, callee or prototype) of .nv.callgraph: a row of symbol 0 begins each group."""
    section = elf.section(".nv.callgraph")
    content, group = section.content if section else b"", 0
    if len(content) % 8:
        raise Malformed("not a multiple of 8 bytes", where=f"{elf.source}:.nv.callgraph")
    for caller, word in struct.iter_unpack("<II", content):
        if caller == 0:
            group = word
        else:
            yield group, caller, word


def _symbol(elf: Elf, index: int) -> Symbol:
    if index >= len(elf.symbols):
        raise Malformed(f"symbol {index} of {len(elf.symbols)}", where=f"{elf.source}:.nv.callgraph")
    return elf.symbols[index]


def _prototype(elf: Elf, offset: int) -> str:
    """A prototype's text, which stands among the symbols' names."""
    strings = elf.section(".strtab")
    content = strings.content if strings else b""
    end = content.find(b"\0", offset)
    if not 0 <= offset < len(content) or end < 0:
        raise Malformed("prototype outside the string table", where=f"{elf.source}:.nv.callgraph", offset=offset)
    return content[offset:end].decode("utf-8", "backslashreplace")
