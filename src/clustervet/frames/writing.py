"""Files written whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from clustervet.errors import FileError
from clustervet.labels import show_label


def write_whole(target: str | os.PathLike[str], text: str) -> None:
    """Write beside the target and move into place, so that no half file is ever seen."""
    path = _place(target)
    data = text.encode("utf-8", "backslashreplace")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)  # a pipe or device is written, not replaced
            return
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".clustervet-")
    except OSError as error:
        raise _refusal(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, mode)
        os.replace(name, path)
    except OSError as error:
        os.unlink(name)
        raise _refusal(path, error) from None
    except BaseException:
        os.unlink(name)
        raise


def _place(target: str | os.PathLike[str]) -> Path:
    """The file behind links; a pipe or device by the name it was given."""
    given = Path(target)
    special = given.exists() and not given.is_file() and not given.is_dir()
    return given if special else Path(os.path.realpath(given))


def make_folder(path: Path) -> None:
    """A folder to write in, made where it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refusal(path, error) from None


def check_writable(target: str | os.PathLike[str]) -> None:
    """Refuse a file that could not be written later, before any work is done."""
    path = _place(target)
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.exists() and not path.is_file():
            return
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".clustervet-")
        os.close(handle)
        os.unlink(name)
    except OSError as error:
        raise _refusal(path, error) from None


def _refusal(path: Path, error: OSError) -> FileError:
    return FileError(f"{show_label(str(path), 200)} cannot be written: {error.strerror}.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
