"""How well questions are answered: the answers of `manage.py evaluate --answers` (docs/evaluation.md)."""
