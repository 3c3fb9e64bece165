from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("llm", "0004_workspace_endpoint"),
    ]

    operations = [
        migrations.AddField(
            model_name="workspaceendpoint",
            name="api",
            field=models.CharField(
                choices=[
                    ("anthropic", "Anthropic’s Messages API"),
                    ("openai", "OpenAI’s Chat Completions API"),
                ],
                default="anthropic",
                max_length=12,
            ),
        ),
    ]
