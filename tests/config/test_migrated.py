from config.postgres import Cluster
from tests import migrated


def test_only_what_the_same_code_migrated_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(migrated, "KEPT", tmp_path)
    monkeypatch.setattr(migrated, "DATA", tmp_path / "data")
    monkeypatch.setattr(migrated, "CODE", tmp_path / "code")
    cluster = Cluster(tmp_path / "home")
    assert not migrated.take(cluster), "nothing is kept yet"
    migrated.DATA.mkdir()
    (migrated.DATA / "PG_VERSION").write_text("18")
    migrated.CODE.write_text("of another day")
    assert not migrated.take(cluster)
    assert not cluster.data.exists()
    migrated.CODE.write_text(migrated._code())
    assert migrated.take(cluster)
    assert (cluster.data / "PG_VERSION").read_text() == "18"


def test_a_database_of_other_migrations_is_not_taken(tmp_path, monkeypatch):
    """Functions, triggers and policies stand in files of SQL beside the migrations."""
    monkeypatch.setattr(migrated, "BASE", tmp_path)
    monkeypatch.setattr(migrated.settings, "LAYERS", ["records"])
    folder = tmp_path / "records" / "migrations"
    folder.mkdir(parents=True)
    (tmp_path / "requirements.txt").write_text("django==5.2\n")
    codes = [migrated._code()]
    for name, text in (
        ("0001_initial.py", "operations = []"),
        ("policies.sql", "ALTER TABLE record ENABLE ROW LEVEL SECURITY"),
        ("policies.sql", "ALTER TABLE record FORCE ROW LEVEL SECURITY;"),
    ):
        (folder / name).write_text(text)
        codes.append(migrated._code())
    (folder / "policies.sql").rename(folder / "gates.sql")
    codes.append(migrated._code())
    assert len(set(codes)) == len(codes)
    (folder / "notes.txt").write_text("read by nobody")
    assert migrated._code() == codes[-1]
