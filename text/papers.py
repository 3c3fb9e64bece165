"""What documents and records are called in general."""

from text.terms import stem_word
from text.words import words

NOUNS = words(
    """document documents file files paper papers pdf text texts page pages record project contract agreement lease
    amendment report letter mail email e-mail message minutes meeting memo note notes protocol invoice offer proposal
    policy handbook manual guide spreadsheet sheet table workbook excel presentation slides deck form attachment
    article thing stuff content contents case dokument datei vertrag brief bericht protokoll tabelle seite projekt"""
)
"""What a document or a record may be called in general."""
PAPERS = frozenset(map(stem_word, NOUNS))
