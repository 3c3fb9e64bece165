from entities.models.classification import FINANCIAL
from retrieval.search import search


def test_finds_by_word_and_by_meaning(index, contract, viewer):
    file = index.file(contract)
    cap = index.row(
        contract, "The liability cap is two million euros.", file=file, position=0, page=3, section="12 Liability"
    )
    index.row(contract, "Deliveries arrive at the quay every Monday.", file=file, position=1)
    index.row(contract, "The hourly rate is 90.", file=file, position=2, label=FINANCIAL)
    with viewer.scope.open():
        found = search(viewer.scope, "liability cap")
        print(found)
        assert found[0].id == cap
        found = search(viewer.scope, "when do ships with goods come?")
        print(found)
