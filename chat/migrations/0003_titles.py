from django.db import migrations


class Migration(migrations.Migration):
    """A title is made of a question, which is drawn from nothing: no record takes one with it."""

    dependencies = [("chat", "0002_protect")]

    operations = [migrations.RunSQL(["DROP TRIGGER forget_titles ON entities_entity"])]
