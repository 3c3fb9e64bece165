"""What a page or a message holds beside its text is read, and has its label; what only looks so is not handed out."""

from base64 import b64encode

import pytest

from entities.types import Contract
from tests.conftest import Person
from tests.ingestion.helpers import SALARY, ready
from tests.ingestion.test_attachments import files_of, message
from tests.ingestion.test_withheld import original

pytestmark = pytest.mark.django_db(transaction=True)

PAY = b64encode(SALARY.encode()).decode()
HELD = [
    f"<a download href='data:text/plain;base64,{PAY}'>Save</a>",
    f"<iframe src='data:text/html;base64,{PAY}'></iframe>",
    f"<datalist><option value='{SALARY}'></datalist>",
    f"<meta name=remark content='{SALARY}'>",
]


def said(who: Person, file: str) -> str:
    return str(who.api.get(f"/api/files/{file}/reader/").json())


def found(who: Person) -> set[str]:
    results = who.api.get("/api/search/", {"q": "average salary site manager"}).json()["results"]
    return {result["file"]["id"] for result in results if result["file"]}


def test_what_is_named_a_signature_has_its_label(
    alice: Person, cfo: Person, viewer: Person, contract: Contract
) -> None:
    mail = message()
    mail.add_attachment(SALARY.encode(), maintype="application", subtype="pgp-signature", filename="pay.txt")
    file = ready(alice, contract, "m.eml", mail.as_bytes())
    pay = files_of(alice, contract)["pay.txt"]["id"]
    assert [SALARY in said(who, pay) for who in (viewer, cfo)] == [False, True]
    assert [original(who, file) for who in (viewer, cfo)] == [403, 200]
