"""Tesseract, called as a library inside the limited process (docs/adr/0028).

The library is the one that the system's package brings; nothing of it is shipped here. Called in the process that
opens the file, it needs no second program, no file and no rights: memory, time, files and network are limited as for
everything else.
Declarations from Tesseract's include/tesseract/capi.h, the same in versions 4 and 5.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_THREAD_LIMIT", "1")  # threads cost more than they bring on one page, and address space

LIBRARIES = (
    ("libtesseract.so.5", "libtesseract.so.4", "libtesseract.so")
    if sys.platform != "darwin"
    else (
        "/opt/homebrew/lib/libtesseract.dylib",
        "/usr/local/lib/libtesseract.dylib",
        "/opt/local/lib/libtesseract.dylib",
        "libtesseract.dylib",
    )
)
LSTM_ONLY = 1
AUTOMATIC, SPARSE = 3, 11  # page segmentation: columns and blocks; text here and there
LONGEST = 60.0  # seconds of processor time on one picture
TELL_EVERY = 1.0  # seconds
Cancel = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_int)


class TesseractMissing(Exception):
    """There is no Tesseract here, or none of the languages that are asked for."""


class TookTooLong(Exception):
    """One picture took more than LONGEST."""


@dataclass(frozen=True, slots=True)
class OcrWord:
    """A word in pixels. line: words of one line share it."""

    text: str
    left: int
    top: int
    width: int
    height: int
    confidence: float
    line: tuple[int, int, int]


class Tesseract:
    """An engine with its languages loaded. `alive` is called about once a second while it works."""

    def __init__(self, library: str, languages: str, data: str, alive: Callable[[], None]) -> None:
        """library: a file to load instead of the usual ones, or "". languages: `eng+deu`; those that are not installed
        are left out. data: the folder of languages, "" for the one built in. Raises Missing."""
        self._alive = alive
        self._api = _load_library(library)
        self._handle = ctypes.c_void_p(self._api.TessBaseAPICreate())
        folder = data.encode() or None
        have = [code for code in languages.split("+") if code and self._has_language(folder, code)]
        if not have or self._api.TessBaseAPIInit2(self._handle, folder, "+".join(have).encode(), LSTM_ONLY):
            raise TesseractMissing(languages)
        self._stop = Cancel(self._should_stop)
        self._monitor = ctypes.c_void_p(self._api.TessMonitorCreate())
        self._api.TessMonitorSetCancelFunc(self._monitor, self._stop)
        self._begun = self._told = 0.0
        self._late = False

    def _has_language(self, folder: bytes | None, code: str) -> bool:
        where = Path(os.fsdecode(folder)) if folder else None
        if where is not None:
            return (where / f"{code}.traineddata").is_file()
        return any(path.is_file() for root in DATA for path in Path("/").glob(f"{root}/{code}.traineddata"))

    def read(self, pixels: bytes, width: int, height: int, dpi: int, *, sparse: bool = False) -> list[OcrWord]:
        """The words of a picture of one byte a pixel, in reading order. Raises TookTooLong."""
        api, handle = self._api, self._handle
        self._begun, self._told, self._late = time.process_time(), time.monotonic(), False
        try:
            api.TessBaseAPISetPageSegMode(handle, SPARSE if sparse else AUTOMATIC)
            api.TessBaseAPISetImage(handle, pixels, width, height, 1, width)
            api.TessBaseAPISetSourceResolution(handle, dpi)
            if api.TessBaseAPIRecognize(handle, self._monitor) or self._late:
                if self._late:
                    raise TookTooLong
                return []
            address = api.TessBaseAPIGetTsvText(handle, 0)
            if not address:
                return []
            table = ctypes.string_at(address).decode("utf-8", "replace")
            api.TessDeleteText(ctypes.c_void_p(address))
        finally:
            api.TessBaseAPIClear(handle)
        return list(_parse_words(table))

    def _should_stop(self, _this: int, _words_so_far: int) -> bool:
        """Whether to stop; called for every word."""
        if time.monotonic() - self._told > TELL_EVERY:
            self._told = time.monotonic()
            with contextlib.suppress(OSError):
                self._alive()
        self._late = self._late or time.process_time() - self._begun > LONGEST
        return self._late


DATA = (
    "usr/share/tesseract-ocr/*/tessdata",
    "usr/share/tessdata",
    "usr/share/tesseract/tessdata",
    "usr/local/share/tessdata",
    "opt/homebrew/share/tessdata",
    "opt/local/share/tessdata",
)


def _load_library(library: str) -> ctypes.CDLL:
    for name in (library,) if library else LIBRARIES:
        with contextlib.suppress(OSError):
            return _declare_functions(ctypes.CDLL(name))
    raise TesseractMissing(library)


def _declare_functions(api: ctypes.CDLL) -> ctypes.CDLL:
    """Pointers are 64 bits wide, and ctypes would cut them to an int."""
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, result, arguments in (
        ("TessBaseAPICreate", pointer, []),
        ("TessBaseAPIInit2", number, [pointer, text, text, number]),
        ("TessBaseAPISetPageSegMode", None, [pointer, number]),
        ("TessBaseAPISetImage", None, [pointer, text, number, number, number, number]),
        ("TessBaseAPISetSourceResolution", None, [pointer, number]),
        ("TessBaseAPIRecognize", number, [pointer, pointer]),
        ("TessBaseAPIGetTsvText", pointer, [pointer, number]),
        ("TessBaseAPIClear", None, [pointer]),
        ("TessDeleteText", None, [pointer]),
        ("TessMonitorCreate", pointer, []),
        ("TessMonitorSetCancelFunc", None, [pointer, Cancel]),
    ):
        function = getattr(api, name)
        function.restype, function.argtypes = result, arguments
    return api


def _parse_words(table: str) -> list[OcrWord]:
    """Rows of level 5 of Tesseract's table: level, page, block, paragraph, line, word, box, confidence, text."""
    found = []
    for row in table.splitlines():
        cells = row.split("\t", 11)
        if len(cells) == 12 and cells[0] == "5" and cells[11].strip():
            block, part, line = int(cells[2]), int(cells[3]), int(cells[4])
            left, top, width, height = map(int, cells[6:10])
            found.append(OcrWord(cells[11].strip(), left, top, width, height, float(cells[10]), (block, part, line)))
    return found
