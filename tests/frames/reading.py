"""Files as points or as labels, in one call."""

from __future__ import annotations

from clustervet.frames import open_table


def read_features(path, *, features=None, exclude=(), array=None, delimiter=None, header=None):
    """The points of a file."""
    source = open_table(path, array=array, delimiter=delimiter, header=header)
    return source.features(features, exclude)


class TextTable:
    """All columns of a small file of text as labels."""

    def __init__(self, source):
        self.source = source
        self.columns = source.read((), list(source.columns))[1]
        self.header_guessed = source.header_guessed

    def column(self, name):
        if name not in self.columns:
            raise self.source.absent(name)
        return self.columns[name]


def read_text_table(path, *, delimiter=None, header=None):
    """The labels of a file of text; a first line of numbers is taken as names."""
    return TextTable(open_table(path, delimiter=delimiter, header=header))
