"""Builds the demo's PDF and DOCX files from `sources/` into `documents/`.

    python -m ingestion.demo.build_documents            write them
    python -m ingestion.demo.build_documents --check    write nothing; exit 1 when a committed file differs

Needs reportlab, python-docx and the Liberation fonts; the bytes depend on the sources and on the versions of those.
Markdown and text documents are written by hand in `documents/` and are not touched.
"""

import argparse
import sys
from pathlib import Path

from .pdf import render_pdf
from .source import read_document
from .word import render_docx

HERE = Path(__file__).parent
RENDER = {"pdf": render_pdf, "docx": render_docx}


def build_documents(*, check: bool) -> list[Path]:
    """Render every source; returns the documents whose bytes changed, and writes them unless `check`."""
    changed: list[Path] = []
    for path in sorted((HERE / "sources").glob("*.md")):
        document = read_document(path)
        target = HERE / "documents" / f"{document.name}.{document.format}"
        content = RENDER[document.format](document)
        if not target.exists() or target.read_bytes() != content:
            changed.append(target)
            if not check:
                target.write_bytes(content)
    return changed


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the demo documents.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a committed file differs")
    check = parser.parse_args().check
    changed = build_documents(check=check)
    for path in changed:
        sys.stdout.write(f"{'differs' if check else 'written'}: {path.name}\n")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
