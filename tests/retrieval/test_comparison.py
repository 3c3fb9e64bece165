"""The table of `manage.py evaluate`: a page is no worse than the fused ranking, and that no worse than its parts."""

import json
from io import StringIO
from pathlib import Path

from django.core.management import call_command

from entities.models.classification import FINANCIAL
from entities.types import Contract
from tests.conftest import Person
from tests.retrieval.conftest import Index

TEXTS = [
    "The ferry may not sail while waves are higher than two metres.",
    "Pump HV-M-0414 has a worn seal and is replaced in spring.",
    "Pump HV-M-0415 was greased and runs quietly.",
    "Wages are transferred on the last working day of each month.",
    "Whoever falls ill tells the foreman before eight in the morning.",
    "Holidays are asked for six weeks ahead and granted by the foreman.",
    "A worker hurt on the quay is taken to the harbour clinic at once.",
    "The annual fee of the licence is 4,200 euros.",
    "The annual fee of the mooring is 900 euros.",
    "Either party may end the contract with ninety days of notice.",
    "Notice of a fault in the crane is given to the maker by telephone.",
    "Liability is limited to two million euros for each claim.",
    "Claims are sent to the insurer within thirty days.",
    "Dogs are kept on a lead on the pier.",
    "Bicycles are left in the shed behind the office.",
    "The gate code of the north yard is changed each quarter.",
    "Paint is stored in the steel cabinet of the workshop.",
    "The workshop is heated with gas from October to April.",
    "Visitors sign the book at the gate and wear a helmet.",
    "Helmets older than five years are thrown away.",
    "Oil on the water is reported to the harbour master.",
    "The harbour master closes the port when there is fog.",
    "Containers with fruit are unloaded first in summer.",
    "Minutes of the works council hang beside the canteen.",
]
ASKED = {
    "HV-M-0414": 2,
    "When do I get my salary?": 4,
    "What do I do when I am sick?": 5,
    "How far in advance do I request vacation?": 6,
    "annual fee of the licence": 8,
    "How can we get out of the agreement?": 10,
    "liability limited claim": 12,
    "Is my pet allowed?": 14,
    "Where do I put my bike?": 15,
    "gate code north yard": 16,
    "Where is the paint?": 17,
    "old helmets": 20,
    "oil spill": 21,
}


def test_a_page_is_at_least_as_good_as_the_fusion_and_that_as_the_better_branch(
    index: Index, contract: Contract, viewer: Person, tmp_path: Path
) -> None:
    file = index.file(contract, "rules.pdf")
    for place, text in enumerate(TEXTS):
        index.row(contract, text, file=file, position=2 * place, page=place + 1)
        # Copies of a text take places of a page; what the asker may not read takes none.
        index.row(contract, text.replace("The ", "Our "), file=file, position=2 * place + 200, page=place + 1)
    index.row(contract, "HV-M-0414 " * 3, file=file, position=500, page=99, label=FINANCIAL)
    lines = [
        {"id": str(page), "question": text, "places": [{"file": "rules.pdf", "page": page}], "labels": []}
        for text, page in ASKED.items()
    ]
    given = tmp_path / "rules.jsonl"
    given.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = StringIO()
    call_command("evaluate", str(given), workspace="acme", reader=viewer.user.username, json=True, stdout=out)
    found = json.loads(out.getvalue())["comparison"]
    for figure in ("hit_1", "hit_5", "hit_10", "ndcg_10"):
        page, fused, plain, meaning, words = (
            found[name][figure] for name in ("shown", "fused", "plain", "vector", "lexical")
        )
        assert page >= found["bm25"][figure] > 0, (figure, found)
        assert page >= fused >= max(meaning, words), (figure, found)
        assert page >= plain, (figure, found)
    assert found["lexical"]["hit_1"] < found["shown"]["hit_1"]  # words alone do not find all of it
