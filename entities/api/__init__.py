from entities.api.auth import TokenAuthentication
from entities.api.errors import exception_handler
from entities.api.lists import Pagination, label_list, list_atom_labels, paginate

__all__ = [
    "Pagination",
    "TokenAuthentication",
    "exception_handler",
    "label_list",
    "list_atom_labels",
    "paginate",
]
