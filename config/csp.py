"""The content security policies: pages run our own scripts and nothing else."""

import re

from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.middleware import CSPMiddleware, PolicyParts
from django.http import HttpRequest, HttpResponseBase

PAGES: dict[str, dict[str, list[str]]] = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "worker-src": [SELF],
        "manifest-src": [SELF],
        "object-src": [NONE],
        "frame-src": [SELF],
        "frame-ancestors": [SELF],
        "base-uri": [SELF],
        "form-action": [SELF],
    }
}

# django-unfold draws its pages with Alpine.js, which compiles expressions, and sets styles in attributes.
# The API documentation's viewer sets styles too.
LOOSER = (
    (re.compile(r"^(/w/[^/]+)?/admin/"), {"script-src": [SELF, UNSAFE_EVAL], "style-src": [SELF, UNSAFE_INLINE]}),
    (re.compile(r"^(/w/[^/]+)?/api/docs/"), {"style-src": [SELF, UNSAFE_INLINE]}),
)


class Middleware(CSPMiddleware):
    """The policy of pages, looser only for the two third-party user interfaces."""

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        for path, directives in LOOSER:
            if path.match(request.path):
                parts.replace = {**directives, **(parts.replace or {})}
        return parts
