"""Names of kernels' and functions' parameters, from the debug sections of PTX that was built with `-G`.

PTX itself has `kernel_param_0`; the DWARF beside it (PTX ISA 9.0 §11.5.3, `.section .debug_info { .b8 … }`) has what
the source said. Only names are taken from there: what is not understood gives none.
"""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Iterator, Mapping

from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo

_SECTION = re.compile(r"\.section\s+(\.debug_\w+)\s*\{(.*?)\}", re.DOTALL)
_DATA = re.compile(r"\.b(8|16|32|64)\s+([^\n.]*(?:\.debug_\w+[^\n.]*)?)")
_NUMBER = re.compile(r"(?:(\.?[A-Za-z_$][\w$.]*)\s*\+?)?\s*(-?\d+)?\s*")
_OTHERS = (
    "aranges", "frame", "str", "loc", "ranges", "line", "pubtypes", "pubnames", "addr", "str_offsets", "line_str",
    "loclists", "rnglists", "sup",
)  # fmt: skip


def _bytes(text: str) -> bytes:
    """The content of a section; a symbol counts as 0, so that an offset in another section is one."""
    content = bytearray()
    for bits, values in _DATA.findall(text):
        size = int(bits) // 8
        for value in values.split(","):
            found = _NUMBER.fullmatch(value)
            number = int(found[2] or 0) if found else 0
            content += (number & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    return bytes(content)


def _described(sections: Mapping[str, bytes]) -> DWARFInfo:
    def section(name: str) -> DebugSectionDescriptor | None:
        content = sections.get(f".debug_{name}")
        return DebugSectionDescriptor(io.BytesIO(content), name, 0, len(content), 0) if content else None

    others = {f"debug_{name}_sec": section(name) for name in _OTHERS}
    return DWARFInfo(
        config=DwarfConfig(little_endian=True, machine_arch="x64", default_address_size=8),
        debug_info_sec=section("info"),
        debug_abbrev_sec=section("abbrev"),
        eh_frame_sec=None,
        debug_types_sec=None,
        gnu_debugaltlink_sec=None,
        **others,
    )


def _text(die: DIE, *attributes: str) -> str:
    """The first of these attributes that there is."""
    for name in attributes:
        if name in die.attributes:
            return bytes(die.attributes[name].value).decode(errors="replace")
    return ""


def _functions(info: DWARFInfo) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Functions with the names of their parameters."""
    for unit in info.iter_CUs():
        for die in unit.iter_DIEs():
            if die.tag == "DW_TAG_subprogram":
                name = _text(die, "DW_AT_MIPS_linkage_name", "DW_AT_linkage_name", "DW_AT_name")
                parameters = (child for child in die.iter_children() if child.tag == "DW_TAG_formal_parameter")
                yield name, tuple(_text(each, "DW_AT_name") for each in parameters)


@functools.lru_cache(maxsize=8)
def parameter_names(text: str) -> Mapping[str, tuple[str, ...]]:
    """PTX name of each function that the debug sections describe → its parameters' names in the source."""
    if ".debug_info" not in text:
        return {}
    sections = {name: _bytes(content) for name, content in _SECTION.findall(text)}
    if not {".debug_info", ".debug_abbrev"} <= sections.keys():
        return {}
    try:
        return {name: names for name, names in _functions(_described(sections)) if name and all(names)}
    except Exception:  # pyelftools raises whatever its parsers stumble over; names are not worth a failure
        return {}
