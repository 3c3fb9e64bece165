"""Warm limited processes that find labels in what people type: a pattern stops every thread of the process it runs in,
so none runs over a stranger's text in the web process (docs/sandbox.md, Typed text)."""
