from django.db import models

from entities.fields import LongText
from entities.models.entity import Entity


class Article(Entity):
    entity_ptr = models.OneToOneField(Entity, models.CASCADE, parent_link=True, primary_key=True, related_name="+")

    section = models.CharField(max_length=200, blank=True)
    body = LongText()

    class Rag(Entity.Rag):
        semantic = "{name}, {section}"
        icon = "book"
        color = "green"
