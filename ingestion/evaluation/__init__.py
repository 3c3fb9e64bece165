"""How well paragraphs are labelled, measured on sets with known labels (docs/labels.md)."""
