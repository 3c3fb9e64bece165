"""Greetings, thanks, and questions about the assistant."""

import re

from llm.recognisers.findings import phrases

GREETING = re.compile(
    r"^\W*"
    + phrases(
        r"""hi; hello; hey; good (?:morning|afternoon|evening|day); hallo; guten (?:tag|morgen|abend); moin; servus;
        bonjour; hola; ciao; thanks?(?: you)?(?: (?:so|very) much)?; thx; danke; merci; gracias; bye; goodbye;
        ok(?:ay)?; great; perfect; cool; nice; well done"""
    )
    + r"(?:\s+"
    + phrases("there; all; everyone; team; again; assistant; a lot; for (?:that|this|your help)")
    + r")?\W*$",
    re.IGNORECASE,
)
ABOUT_SELF = re.compile(
    r"^\W*(?:(?:hi|hello|hey)\W+)?(?:who|what)\s+are\s+you\W*$|\bwhat\s+can\s+you\s+do\b"
    r"|\bhow\s+(?:can|do)\s+you\s+(?:help|work)\b|\bare\s+you\s+(?:an?\s+)?(?:ai|bot|human|real)"
    r"|^\W*help\W*$|^\W*how\s+are\s+you\W*$",
    re.IGNORECASE,
)


def is_small_talk(question: str) -> bool:
    """Greetings, thanks, and questions about the assistant."""
    return bool(GREETING.match(question) or ABOUT_SELF.search(question))
