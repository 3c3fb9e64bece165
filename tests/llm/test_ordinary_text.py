"""Ordinary text that words of the rules stand in, and that no rule hides. All made up."""

import pytest

from entities.models.classification import CONFIDENTIAL, FINANCIAL, PII, PII_SENSITIVE, SECRET
from llm.rules import vote_by_rules

ORDINARY = """\
We should buy Windows licences for the new laptops.
The temperature must not reach 90 degrees in the tank.
Under no circumstances should the lid be lifted.
Heat remains in the room overnight.
We do not know yet whether the part arrives on Friday.
Die Ursache ist noch nicht bekannt.
Wir wollen die Aufgabe übernehmen.
Our office will be closed on 3 October (public holiday).
Take the item off the list.
This extends the line by two stations.
The margins in the template are wide.
We do not plan everything up front.
Known conditions: Windows 11 only.
Steel of German origin was ordered by Tom Brown.
Tom Brown is transitioning to the platform team.
Tom Brown typed the value in a cell of the sheet.
The drawings of Peter Schmidt are signed off.
Peter Schmidt had a scan of the drawing made.
The memory exhaustion bug was found by Tom Brown.
The load test came back, says Peter Schmidt.
Anna Keller presented the results of microscopy.
Peter Schmidt saw the geologist about the borehole.
Peter Schmidt brought the crane to the hospital site.
Peter Schmidt waited 10 minutes at the gate.
The pull request was rejected by Tom Brown.
We are behind with the testing, says Anna Keller.
Dear Anna, your free trial period ends on Friday.
Steuer-Nr.: 27/123/45678, Amtsgericht Hamburg HRB 12345
Die Patente EP 1234567 und EP 7654321 laufen 2031 ab.
The tank, ID no. 11223344, was tested.
Medicare 2023-2024 changes are summarised below.
The archive: backup_2024-01.zip is on the share.
It uses react@18.2 as the view library.
The router is rt-core-01_muc.
The key box holds 1200 keys.
| Contact | Change | Reason |\\n|---|---|---|\\n| Peter Schmidt | Move valve | Access |
| Contact | Item | Old | New |\\n|---|---|---|---|\\n| Peter Schmidt | Valve | 120 | 140 |"""
HIDDEN = [
    ("We intend to buy the company.", {CONFIDENTIAL}),
    ("It must not reach the press.", {CONFIDENTIAL}),
    ("Our scoring must not get to the bidders.", {CONFIDENTIAL}),
    ("The tenants are behind with the bins: Flat 3, Mrs Gorman, again.", {PII}),
    ("Under no circumstances may the press hear of it.", {CONFIDENTIAL}),
    ("The Leeds plant will be shut in May; staff will be told in April.", {CONFIDENTIAL}),
    ("We sell at 12 percent off the list.", {FINANCIAL}),
    ("He is of Kurdish origin, Rosa Moreau wrote.", {PII, PII_SENSITIVE}),
    ("Rosa Moreau has colitis.", {PII, PII_SENSITIVE}),
    ("Rosa Moreau suffers from ischemia.", {PII, PII_SENSITIVE}),
    ("Rosa Moreau, 12 Harbour View, Leeds", {PII}),
    ("Tax number 27/123/45678, Rosa Moreau", {PII, PII_SENSITIVE}),
    ("ID number 12345678, Rosa Moreau", {PII}),
    ("She uses Blue$kies7 to unlock it.", {SECRET}),
    ("Rosa Moreau was rejected after the second interview.", {PII}),
    ("| Name | Old | New |\n|---|---|---|\n| Rosa Moreau | 42,000 | 45,000 |", {PII, FINANCIAL}),
]


@pytest.mark.parametrize("text", ORDINARY.split("\n"))
def test_ordinary_text_is_not_hidden(text: str) -> None:
    assert not vote_by_rules(text.replace("\\n", "\n")).atoms


@pytest.mark.parametrize(("text", "atoms"), HIDDEN)
def test_what_stands_in_such_words_and_is_not_ordinary_is_hidden(text: str, atoms: set[int]) -> None:
    assert atoms <= vote_by_rules(text).atoms
