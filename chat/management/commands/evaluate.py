"""`manage.py evaluate SET …`: how well search finds what is asked and, with --answers, how well it is answered."""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from chat.evaluation.answers import EvaluationResult, evaluate_answers
from chat.evaluation.figures import NAMES
from chat.evaluation.golden import SET_NAME, build_golden_set
from retrieval.evaluation.sets import QuestionSet
from retrieval.management.commands import evaluate

DROPPED = evaluate.DROPPED
OF_SEARCH = ("admin", "convert", "load_only", "weigh", "threshold", "same_settings", "model")
"""Options that say nothing about answers."""


class Command(evaluate.Command):
    """The command of `retrieval`, which knows no conversations, with what is measured in them."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--answers", action="store_true", help="Ask in conversations and judge the answers; needs --as."
        )
        parser.add_argument(
            "--golden", action="store_true", help="With --answers: also ask what --as asked and rated as well answered."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["answers"]:
            if options["golden"]:
                raise CommandError("--golden needs --answers.")
            super().handle(*args, **options)
            return
        parser = self.create_parser("manage.py", "evaluate")
        if ignored := [name for name in OF_SEARCH if options[name] != parser.get_default(name)]:
            raise CommandError(f"Not with --answers: {', '.join('--' + name.replace('_', '-') for name in ignored)}.")
        if not (options["workspace"] and options["reader"]):
            raise CommandError("Answers are given to a member: name --workspace and --as.")
        if not (options["sets"] or options["golden"]):
            raise CommandError("Name a SET, or give --golden.")
        reader, name = self.reader(QuestionSet(SET_NAME, ()), options)
        sets = [self.read(path, options) for path in options["sets"]]
        if options["golden"]:
            sets.append(self.narrow(build_golden_set(reader), options))
        made: list[EvaluationResult] = []
        for given in sets:
            try:
                made.append(evaluate_answers(reader, given, name=name, accept=options["accept"], say=self.say))
            except ValueError as problem:
                raise CommandError(str(problem)) from None
        if options["json"]:
            reports = [build_json(one) for one in made]
            self.stdout.write(json.dumps(reports[0] if len(reports) == 1 else reports, indent=1))
        else:
            for one in made:
                self.stdout.write("\n".join(format_report(one)))
        if any(one.run.dropped for one in made):
            raise CommandError("Answers got worse than they were.", returncode=DROPPED)


def format_report(one: EvaluationResult) -> list[str]:
    run, before = one.run, one.before
    told = [f"{run.set_name}, {len(run.scores)} questions, as {run.reader}, answered by {run.model}, {run.seconds} s"]
    told.append(f"Judged by {run.judge or 'the support check'}.")
    if one.left_out:
        told.append(f"Not asked: {one.left_out} questions within files that {run.reader} does not see.")
    for name in NAMES:
        if name in run.figures:
            then = f"   before {before.figures[name]:.3f}" if before and name in before.figures else ""
            told.append(f"{name.replace('_', ' '):20} {run.figures[name]:.3f}{then}")
    return [*told, *(f"Dropped: {d.name.replace('_', ' ')}, {d.before:.3f} -> {d.now:.3f}" for d in one.drops)]


def build_json(one: EvaluationResult) -> dict[str, Any]:
    return {
        "set": one.run.set_name,
        "reader": one.run.reader,
        "model": one.run.model,
        "judge": one.run.judge,
        "figures": one.run.figures,
        "before": one.before.figures if one.before else None,
        "drops": [{"figure": d.name, "before": d.before, "now": d.now} for d in one.drops],
        "dropped": one.run.dropped,
        "left_out": one.left_out,
    }
