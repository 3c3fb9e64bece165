"""The tables of schema public that stand open to the application's role, and why (design §2.4).

Every other table is under forced row-level security with a policy of the open scope: start-up, `/readyz` and the tests
look at what is in the database, so a table that nobody protected is refused and not overlooked.
"""

EXEMPT = {
    "entities_user": "people sign in before a workspace is open",
    "entities_user_user_permissions": "Django's own; unused, rights come from roles",
    "entities_workspace": "slug and name only",
    "entities_signincount": "wrong passwords, by keyed hashes alone",
    "django_session": "signing in",
    "django_content_type": "names of models",
    "django_migrations": "names of migrations",
    "django_admin_log": "Django's own; unused, the audit is ours",
    "auth_permission": "names of permissions",
    "guardian_userobjectpermission": "guardian's generic table; unused, ours are direct",
    "guardian_groupobjectpermission": "guardian's generic table; unused, ours are direct",
    "ingestion_vectormodel": "names of embedding models",
    "ingestion_worker": "process ids of workers",
}
