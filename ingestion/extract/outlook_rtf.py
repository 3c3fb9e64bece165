"""The Rich Text of Outlook messages, which is packed by a method of its own ([MS-OXRTFCP])."""

from __future__ import annotations

import struct
from collections.abc import Iterator

HEAD = struct.Struct("<IIII")
PACKED, PLAIN = 0x75465A4C, 0x414C454D  # "LZFu", "MELA"
LARGEST = 64 << 20  # bytes
WINDOW = 4096
# What the window holds at first.
_START = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript "
    b"\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)


def unpack_rtf(packed: bytes) -> bytes:
    """The bytes of the Rich Text; what could be unpacked where it is damaged."""
    if len(packed) < HEAD.size:
        return b""
    _, size, method, _ = HEAD.unpack_from(packed)
    if method == PLAIN:
        return packed[HEAD.size :]
    if method != PACKED or size > LARGEST:
        return b""
    window = bytearray(_START.ljust(WINDOW, b"\0"))
    write, place = len(_START), HEAD.size
    unpacked = bytearray()
    while place < len(packed) and len(unpacked) < size:
        flags = packed[place]
        place += 1
        for bit in range(8):
            if flags >> bit & 1:
                if place + 2 > len(packed):
                    return bytes(unpacked)
                reference = int.from_bytes(packed[place : place + 2], "big")
                place += 2
                offset, length = reference >> 4, (reference & 15) + 2
                if offset == write:
                    return bytes(unpacked)
                run: Iterator[int] = (window[(offset + step) % WINDOW] for step in range(length))
            else:
                if place >= len(packed):
                    return bytes(unpacked)
                run = iter(packed[place : place + 1])
                place += 1
            for value in run:
                unpacked.append(value)
                window[write] = value
                write = (write + 1) % WINDOW
    return bytes(unpacked)
