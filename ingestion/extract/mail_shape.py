"""How a message is parted, so that who wrote and when can be read without the addresses, and the text without the
signature: each is labelled by itself."""

from __future__ import annotations

import re

# Begins where a word begins, or each sign of a long one would be tried.
_SIGN = r"[^\s,;\"'<>()\[\]@]"
ADDRESS = re.compile(rf"(?<!{_SIGN})(?<!@){_SIGN}+@{_SIGN}+\.{_SIGN}+")
IN_BRACKETS = re.compile(r"[<\[](?:mailto:)?[^<>\[\]\s@]*@[^<>\[\]]{0,320}[>\]]", re.IGNORECASE)
EMPTY_QUOTES = re.compile(r"\"\s*\"|'\s*'|\(\s*\)")
SEPARATOR = re.compile(r"\s*[,;][\s,;]*")
_QUOTED = r"^[ \t>*]*"
_ORIGINAL = (
    r"-{2,}[ \t]*(?:Original (?:Message|Appointment)|Forwarded (?:by|message)|Begin forwarded message"
    r"|Urspr[üu]ngliche Nachricht|Weitergeleitete Nachricht|Message (?:d['’]origine|transf[ée]r[ée])"
    r"|Mensaje (?:original|reenviado)|Messaggio originale|Oorspronkelijk bericht)\b[^\n]*"
)
_HEADER = (
    r"(?:From|To|Cc|Bcc|Sent|Date|Subject|Reply-To|Importance|Attachments|Von|An|Gesendet|Datum|Betreff|De|À|Envoyé|Objet"
    r"|Para|Asunto|Enviado|Da|Inviato|A|Oggetto|Van|Verzonden|Aan|Onderwerp)\*?:[^\n]*"
)
# RFC 3676, 4.3, and what programs write before the text that they quote.
SIGNATURE = re.compile(_QUOTED + r"(?:--[ \t]?|_{5,}[ \t]*)$", re.MULTILINE)
QUOTED_HEADERS = re.compile(
    rf"(?:{_QUOTED}{_ORIGINAL}\n+)?{_QUOTED}(?:From|Von|De|Da|Van)\*?:[^\n]*"
    rf"(?:\n[ \t>*]*{_HEADER}|\n[ \t]+\S[^\n]*){{1,40}}$",
    re.MULTILINE,
)
WROTE = re.compile(
    _QUOTED + r"(?:On|Am|Le|El|Il|Op)\b[^\n]{5,200}(?:\n[^\n]{0,80})?"
    r"\b(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef)\b[^\n]{0,80}:[ \t]*$",
    re.MULTILINE,
)


def split_header(name: str, value: str) -> tuple[str, str]:
    """A header as two lines: without its addresses, and as it stands where it has any. "" where there is no such line.
    Names and dates need no label, and addresses do."""
    names = ADDRESS.sub("", IN_BRACKETS.sub("", value))
    if names == value:
        return f"{name}: {value}", ""
    names = SEPARATOR.sub(", ", EMPTY_QUOTES.sub("", names)).strip(", ")
    return (f"{name}: {names}" if re.search(r"\w", names) else ""), f"{name}: {value}"


def separate_parts(text: str) -> str:
    """A plain text with blank lines around signatures, and around the headers of what it quotes."""
    text = SIGNATURE.sub(r"\n\g<0>", text.replace("\r\n", "\n"))
    for pattern in (QUOTED_HEADERS, WROTE):
        text = pattern.sub(r"\n\g<0>\n", text)
    return text
