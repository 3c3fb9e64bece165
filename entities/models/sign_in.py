from django.db import models


class SignInCount(models.Model):
    """Tries to sign in that were wrong, or have not ended (`entities.attempts`). Of no workspace: nobody is in yet.

    key: a keyed hash, from which neither the name that was tried nor an address can be read. last_at: of the last try
    that was counted, by the database's clock.
    """

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField()
    last_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key[:8]
