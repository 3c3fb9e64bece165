"""PDFs written by hand to hurt their reader: bombs, loops, floods, calls to the outside, and odd but whole ones."""

from tests.fuzz.pdf_bombs import bomb, flood, form_tree, map_bomb, nested_files, ruled, thousands, too_many, wordy
from tests.fuzz.pdf_documents import HELLO, changed, raw, with_content
from tests.fuzz.pdf_loops import font_loop, form_loop, length_loop, outline_loop, page_loop, parent_loop, previous_loop
from tests.fuzz.pdf_oddities import calls_out, locked, map_by_path, scripts, sizes
from tests.fuzz.recipe import Recipe
from tests.fuzz.seeds import pdf

RECIPES = [
    Recipe("bomb2.pdf", "packed twice, 40 MB", bomb(2, 40), quick=True),
    Recipe("bomb3.pdf", "packed three times, 400 MB", bomb(3, 400)),
    Recipe("bomb1.pdf", "packed once, 300 MB", bomb(1, 300)),
    Recipe("flood.pdf", "a picture of 30,000 by 30,000", flood(30_000, 30_000, 500)),
    Recipe("small flood.pdf", "such a picture, drawn as an ornament", flood(30_000, 30_000, 20)),
    Recipe("page loop.pdf", "a tree of pages in itself", changed(page_loop), quick=True),
    Recipe("outline loop.pdf", "an outline in itself", changed(outline_loop), ready=True),
    Recipe("form loop.pdf", "a drawing in itself", changed(form_loop)),
    Recipe("form tree.pdf", "10 to the 30th drawings", changed(form_tree)),
    Recipe("parent loop.pdf", "inheriting from itself", changed(parent_loop)),
    Recipe("font loop.pdf", "a letter drawn by itself", changed(font_loop)),
    Recipe("xref loop.pdf", "a table of objects before itself", previous_loop),
    Recipe("length loop.pdf", "a stream as long as itself", length_loop),
    Recipe("map bomb.pdf", "ranges of characters without end", changed(map_bomb)),
    Recipe("map path.pdf", "a map of characters by path", changed(map_by_path)),
    Recipe("calls.pdf", "references to the outside", changed(calls_out), quick=True),
    Recipe("nested.pdf", "twelve PDFs in each other", nested_files),
    Recipe("sizes.pdf", "pages of kilometres", changed(sizes)),
    Recipe("thousands.pdf", "many pages", thousands, ready=True),
    Recipe("too many.pdf", "5,001 pages", too_many),
    Recipe("scripts.pdf", "right to left, Chinese, Japanese", scripts, ready=True),
    Recipe("arrays.pdf", "brackets 200,000 deep", raw(b"1 0 obj " + b"[" * 200_000 + b" endobj trailer<</Root 1 0 R>>")),
    Recipe("dictionaries.pdf", "dictionaries 100,000 deep", raw(b"1 0 obj " + b"<</A" * 100_000 + b" endobj trailer<</Root 1 0 R>>")),
    Recipe("operands.pdf", "a million operands", with_content(lambda kit: b"1 " * 1_000_000 + b"re f " + HELLO)),
    Recipe("states.pdf", "states saved 500,000 deep", with_content(lambda kit: b"q " * 500_000 + HELLO)),
    Recipe("inline.pdf", "an inline picture without end", with_content(lambda kit: HELLO + b" BI /W 99999 /H 99999 /BPC 8 /CS /RGB ID " + bytes(2_000))),
    Recipe("not numbers.pdf", "numbers that are none", with_content(lambda kit: b"1e999 -- 1.2.3 99999999999999999999 Tf NaN 0 0 1 0 0 Tm " + HELLO)),
    Recipe("wordy.pdf", "8,000 lines on each other", with_content(wordy)),
    Recipe("ruled.pdf", "6,000 ruling lines", with_content(ruled)),
    Recipe("nul.pdf", "NUL bytes in strings", with_content(lambda kit: HELLO.replace(b"quay", b"qu\\000a\\000y")), ready=True),
    Recipe("version.pdf", "no version", lambda kit: pdf(kit).replace(b"%PDF-1.", b"%PDF-\xff.", 1)),
    Recipe("before.pdf", "900 bytes before its beginning", lambda kit: b"<html>" + b" " * 900 + pdf(kit)),
    Recipe("locked.pdf", "a password", locked),
]  # fmt: skip
