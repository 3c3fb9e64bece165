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
