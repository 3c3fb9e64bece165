"""Rows of tables and of contents in answers, summaries and a Pulse."""

from llm import prompts
from llm.prompts import NumberedPassage, PromptDocument, Record
from llm.quoting import engine
from llm.quoting.answering import answer as find_quotes
from llm.quoting.reading import PromptPassage
from llm.quoting.summaries import summarise
from tests.llm.quoting_helpers import body, chat, said


def test_a_summary_has_rows_of_a_table_only_where_there_is_nothing_else():
    table = "| Lift | Annual fee |\n| --- | --- |\n| L1 | £21,600 |"
    assert summarise(["The fee of the lifts is paid each year.", table]) == "The fee of the lifts is paid each year."
    assert "£21,600" in summarise([table])


def test_a_row_of_a_table_is_said_cell_by_cell():
    table = "| Lift | Place | Annual fee |\n| --- | --- | --- |\n| L3 | Goods bay | £28,800 |\n| L4 | Yard | £14,400 |"
    answer = said(
        chat(
            "What is the annual fee of the lift at the goods bay?",
            [PromptDocument("a.md", [NumberedPassage(3, table)])],
        )
    )
    assert "L3 · Place: Goods bay · Annual fee: £28,800 [3]" in answer.split("\n\n")
    assert "|" not in answer


def test_a_line_of_a_table_of_contents_is_neither_an_answer_nor_a_point():
    contents = PromptPassage(
        1, "Guide.pdf (Yard)", "1.1 Signing of contracts must . . . . . . . . . . 3 not later than May ...... 5"
    )
    caption = PromptPassage(2, "Guide.pdf (Yard)", "Figure 3 - Signing of contracts\n\n9")
    assert find_quotes("Who is signing the contracts?", [contents, caption]) == []
    assert find_quotes("What is the signing of contracts?", [contents, caption]) == []
    prompt = prompts.build_pulse_prompt(
        Record("Yard", "Yard"), [PromptDocument("Guide.pdf", [NumberedPassage(1, contents.text)])]
    ).request
    assert ". . ." not in said(engine.answer(body(prompt)))


def test_a_count_in_a_table_is_found_by_the_tables_head_and_a_section_by_its_number():
    table = PromptPassage(
        1, "Boats.xlsx (Yard)", "| Boat | Planks per side |\n| --- | --- |\n| Skiff | 24 |\n| Punt | 12 |"
    )
    assert [quote.sentence for quote in find_quotes("How many planks does the skiff have?", [table])] == [
        "| Skiff | 24 |"
    ]
    assert find_quotes("How many nails does the skiff have?", [table]) == []
    rules = "1.1 Slipway rules\n\nWithout a slipway permit no boat is launched from the slipway by anybody."
    asked = "What does section 1.1 say about the slipway permit?"
    assert [quote.n for quote in find_quotes(asked, [PromptPassage(2, "Rules.pdf (Yard)", rules)])] == [2]
    assert find_quotes(asked.replace("1.1", "1.2"), [PromptPassage(2, "Rules.pdf (Yard)", rules)]) == []


def test_a_summary_quotes_each_row_of_a_table_once():
    table = "| Line | Budget |\n| --- | --- |\n| Grants | 30500 |\n| Energy | 5600 |"
    summary = summarise(["| Line | Budget | | Grants | 30500 |", table])
    assert summary.count("Grants") == 1
    assert "Energy" in summary
