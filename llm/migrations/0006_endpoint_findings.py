from django.db import migrations, models


class Migration(migrations.Migration):
    """What the test of an endpoint found, and a second model there."""

    dependencies = [("llm", "0005_endpoint_api")]

    operations = [
        migrations.AddField(
            model_name="workspaceendpoint",
            name="deep_model",
            field=models.CharField(blank=True, max_length=80),
        ),
        migrations.AddField(
            model_name="workspaceendpoint",
            name="findings",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="workspaceendpoint",
            name="labels",
            field=models.CharField(
                choices=[("tool", "With a tool"), ("json", "As JSON"), ("rules", "By rules")],
                default="tool",
                max_length=8,
            ),
        ),
    ]
