"""From an uploaded file to paragraphs (design.md §4, Extract), in a limited process.

extract_file → sandbox.run_limited → inside.task → sniff → pdf | docx |
xlsx | pptx | odt | html | mail | delimited | markdown | plain → build
"""

from ingestion.extract.outside import STRATEGIES, extract_file, take_attachment

__all__ = ["STRATEGIES", "extract_file", "take_attachment"]
