"""Reader page, reader API and original: each person gets what they are cleared for, and no trace of the rest."""

import re
from threading import Thread
from typing import Any
from uuid import UUID

from django.db import connection

from entities.access import Scope
from entities.models import Classification, Source
from entities.types import Contract
from ingestion.models import ContextRow, File, Kind, Paragraph
from tests.conftest import Person
from tests.ingestion.helpers import REPORT, SALARY, label, paragraph, ready, texts

# Who reads what


def test_the_salary_is_text_for_the_cfo_and_a_placeholder_for_a_viewer(
    alice: Person, cfo: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(alice, contract)
    assert SALARY in texts(cfo, file)
    assert texts(viewer, file) == [
        "Progress",
        "The quay was closed for two days because of the storm.",
        "Costs",
        "[Financial]",
        "Next steps",
        "The sheet piling starts in November, when the permit is there.",
    ]
    for path in ("", "reader/"):
        assert b"68,400" not in viewer.api.get(f"/api/files/{file}/{path}").content
    assert b"68,400" in cfo.client.get(f"{cfo.base}files/{file}/").content
    page = viewer.client.get(f"{viewer.base}files/{file}/").content
    assert b"68,400" not in page
    assert b"Hidden: needs Financial" in page


def test_reader_blocks_have_the_shape_of_the_contract(alice: Person, viewer: Person, contract: Contract) -> None:
    file = ready(alice, contract)
    answer = viewer.api.get(f"/api/files/{file}/reader/").json()
    assert answer["notice"] == "Platform extraction: open the original for the authoritative version."
    first, hidden, last = answer["blocks"][1], answer["blocks"][3], answer["blocks"][5]
    assert first == {
        "type": "text",
        "text": "The quay was closed for two days because of the storm.",
        "page": None,
        "section": "Progress",
        "labels": [],
        "judged": False,
        "passage": first["passage"],
    }
    assert hidden == {"type": "placeholder", "requires": [{"value": 5, "label": "Financial"}], "page": None, "run": 0}
    assert last["section"] == "Progress > Next steps"


def test_a_version_that_is_published_while_one_reads_is_read_whole(
    transactional_db: None, alice: Person, viewer: Person, contract: Contract
) -> None:
    file = ready(alice, contract)
    came: list[str] = []

    def publish() -> None:
        came.append(ready(alice, contract, content=b"The quay is open again."))
        connection.close()

    def meanwhile(execute: Any, sql: str, *given: Any) -> Any:
        if "app_hidden_paragraphs" in sql and not came:
            other = Thread(target=publish)
            other.start()
            other.join()
        return execute(sql, *given)

    with connection.execute_wrapper(meanwhile):
        assert texts(viewer, file) == ["The quay is open again."]
    assert came == [file]


def test_unlabelled_text_reaches_nobody_but_stewards(
    alice: Person, cfo: Person, viewer: Person, steward: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract)
    label(service, SALARY, None)
    for person in (cfo, viewer):
        assert "68,400" not in str(texts(person, file))
        assert "[Financial]" not in texts(person, file)
        assert len(texts(person, file)) == 5
    assert SALARY in texts(steward, file)
    blocks = steward.api.get(f"/api/files/{file}/reader/").json()["blocks"]
    assert [b["labels"] for b in blocks if b["text"] == SALARY] == [None]
    assert b"Not classified yet" in steward.client.get(f"{steward.base}files/{file}/").content


def test_concealed_text_leaves_no_trace(
    alice: Person, cfo: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract)
    with service.open():
        Classification.objects.filter(value=5).update(conceal=True)
    shown = texts(viewer, file)
    assert len(shown) == 5
    assert not any(text.startswith("[") for text in shown)
    about = viewer.api.get(f"/api/files/{file}/").json()
    assert about["labels"] == []
    assert about["size"] is None
    assert b"Financial" not in viewer.client.get(f"{viewer.base}files/{file}/").content.split(b"<main")[1]
    assert SALARY in texts(cfo, file)
    assert cfo.api.get(f"/api/files/{file}/").json()["size"] is None
    assert alice.api.get(f"/api/files/{file}/").json()["size"] == len(REPORT)


def test_a_wholly_concealed_file_does_not_exist(
    alice: Person, hr: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "review.txt", b"The review went well.\n", collection="hr_documents")
    listed = f"/api/entities/{contract.pk}/files/"
    assert viewer.api.get(listed).json()["count"] == 1
    assert viewer.api.get(f"/api/files/{file}/reader/").status_code == 404
    with service.open():
        Classification.objects.filter(value=3).update(conceal=True)
    assert viewer.api.get(listed).json()["count"] == 0
    assert viewer.api.get(f"/api/files/{file}/").status_code == 404
    assert viewer.api.get(f"/api/files/{file}/download/").status_code == 404
    assert b"review.txt" not in viewer.client.get(f"{viewer.base}entities/{contract.pk}/files/").content
    assert hr.api.get(listed).json()["count"] == 1
    assert texts(hr, file) == ["The review went well."]


def test_pages_end_with_the_last_page_one_may_know_of(
    alice: Person, viewer: Person, cfo: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract)
    with service.open():
        File.objects.filter(pk=file).update(pages=9)
        Paragraph.objects.filter(file=file).update(page=2)
        Paragraph.objects.filter(text=SALARY).update(page=9)
    assert viewer.api.get(f"/api/files/{file}/").json()["pages"] == 9
    with service.open():
        Classification.objects.filter(value=5).update(conceal=True)
    assert viewer.api.get(f"/api/files/{file}/").json()["pages"] == 2
    assert cfo.api.get(f"/api/files/{file}/").json()["pages"] == 9


def test_a_run_of_hidden_paragraphs_is_one_placeholder(alice: Person, viewer: Person, contract: Contract) -> None:
    lines = [f"Invoice {n} came to {n},250 pounds." for n in range(1, 5)]
    file = ready(alice, contract, "bills.txt", "\n\n".join(["Bills.", *lines, "End."]).encode())
    assert texts(viewer, file) == ["Bills.", "[Financial]", "End."]


def test_no_cleared_paragraph_is_a_404_like_any_other(
    alice: Person, viewer: Person, cfo: Person, contract: Contract
) -> None:
    file = ready(alice, contract, "bill.txt", b"The invoice came to 4,250 pounds.\n")
    absent = "/api/files/00000000-0000-4000-8000-000000000000/reader/"
    hidden = viewer.api.get(f"/api/files/{file}/reader/")
    assert hidden.status_code == 404
    assert hidden.content == viewer.api.get(absent).content
    assert viewer.client.get(f"{viewer.base}files/{file}/").status_code == 404
    assert texts(cfo, file)


def test_files_of_hidden_and_foreign_records_answer_alike(
    alice: Person, viewer: Person, outsider: Person, restricted: Contract, contract: Contract
) -> None:
    secret, open_ = ready(alice, restricted), ready(alice, contract)
    for path in ("", "reader/", "download/", "retry/", "paragraphs/"):
        method = "post" if path == "retry/" else "get"
        absent = getattr(outsider.api, method)(f"/api/files/00000000-0000-4000-8000-000000000000/{path}")
        foreign = getattr(outsider.api, method)(f"/api/files/{open_}/{path}")
        assert absent.status_code == foreign.status_code == 404
        assert absent.content == foreign.content
        hidden = getattr(viewer.api, method)(f"/api/files/{secret}/{path}")
        assert hidden.status_code == (403 if path == "paragraphs/" else 404)
    assert alice.api.get(f"/api/files/{secret}/reader/").status_code == 200
    assert viewer.client.get(f"{viewer.base}files/{secret}/").status_code == 404
    assert outsider.client.get(f"{alice.base}files/{open_}/").status_code == 404


def test_a_name_with_a_label_is_not_told(
    alice: Person, viewer: Person, hr: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract, "Dismissal of Jane.txt", b"The door is open.\n")
    with service.open():
        File.objects.filter(pk=file).update(name_classification=3)
    assert viewer.api.get(f"/api/files/{file}/").json()["name"] is None
    assert b"Dismissal" not in viewer.client.get(f"{viewer.base}files/{file}/").content
    assert b"Dismissal" not in viewer.client.get(f"{viewer.base}entities/{contract.pk}/files/").content
    assert hr.api.get(f"/api/files/{file}/").json()["name"] == "Dismissal of Jane.txt"


# Citations


def test_a_cited_paragraph_is_marked_with_its_neighbours_named(
    alice: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract)
    passage = paragraph(service, "The quay was closed for two days because of the storm.").pk
    page = alice.client.get(f"{alice.base}files/{file}/?passage={passage}&start=4&end=8").content.decode()
    assert f'id="p-{passage}" data-cited' in page
    assert "<mark>quay</mark>" in page
    assert page.count("data-cited") == 1
    assert "Previous passage" in page
    assert "Next passage" in page


def test_a_cited_row_is_marked_with_its_words(alice: Person, contract: Contract, service: Scope) -> None:
    file = ready(alice, contract)
    with service.open():
        row = ContextRow.objects.get(file=file, kind=Kind.FILE_CHUNK, text__contains="storm")
        start = row.text.index("two days")
    page = alice.client.get(f"{alice.base}files/{file}/?row={row.pk}&start={start}&end={start + 8}").content.decode()
    assert "<mark>two days</mark>" in page


def test_a_cited_summary_is_marked_where_its_words_stand(alice: Person, contract: Contract, service: Scope) -> None:
    file = ready(alice, contract)
    with service.open():
        row = ContextRow.objects.get(file=file, kind=Kind.FILE_SUMMARY, data_classification=0)
        drawn = Source.objects.filter(derived=row.pk).count()
    end = row.text.index(".") + 1
    address = f"{alice.base}files/{file}/?row={row.pk}"
    page = alice.client.get(f"{address}&start=0&end={end}").content.decode()
    assert f"<mark>{row.text[:end]}</mark>" in page
    assert page.count("data-cited") == 1
    assert alice.client.get(address).content.decode().count("data-cited") == drawn > 1
    with service.open():
        Source.objects.filter(derived=row.pk).delete()
    assert "was not found" in alice.client.get(address).content.decode()


def test_a_citation_of_hidden_text_shows_nothing_of_it(
    alice: Person, cfo: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    file = ready(alice, contract)
    passage = paragraph(service, SALARY).pk
    with service.open():
        row = ContextRow.objects.get(file=file, kind=Kind.FILE_CHUNK, data_classification=5).pk
    for query in (f"passage={passage}", f"row={row}&start=0&end=20"):
        shown = viewer.client.get(f"{viewer.base}files/{file}/?{query}").content
        assert b"68,400" not in shown
        assert b"data-cited" not in shown
        assert b"was not found" in shown
        assert b"data-cited" in cfo.client.get(f"{cfo.base}files/{file}/?{query}").content


def test_nonsense_in_a_citation_shows_the_file(alice: Person, contract: Contract) -> None:
    file = ready(alice, contract)
    for query in (
        "passage=x",
        "row=1%27",
        "row=&start=9&end=1",
        f"passage={UUID(int=0)}&start=-1&end=99999999999",
        "part=0",
        "part=x",
    ):
        assert alice.client.get(f"{alice.base}files/{file}/?{query}").status_code == 200


def test_tables_are_tables_and_text_is_escaped(alice: Person, contract: Contract) -> None:
    table = b"| Point | Reading |\n| --- | --- |\n| MP-1 | 2 \\| 3 |"
    body = b"# Points\n\n" + table + b"\n\n<script>alert(1)</script> and <b>bold</b>.\n"
    file = ready(alice, contract, "points.md", body)
    page = alice.client.get(f"{alice.base}files/{file}/").content.decode()
    assert re.search(r"<th scope=\"col\">Point</th>", page)
    assert "<td>2 | 3</td>" in page
    assert "<script>alert" not in page


def test_long_documents_come_in_parts(alice: Person, contract: Contract, service: Scope) -> None:
    body = "\n\n".join(f"Paragraph number {n} says that the works go on." for n in range(300))
    file = ready(alice, contract, "long.txt", body.encode())
    first = alice.client.get(f"{alice.base}files/{file}/").content.decode()
    assert "Paragraph number 0 " in first
    assert "Paragraph number 299 " not in first
    assert "Paragraph number 299 " in alice.client.get(f"{alice.base}files/{file}/?part=3").content.decode()
    last = paragraph(service, "Paragraph number 299 says that the works go on.").pk
    assert f'id="p-{last}" data-cited' in alice.client.get(f"{alice.base}files/{file}/?passage={last}").content.decode()
    assert len(texts(alice, file)) == 300


# The panel
