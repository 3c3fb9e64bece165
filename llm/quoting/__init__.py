"""The offline engine: rules, and sentences of the prompt itself. It never makes up text."""
