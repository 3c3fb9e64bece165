"""Side-by-side measurements of retrieval, run by `manage.py bench retrieval` (docs/retrieval.md)."""
