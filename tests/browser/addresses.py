"""Where every page of an installation is, the demo loaded."""

import json
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser.conftest import BASE, Shelf, open_page, open_record
from tests.browser.hands import call

QUESTIONS = (
    {
        "id": "cap",
        "question": "What is the liability cap of the structural steel subcontract with Brannock Steel?",
        "places": [{"file": "steel-subcontract-brannock.pdf"}],
        "labels": [],
    },
    {
        "id": "pay",
        "question": "What was decided in the pay review of Tomasz Wrona?",
        "places": [{"file": "pay-review-tomasz-wrona-2026.pdf", "page": 1}],
        "labels": ["PII", "Financial"],
    },
    {"id": "dog", "question": "May I bring my dog to the site office?", "answerable": False, "labels": []},
)


def make_addresses(chromium: Browser, installation: str, environment: dict[str, str], shelf: Shelf) -> dict[str, str]:
    """Where the pages are; a conversation with an answered question, and an evaluation, are made on the way. A request
    for access waits, so that the top bar shows all it can.
    """
    asker = open_page(chromium, installation, "cfo")
    asked = call(asker, "POST", "access-requests/", {"file": shelf.fare.split("/")[1], "labels": [6]})
    assert asked[0] in (200, 201), asked
    asker.context.close()
    page = open_page(chromium, installation, "admin")
    root = f"{installation}/w/demo/"
    record = open_record(page, "contract", "Structural Steel Subcontract")
    page.get_by_placeholder("Ask about this record").fill("What is the liability cap?")
    page.get_by_role("button", name="Send").click()
    page.locator("#talk .cl-turn[data-state=done] a.cl-cite").first.wait_for(timeout=90_000)
    page.locator("#pulse-panel .cl-prose").wait_for(timeout=90_000)
    reader = page.locator("#files .cl-file-name a").first.get_attribute("href")
    page.goto("chat/")
    page.locator("main li a[href*='/chat/']").first.click()
    page.wait_for_url("**/chat/*-*/")
    conversation = page.url
    inspector = page.locator("#talk a[href*='/context/']").first.get_attribute("href")
    quarantined = record_with_a_broken_file(page)
    evaluate(environment)
    page.goto("evaluation/")
    run = page.locator("main tbody th a").first.get_attribute("href")
    page.goto(f"{installation}{run}")
    question = page.locator("main tbody th a").first.get_attribute("href")
    page.goto(root)
    # Beside the paragraph of the report that a steward decides on elsewhere.
    beside = call(page, "GET", f"files/{shelf.report.split('/')[1]}/paragraphs/")[1]["results"][-1]["id"]
    page.context.close()
    ask = f"{root}access-requests/new/?file={shelf.fare.split('/')[1]}&labels="
    return {
        "sign-in": f"{installation}/sign-in/",
        "begin": f"{installation}/begin/",
        "home": root,
        "contracts": f"{root}records/contract/",
        "projects": f"{root}records/project/?ordering=-name",
        "list-none": f"{root}records/contract/?q=no+such+name",
        "record": root + record,
        "quarantined": quarantined,
        "form": f"{root}{record}edit/",
        "new": f"{root}records/contract/new/",
        "reader": f"{installation}{reader}",
        "versions": f"{installation}{reader}versions/",
        "search": f"{root}search/?q=liability+cap",
        "search-empty": f"{root}search/",
        "search-none": f"{root}search/?q=liability+cap&since=2999-01-01",
        "conversations": f"{root}chat/",
        "conversation": conversation,
        "join": f"{installation}/join/",
        "password": f"{installation}/account/password/",
        "profile": f"{installation}/account/profile/",
        "not-found": f"{root}nowhere/",
        "inspector": f"{installation}{inspector}",
        "reader-find": f"{installation}{str(reader).partition('?')[0]}?find=liability",
        "admin": f"{root}admin/",
        "admin-roles": f"{root}admin/entities/role/",
        "admin-role": f"{root}admin/entities/role/add/",
        "admin-members": f"{root}admin/entities/membership/",
        "api": f"{installation}/api/docs/",
        "answers": f"{root}evaluation/answers/",
        "evaluation": f"{root}evaluation/",
        "evaluation-run": f"{installation}{run}",
        "bench": f"{installation}{question}",
        "bench-empty": f"{root}evaluation/bench/",
        "desk": f"{root}desk/",
        "desk-empty": f"{root}desk/?label=6&cause=conflict",
        "desk-groups": f"{root}desk/?group=reason",
        "desk-item": f"{root}desk/paragraphs/{beside}/",
        "desk-page": f"{root}desk/paragraphs/{beside}/page/",
        "exposure": f"{root}exposure/",
        "quarantine": f"{root}quarantine/",
        "people": f"{root}people/",
        "roles": f"{root}people/roles/",
        "members": f"{root}people/roles/members/?role=1",
        "notifications": f"{root}notifications/",
        "reference-new": f"{root}{record}references/new/",
        "model": f"{root}model/",
        "encoder": f"{root}encoder/",
        "bin": f"{root}bin/",
        "levels": f"{root}levels/",
        "workspace": f"{root}workspace/",
        "tokens": f"{root}tokens/",
        "group-new": f"{root}people/groups/new/",
        "share": f"{root}{record}share/",
        "files-table": f"{root}{shelf.record}files/table/",
        "requests": f"{root}access-requests/",
        "requests-none": f"{root}access-requests/",
        "ask": f"{ask}5",
        "ask-none": f"{ask}0",
        "files": f"{root}{shelf.record}files/",
        "links": f"{root}{shelf.fare}links/",
        "shelf-versions": f"{root}{shelf.report}versions/",
    }


def evaluate(environment: dict[str, str]) -> None:
    """Questions about the demo's documents, asked as two readers: two histories of a set of one name."""
    asked = Path(environment["CLEARANCE_HOME"]) / "questions about the demo.jsonl"
    asked.write_text("".join(f"{json.dumps(question)}\n" for question in QUESTIONS))
    command = [sys.executable, "manage.py", "evaluate", str(asked), "--workspace", "demo", "--as"]
    for reader in ("viewer", "admin"):
        subprocess.run([*command, reader], cwd=BASE, env=environment, check=True, capture_output=True)


def record_with_a_broken_file(page: Page) -> str:
    """The address of a new record whose only file could not be read."""
    page.goto("records/contract/new/")
    page.get_by_label("Name").fill("Crane inspection, broken file")
    page.get_by_label("Counterparty").fill("Nobody")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/entities/**")
    page.locator("#upload").set_input_files(
        {"name": "cut.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 cut"}
    )
    page.locator(".cl-file[data-state=quarantined]").wait_for(timeout=60_000)
    return page.url
