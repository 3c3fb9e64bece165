"""How well search finds what questions ask for: sets of questions, runs, their figures (docs/evaluation.md)."""
