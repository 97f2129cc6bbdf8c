"""Files written whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from clustervet._process import removed_by
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
        # A new file gets what the umask leaves of its mode; one that is replaced keeps its own.
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666
        with beside(path) as made:
            with open(made, "xb", opener=partial(os.open, mode=mode)) as file:
                file.write(data)
            move(made, path)
    except OSError as error:
        raise _refusal(path, error) from None


@contextmanager
def beside(target: Path) -> Iterator[Path]:
    """Give the path of something temporary beside the target; whatever is there is removed.

    It is removed too if a signal ends the process in between.
    """
    made = target.with_name(f".clustervet-{os.urandom(8).hex()}")
    with removed_by(partial(_remove, made)):
        yield made


def move(made: Path, target: Path) -> None:
    """Put a finished file in the place of the target, with the mode of the file that was there."""
    if target.exists():
        made.chmod(target.stat().st_mode & 0o777)
    made.replace(target)


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _place(target: str | os.PathLike[str]) -> Path:
    """The file behind links; a pipe or device by the name it was given."""
    special = os.path.exists(target) and not (os.path.isfile(target) or os.path.isdir(target))
    return Path(target if special else os.path.realpath(target))


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
        with beside(path) as made:
            made.touch(exist_ok=False)
    except OSError as error:
        raise _refusal(path, error) from None


def _refusal(path: Path, error: OSError) -> FileError:
    return FileError(f"{show_label(str(path), 200)} cannot be written: {error.strerror}.")
