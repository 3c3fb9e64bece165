from django.db import migrations, models


class Migration(migrations.Migration):
    """A workspace may ask for searches that compare all visible passages, however many there are."""

    dependencies = [("retrieval", "0007_outcome_files")]

    operations = [
        migrations.AddField(
            "RankingSettings",
            "strict",
            models.BooleanField(
                default=False,
                help_text=(
                    "Where a reader may see very many passages, a search by meaning takes a short cut: it shows nothing"
                    " that they may not see, but which of the near passages it finds, and how long it takes, can depend"
                    " on hidden ones. Without the short cut such searches take longer."
                ),
                verbose_name="compare all passages",
            ),
        )
    ]
