"""Files are whole or not there."""

import os

import pytest

from winnerstays import WinnerstaysError
from winnerstays.files import write_whole


def test_writes_and_refuses_to_overwrite(tmp_path):
    file = tmp_path / "a.txt"
    write_whole(file, lambda draft: draft.write_text("one"))
    with pytest.raises(WinnerstaysError, match="exists already"):
        write_whole(file, lambda draft: draft.write_text("two"))
    write_whole(file, lambda draft: draft.write_text("two"), force=True)
    assert file.read_text() == "two"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError("x")])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, failure):
    file = tmp_path / "a.txt"
    file.write_text("old")

    def fail(draft):
        draft.write_text("half")
        raise failure

    with pytest.raises((WinnerstaysError, KeyboardInterrupt, ValueError)):
        write_whole(file, fail, force=True)
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_full_disk_is_a_sentence(tmp_path):
    def fail(draft):
        raise OSError(28, "No space left on device")

    with pytest.raises(WinnerstaysError, match=r"a\.txt cannot be written \(No space left on device\)"):
        write_whole(tmp_path / "a.txt", fail)


def test_folders_and_missing_folders(tmp_path):
    with pytest.raises(WinnerstaysError, match="is a folder"):
        write_whole(tmp_path, lambda draft: None)
    with pytest.raises(WinnerstaysError, match="there is no folder"):
        write_whole(tmp_path / "none" / "a.txt", lambda draft: None)
