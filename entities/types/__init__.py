"""The concrete entity types, one file each."""

from entities.types.article import Article
from entities.types.contract import Contract
from entities.types.employee import Employee
from entities.types.project import Project
from entities.types.risk import Risk
from entities.types.task import Task

__all__ = ["Article", "Contract", "Employee", "Project", "Risk", "Task"]
