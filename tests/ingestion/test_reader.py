from tests.conftest import Person
from tests.ingestion.helpers import ready, texts


def test_the_salary_is_text_for_the_cfo_and_a_placeholder_for_a_viewer(alice: Person, cfo, viewer, contract) -> None:
    file = ready(alice, contract)
    assert "The average salary of a site manager is 68,400 pounds a year." in texts(cfo, file)
    assert texts(viewer, file) == [
        "Progress",
        "The quay was closed for two days because of the storm.",
        "Costs",
        "[Financial]",
        "Next steps",
        "The sheet piling starts in November, when the permit is there.",
    ]
