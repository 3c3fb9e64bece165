"""The papers of a boat yard, and asking about them as the application does: reading gives them, a search nothing."""

from llm import prompts
from llm.prompts import NumberedPassage, PromptAgent, PromptDocument, Record
from llm.quoting import engine
from tests.llm.quoting_helpers import said

LEASE = PromptDocument(
    "Lease.pdf (Boat yard)",
    [
        NumberedPassage(
            1,
            "# Lease of the boat yard\n\nThis lease is made on 1 April 2026 between Harbour Estates Ltd (the Landlord)"
            " and Orrin Boats Ltd (the Tenant). It lets the boat yard at Fisher Row for the building of wooden boats.",
        ),
        NumberedPassage(
            2,
            "2 Term\n\nThe term is five years and ends on 31 March 2031. Either party may terminate this lease with six"
            " months' written notice.",
        ),
        NumberedPassage(
            3,
            "3 Rent\n\nThe Tenant shall pay a rent of £4,200 a month on the first working day. Where rent is late by"
            " more than ten days, a penalty of two per cent is due.",
        ),
    ],
)
MINUTES = PromptDocument(
    "Minutes 14 May.docx (Boat yard)",
    [
        NumberedPassage(
            4,
            "Minutes of the yard meeting\n\nPresent: Mara Quill, Tobias Fenn, Ada Brook\n\nThe slipway was inspected on"
            " 12 May 2026 and two boards are rotten.",
        ),
        NumberedPassage(
            5,
            "It was agreed to close the slipway until the boards are replaced. Mara Quill to order oak boards by"
            " 21 May 2026.",
        ),
    ],
)
LETTER = PromptDocument(
    "Letter.pdf (Boat yard)",
    [
        NumberedPassage(
            6,
            "From: Northgate Council, Licensing\n\nDear Mr Fenn,\n\nYour licence for the slipway runs out on 30 June"
            " 2026. Please send the insurance certificate before 1 June 2026.\n\nYours sincerely\n\nHelen Marsh",
        )
    ],
)
SHEET = PromptDocument(
    "Boards.xlsx (Boat yard)",
    [
        NumberedPassage(
            7, "| Item | Pieces | Price |\n| --- | --- | --- |\n| Oak board | 12 | £1,140 |\n| Nails | 400 | £36 |"
        )
    ],
)
PAPER = PromptDocument(
    "Tides.pdf (Boat yard), Tidal ranges of Fisher Row › Birgit Kaufmann",
    [
        NumberedPassage(9, "Institute of Tides, Norfleet birgit@tides.example"),
        NumberedPassage(
            10,
            "Contents\n\n1 Overview ........................................ 6\n\n2 Authors . . . . . . . . . . 7\n\n"
            "May 2024",
        ),
        NumberedPassage(
            11,
            "Preface\n\nThis Tides® publication describes how far the tide rises at Fisher Row. It is intended for"
            " harbour masters who build slipways.\n\n© Copyright Institute of Tides 2024. All rights reserved.",
        ),
        NumberedPassage(
            12,
            "Recommendations:\n\n1. Raise the slipway by a metre.\n\n2. Measure the tide twice a day.",
        ),
    ],
)
ADDRESSED = PromptDocument(
    "Letter of May.pdf (Boat yard)",
    [
        NumberedPassage(
            13,
            "John Smith\n\n12 Fisher Row\n\nLondon\n\nYour letter of 1 January 2020\n\n3 May 2021\n\nDear Mr Smith,\n\n"
            "This agreement is made on 7 July 2022 by the harbour and the yard.\n\nYours sincerely\n\nMara Quill",
        )
    ],
)
BARE_ADDRESS = PromptDocument(
    "Note.pdf (Boat yard)",
    [NumberedPassage(14, "John Smith\n\n12 Fisher Row\n\nLondon\n\nThe slipway is closed in May.")],
)
PATIENTS = PromptDocument("List.pdf (Boat yard)", [NumberedPassage(15, "Patients\n\nJohn Smith\n\nAda Byron")])
SALE = PromptDocument(
    "Sale.pdf (Boat yard)",
    [
        NumberedPassage(
            16,
            "Contract of sale\n\nJohn Smith\n\nAda Byron\n\nYou pay 500 pounds at signing.\n\nThe rent is 900 pounds a"
            " month.\n\nThe fee for the crane is 30 pounds.\n\nSigned by Birgit Kaufmann",
        )
    ],
)
DRAWINGS = PromptDocument(
    "Drawings.pdf (Boat yard)",
    [
        NumberedPassage(
            17,
            "The licensee acquires the copyright in all drawings on 3 May 2030 for 5,000 pounds.\n\nCall the harbour"
            " master by phone (020 7946 0000) before a crane is moved along the quay.\n\nForms of the council stand at"
            " www.tides.example for every boat builder.\n\nCopyright Institute of Tides 2024, for all its drawings.\n\n"
            "Phone: 020 7946 0000, in the harbour house on the quay.",
        )
    ],
)
FIELDS = PromptDocument(
    "Boat yard", [NumberedPassage(8, "Contract: Boat yard with Harbour Estates\nStatus: Active")], "fields"
)
READ = [
    {"name": "search_knowledge", "description": "Search.", "input_schema": {"type": "object", "properties": {}}},
    {"name": "read_documents", "description": "Read.", "input_schema": {"type": "object", "properties": {}}},
]


def ask(question, documents, history=(), rounds=4):
    """The answer, and the calls made for it: reading gives `documents`, a search gives nothing."""
    messages = [*history, {"role": "user", "content": question}]
    system = prompts.build_chat_system(PromptAgent("Assistant"), Record("Contract", "Boat yard", {"Status": "Active"}))
    calls = []
    for n in range(rounds):
        choice = {"type": "none"} if n == rounds - 1 else None
        answer = engine.answer(
            {"system": system, "messages": messages, "tools": READ, "tool_choice": choice, "max_tokens": 2000}
        )
        if not answer.tools:
            return said(answer), calls
        (tool,) = answer.tools
        calls.append((tool.name, tool.input))
        named = tool.input.get("document", "").lower()
        given = [d for d in documents if named in d.title.lower()] if tool.name == "read_documents" else []
        use = {"type": "tool_use", "id": f"t{n}", "name": tool.name, "input": tool.input}
        result = {
            "type": "tool_result",
            "tool_use_id": f"t{n}",
            "content": prompts.render_passages(given).text if given else "Nothing.",
        }
        messages = [*messages, {"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    raise AssertionError("no answer")
