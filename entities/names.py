"""Names that are declared or seeded in English and translated where a page shows them (`entities.language`).

They stand here so that `makemessages` finds them: what declares them must stay plain English, because it is indexed.
A test compares with the kinds of records; a workspace's own names are shown as they are.
"""

from django.utils.translation import gettext_noop, ngettext_lazy, pgettext_lazy

LEVELS = [
    pgettext_lazy("level", "Public"),
    pgettext_lazy("level", "Internal"),
    pgettext_lazy("level", "Confidential"),
    pgettext_lazy("level", "PII"),
    pgettext_lazy("level", "PII-Sensitive"),
    pgettext_lazy("level", "Financial"),
    pgettext_lazy("level", "Secret"),
]

KINDS = [
    ngettext_lazy("record", "records"),
    ngettext_lazy("article", "articles"),
    ngettext_lazy("contract", "contracts"),
    ngettext_lazy("employee", "employees"),
    ngettext_lazy("project", "projects"),
    ngettext_lazy("risk", "risks"),
    ngettext_lazy("task", "tasks"),
]

# What `|counted` counts.
COUNTED = [
    ngettext_lazy("conversation", "conversations"),
    ngettext_lazy("day", "days"),
    ngettext_lazy("decision", "decisions"),
    ngettext_lazy("file", "files"),
    ngettext_lazy("job", "jobs"),
    ngettext_lazy("labelled paragraph", "labelled paragraphs"),
    ngettext_lazy("link", "links"),
    ngettext_lazy("more file", "more files"),
    ngettext_lazy("page", "pages"),
    ngettext_lazy("paragraph", "paragraphs"),
    ngettext_lazy("passage", "passages"),
    ngettext_lazy("question", "questions"),
    ngettext_lazy("request", "requests"),
    ngettext_lazy("row", "rows"),
    ngettext_lazy("text", "texts"),
]

DECLARED = [
    gettext_noop("articles"),
    gettext_noop("contracts"),
    gettext_noop("employees"),
    gettext_noop("projects"),
    gettext_noop("risks"),
    gettext_noop("tasks"),
    gettext_noop("name"),
    gettext_noop("section"),
    gettext_noop("body"),
    gettext_noop("counterparty"),
    gettext_noop("value"),
    gettext_noop("currency"),
    gettext_noop("status"),
    gettext_noop("starts on"),
    gettext_noop("ends on"),
    gettext_noop("notice period (days)"),
    gettext_noop("notes"),
    gettext_noop("title"),
    gettext_noop("department"),
    gettext_noop("email"),
    gettext_noop("salary"),
    gettext_noop("started on"),
    gettext_noop("phase"),
    gettext_noop("budget"),
    gettext_noop("due on"),
    gettext_noop("owner"),
    gettext_noop("description"),
    gettext_noop("severity"),
    gettext_noop("category"),
    gettext_noop("details"),
    gettext_noop("Documents"),
    gettext_noop("HR documents"),
    gettext_noop("Draft"),
    gettext_noop("Active"),
    gettext_noop("Expiring"),
    gettext_noop("Terminated"),
    gettext_noop("To do"),
    gettext_noop("Doing"),
    gettext_noop("Blocked"),
    gettext_noop("Done"),
    gettext_noop("Planning"),
    gettext_noop("Construction"),
    gettext_noop("Handover"),
    gettext_noop("Closed"),
    gettext_noop("Low"),
    gettext_noop("Medium"),
    gettext_noop("High"),
    gettext_noop("Open"),
    gettext_noop("Mitigated"),
    gettext_noop("Accepted"),
    gettext_noop("General"),
    gettext_noop("Sensitive"),
]
