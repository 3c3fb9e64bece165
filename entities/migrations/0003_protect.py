from django.db import migrations

from entities.rls import Protect, ProtectType, build_policy_sql

OF_ROLE = "EXISTS (SELECT 1 FROM entities_role r WHERE r.workspace_id = (SELECT app_workspace()) AND r.group_id = {})"


def of_role(table: str, column: str) -> list[str]:
    """Django's own group tables: a group is seen in the workspace of its role."""
    condition = OF_ROLE.format(f'"{table}".{column}')
    return build_policy_sql(table, condition, condition)


class Migration(migrations.Migration):
    """Row-level security on every workspace table, composite keys, and the triggers of deletion."""

    dependencies = [("entities", "0002_functions"), ("auth", "0012_alter_user_first_name_max_length")]

    operations = [
        Protect("WorkspaceSettings"),
        Protect("Membership", target=True),
        Protect("Role", target=True),
        Protect("Token"),
        Protect("Classification", target=True),
        Protect("ClassificationGrant"),
        Protect("Entity", target=True),
        Protect("Alias"),
        Protect("EntityUserGrant"),
        Protect("EntityRoleGrant"),
        Protect("FieldParagraph", target=True),
        Protect("Source"),
        Protect("AuditEntry", append_only=True),
        *[ProtectType(name) for name in ("Contract", "Project", "Task", "Risk", "Article", "Employee")],
        migrations.RunSQL(
            [
                *of_role("auth_group", "id"),
                *of_role("auth_group_permissions", "group_id"),
                *of_role("entities_user_groups", "group_id"),
                "CREATE TRIGGER delete_group AFTER DELETE ON entities_role"
                " FOR EACH ROW EXECUTE FUNCTION app_delete_group()",
            ]
        ),
    ]
