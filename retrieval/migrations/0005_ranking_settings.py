import django.db.models.deletion
from django.db import migrations, models

from entities.rls import Protect


class Migration(migrations.Migration):
    """What a workspace has chosen for its searches."""

    dependencies = [("retrieval", "0004_protect_evaluation")]

    operations = [
        migrations.CreateModel(
            name="RankingSettings",
            fields=[
                (
                    "workspace",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="entities.workspace",
                    ),
                ),
                (
                    "rerank",
                    models.CharField(
                        choices=[
                            ("off", "No"),
                            ("cross_encoder", "By the cross-encoder of this installation"),
                            ("model", "By the language model, which costs a call for each search"),
                        ],
                        default="off",
                        max_length=16,
                        verbose_name="read the best passages again",
                    ),
                ),
            ],
            options={"verbose_name": "search settings", "verbose_name_plural": "search settings"},
        ),
        Protect("RankingSettings"),
    ]
