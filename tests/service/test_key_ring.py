"""The key ring: where its file is, who may read it, and how its secrets are replaced."""

import pytest

from winnerstays.errors import WinnerstaysError
from winnerstays.service import key_ring
from winnerstays.service.tokens import TokenError, TokenSigner, Visitor

ADA = Visitor(1, "ada", 1e11)


def test_file_is_made_once_for_its_owner(tmp_path):
    path = tmp_path / "arena.db.secrets"
    made = key_ring.load(str(path))
    assert path.stat().st_mode & 0o777 == 0o600 and key_ring.load(str(path)) == made and len(made[0]) >= 43
    assert key_ring.load(None) != key_ring.load(None)


def test_new_first_line_signs_and_old_lines_verify(tmp_path):
    path = tmp_path / "ring"
    old = TokenSigner(Visitor, key_ring.load(str(path))).sign(ADA)
    before = path.read_text()
    path.write_text("n" * 43 + "\n" + before)
    both = TokenSigner(Visitor, key_ring.load(str(path)))
    assert both.check(old) == ADA
    path.write_text("n" * 43)
    rotated = TokenSigner(Visitor, key_ring.load(str(path)))
    assert rotated.check(both.sign(ADA)) == ADA
    with pytest.raises(TokenError, match="not signed"):
        rotated.check(old)


@pytest.mark.parametrize(
    ("content", "mode", "holding"),
    [(b"x" * 43, 0o640, "chmod 600"), (b"", 0o600, "at least 32"), (b"short", 0o600, "at least 32"),
     (b"\xff" * 43, 0o600, "ASCII")],
)  # fmt: skip
def test_unfit_files_are_refused(tmp_path, content, mode, holding):
    path = tmp_path / "ring"
    path.write_bytes(content)
    path.chmod(mode)
    with pytest.raises(WinnerstaysError, match=holding):
        key_ring.load(str(path))
    with pytest.raises(WinnerstaysError, match="--secrets"):
        key_ring.load(str(tmp_path / "no" / "folder"))


def test_removed_database_does_not_come_back_empty(tmp_path, run):
    """Its keys would be gone, and everybody on this machine an admin."""
    database = tmp_path / "arena.db"
    key_ring.load(f"{database}.secrets")
    code, _, err = run("serve", "--db", str(database))
    assert code == 2 and "is missing, but its secrets are there" in err and not database.exists()
