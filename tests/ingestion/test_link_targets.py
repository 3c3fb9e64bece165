"""How a link is read, what a format gives of its links, and how well known links are resolved."""

import json
from email.message import EmailMessage
from pathlib import Path

import docx
import pytest
from django.core.management import call_command
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.documents import LONGEST_TARGET, Extraction
from ingestion.extract.inside import extract
from ingestion.link_targets import (
    LONGEST_KEY,
    Address,
    Wanted,
    build_keys,
    build_path_key,
    build_title_address,
    build_url_key,
    find_bare_addresses,
    find_titles,
    list_variants,
    read_target,
)
from ingestion.names import clean_path
from tests.ingestion.packages import odt
from tests.ingestion.pdfs import draw, line

HERE = "/handbook/travel/guide.md"
ID = "7f1c9ad2-3d6f-4f0e-9a52-0d4d2a1d5c11"


@pytest.mark.parametrize(
    ("target", "wanted", "key"),
    [
        ("visa.md", Wanted.PATH, "/handbook/travel/visa.md"),
        ("./visa.md?plain=1#stay", Wanted.PATH, "/handbook/travel/visa.md"),
        ("../pay/", Wanted.PATH, "/handbook/pay"),
        ("..\\pay\\list.md", Wanted.PATH, "/handbook/pay/list.md"),
        ("/pay/a%20list.md", Wanted.PATH, "/pay/a list.md"),
        ("../../../up.md", Wanted.NOTHING, ""),
        ("#stay", Wanted.ITSELF, ""),
        ("https://Firm.Example:443/a/?q=1#x", Wanted.URL, "firm.example/a?q=1"),
        ("//firm.example/a/", Wanted.URL, "firm.example/a"),
        (f"https://firm.example/w/acme/files/{ID}/", Wanted.FILE, ID),
        (f"/w/acme/entities/{ID}/", Wanted.RECORD, ID),
        (f"https://firm.example/w/other/files/{ID}/", Wanted.URL, f"firm.example/w/other/files/{ID}"),
        ("file:///etc/passwd", Wanted.NOTHING, ""),
        ("http://[half", Wanted.NOTHING, ""),
        ("http://a b/c", Wanted.NOTHING, ""),
        ("a\x00b.md", Wanted.NOTHING, ""),
        ("x" * 700 + ".md", Wanted.NOTHING, ""),
        ("", Wanted.NOTHING, ""),
    ],
)
def test_a_target_is_read_as_it_is_meant(target: str, wanted: Wanted, key: str) -> None:
    address = read_target(target, HERE, "acme")
    assert address is not None
    assert (address.wanted, address.key) == (wanted, key)
    assert bool(address.reason) == (wanted == Wanted.NOTHING)


def test_mailboxes_and_programs_are_no_links_to_documents() -> None:
    for target in ("mailto:a@b.example", "tel:+49123", "javascript:alert(1)", "DATA:text/html,x", "cid:part1"):
        assert read_target(target, HERE, "acme") is None


def test_a_document_of_unknown_place_knows_names_only() -> None:
    assert read_target("../pay/list.md", "guide.md", "acme") == Address(Wanted.PATH, "list.md")
    assert build_title_address("  Quay  LEASE ") == Address(Wanted.TITLE, "quay lease")
    assert clean_path("", "a.md") == "a.md"
    assert clean_path("x\\./y/b.md", "a.md") == "/x/y/a.md"
    assert clean_path("a.md", "a.md") == "/a.md"


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300), st.sampled_from([HERE, "/a.md", "a.md"]))
def test_whatever_stands_there_is_read_and_fits_its_column(target: str, path: str) -> None:
    address = read_target(target, path, "acme")
    if address is not None:
        assert len(address.key) <= LONGEST_KEY >= len(address.anchor)
        assert address.wanted != Wanted.PATH or "/../" not in f"{address.key}/"
        if address.wanted == Wanted.PATH:
            assert all(address.key in build_keys(name) for name in list_variants(address.key))


def test_what_a_link_may_mean_and_what_may_mean_a_file_agree() -> None:
    assert list_variants("/a/b.md") == ("/a/b.md",)
    assert "/a/b/index.md" in list_variants("/a/b")
    assert "/README.md" in list_variants("/")
    assert set(build_keys("/a/b/index.md")) == {"/a/b/index.md", "/a/b/index", "/a/b"}
    assert build_path_key("/a/./b//c/..") == "/a/b"
    with pytest.raises(ValueError, match="host"):
        build_url_key("https://")


def test_addresses_and_titles_in_running_text() -> None:
    said = "See https://a.example/x_(y), (http://b.example/z). And [[Quay lease|the lease]] or [[Plan#Later]]!"
    assert find_bare_addresses(said) == ["https://a.example/x_(y)", "http://b.example/z"]
    assert find_titles(said) == [("Quay lease", "the lease"), ("Plan", "Plan")]


def found(extraction: Extraction) -> list[tuple[str, str]]:
    """(target, words), after looking that each target stands in the paragraph that its link is told with."""
    for link in extraction.links:
        assert link.target in extraction.paragraphs[link.paragraph].text
    again = Extraction.from_json(extraction.head_to_json(), extraction.rows_to_json())
    assert again.links == extraction.links
    return [(link.target, link.words) for link in extraction.links]


def test_links_of_every_format_stand_in_the_text_that_is_classified(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_text(
        "# A [b](c.md)\n\n- one [two](three.md)\n\n| x | y |\n|---|---|\n| [k](l.md) | m |\n\n"
        "[ref]\n\n<p><a class='q' href=\"raw.md\">r</a></p>\n\n[ref]: far.md 'Title'\n"
    )
    assert found(extract(path, "a.md")) == [
        ("c.md", "b"), ("three.md", "two"), ("l.md", "k"), ("far.md", "ref"), ("raw.md", ""),
    ]  # fmt: skip
    path.write_text(
        "<!DOCTYPE html><h1>T</h1><p>See <a href='a.html'>a</a> and <a href='#x'>b</a>.</p>"
        "<table><tr><th>h</th><th>i</th></tr><tr><td><a href='cell.html'>c</a></td><td>2</td></tr></table>"
    )
    assert found(extract(path, "a.html")) == [("a.html", "a"), ("cell.html", "c")]

    document = docx.Document()
    key = document.part.relate_to("../plan.docx", RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    xml = f'<w:p {nsdecls("w", "r")}><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink r:id="{key}"><w:r>'
    document.element.body.insert(0, parse_xml(f"{xml}<w:t>the plan</w:t></w:r></w:hyperlink></w:p>"))
    document.save(path)
    read = extract(path, "a.docx")
    assert read.paragraphs[0].text == "See the plan (../plan.docx)"
    assert found(read) == [("../plan.docx", "the plan")]

    odt(path, "<text:p>See <text:a xlink:href='../plan.odt'>the plan</text:a> now.</text:p>")
    read = extract(path, "a.odt")
    assert read.paragraphs[0].text == "See the plan (../plan.odt) now."
    assert found(read) == [("../plan.odt", "the plan")]

    def page(canvas) -> None:
        line(canvas, 60, 90, "Read the plan and https://told.example/a for more.")
        canvas.linkURL("plan.pdf", (60, 80, 100, 95))
        canvas.linkURL("https://told.example/a", (60, 80, 100, 95))

    read = extract(draw(tmp_path / "a.pdf", page), "a.pdf")
    assert found(read) == [("plan.pdf", ""), ("https://told.example/a", "")]
    assert [p.text for p in read.paragraphs][1:] == ["Links on this page: plan.pdf"]

    message = EmailMessage()
    message["Subject"] = "Plan"
    message.set_content("See below.")
    message.add_alternative("<p>See <a href='plan.pdf'>the plan</a> below.</p>", subtype="html")
    path.write_bytes(message.as_bytes())
    assert found(extract(path, "a.eml")) == [("plan.pdf", "the plan")]


def test_a_link_of_a_long_paragraph_belongs_to_the_part_that_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_text("A sentence of words. " * 300 + "See [the plan](plan.md).")
    read = extract(path, "a.md")
    assert len(read.paragraphs) > 1
    assert [link.paragraph for link in read.links] == [len(read.paragraphs) - 1]
    path.write_text(f"[x](<{'y' * (LONGEST_TARGET + 1)}>)")
    assert found(extract(path, "a.md")) == []


def test_what_the_limited_process_says_of_links_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_text("[x](y.md)")
    read = extract(path, "a.md")
    for bad in ([1, "y.md", ""], [0, "y" * (LONGEST_TARGET + 1), ""], [0, 5, ""], [0, "y"]):
        with pytest.raises(ValueError):
            Extraction.from_json({**read.head_to_json(), "links": [bad]}, read.rows_to_json())


def test_known_links_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = tmp_path / "docs" / "a"
    docs.mkdir(parents=True)
    (docs / "one.md").write_text("[two](two.md#x), [three](../b/three), [gone](gone.md), <a href='two.md'>raw</a>\n")
    (docs / "two.md").write_text("# Two\n\n[one](one.md)\n")
    edges = [
        {"src": "a/one.md", "dst": "a/two.md"},
        {"src": "a/two.md", "dst": "a/one.md"},
        {"src": "a/two.md", "dst": "a/two.md"},
        {"src": "a/one.md", "dst": None, "target": "gone.md", "broken": True},
    ]
    (tmp_path / "edges.jsonl").write_text("\n".join(map(json.dumps, edges)))
    call_command("evaluate_links", str(tmp_path), json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["right"], told["recall"], told["precision"]) == (2, 0.6667, 1.0)
    assert (told["broken_links_of_the_set"], told["broken_but_resolved"]) == (1, 0)
    assert told["not_resolved"] == {"absent": 2}
