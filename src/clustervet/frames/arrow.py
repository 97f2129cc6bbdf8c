"""Arrow files as tables of pyarrow, once what they unpack to is found to fit into memory.

Buffers of an Arrow file may be packed, and pyarrow unpacks all of a batch at once. Each packed
buffer begins with its size, so the sizes are read first, by the layout of Arrow's messages:
https://arrow.apache.org/docs/format/Columnar.html and its flatbuffers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from clustervet._memory import need
from clustervet.errors import ClustervetError, MissingPackageError
from clustervet.frames.duck import EngineError
from clustervet.frames.places import ARROW, Place

MAGIC = b"ARROW1"
# Kinds of messages, and the places of fields in the tables of Arrow's flatbuffers.
DICTIONARY, BATCH = 2, 3
MESSAGE_KIND, MESSAGE_HEADER, DICTIONARY_DATA = 1, 2, 1
BUFFERS, COMPRESSION = 2, 3
FOOTER_BLOCKS = (2, 3)
# Bytes of the records of a buffer and of a block.
BUFFER, BLOCK = 16, 24
# What reading a broken file may raise, beside Arrow's own errors.
BROKEN = (OSError, EOFError, ValueError, struct.error, IndexError)


def arrow_table(place: Place) -> Any:
    """An Arrow file or stream as a table of pyarrow."""
    try:
        import pyarrow
    except ImportError:
        raise MissingPackageError(
            f"{place.name} is an Arrow file, for which the package pyarrow is needed."
        ) from None
    try:
        with pyarrow.memory_map(place.path) as file:
            whole = file.read_buffer()
            size = sum(_unpacked(message) for message in _messages(whole, place))
            need(size, f"{place.name} unpacked")
            opened = pyarrow.ipc.open_file if _is_file(place) else pyarrow.ipc.open_stream
            table = opened(whole).read_all()
        table.validate(full=True)  # the engine would follow a wrong offset anywhere
    except ClustervetError:
        raise
    except (*BROKEN, pyarrow.ArrowException) as error:
        raise EngineError(f"{ARROW}: {error}") from None
    for number, column in enumerate(table.schema):
        if column.type == pyarrow.float16():  # which DuckDB does not know
            wide = table.column(number).cast(pyarrow.float32())
            table = table.set_column(number, column.name, wide)
    return table


def _is_file(place: Place) -> bool:
    return place.start.startswith(MAGIC)


def _messages(whole: Any, place: Place) -> Iterator[Any]:
    """The messages of a stream, or those that the end of a file points at."""
    from pyarrow import ipc

    if not _is_file(place):
        yield from ipc.MessageReader.open_stream(whole)
        return
    held = memoryview(whole)
    (length,) = struct.unpack_from("<i", held, len(held) - len(MAGIC) - 4)
    end = len(held) - len(MAGIC) - 4
    if not 0 < length <= end:
        raise ValueError("its end cannot be read")
    footer = held[end - length : end]
    root = _offset(footer, 0)
    for field in FOOTER_BLOCKS:
        for place_of in _vector(footer, root, field, BLOCK):
            at, before, _, after = struct.unpack_from("<qiiq", footer, place_of)
            if min(at, before, after) < 0 or at + before + after > len(held):
                raise ValueError("a block lies outside the file")
            yield ipc.read_message(whole.slice(at, before + after))


def _unpacked(message: Any) -> int:
    """Bytes that the buffers of a message take once they are unpacked; 0 where none is packed."""
    facts, body = memoryview(message.metadata), memoryview(message.body or b"")
    root = _offset(facts, 0)
    at = _field(facts, root, MESSAGE_KIND)
    kind = facts[at] if at else 0
    batch = _field(facts, root, MESSAGE_HEADER)
    if kind not in (DICTIONARY, BATCH) or not batch:
        return 0
    table = _offset(facts, batch)
    if kind == DICTIONARY:
        table = _offset(facts, _field(facts, table, DICTIONARY_DATA))
    if not _field(facts, table, COMPRESSION):
        return 0
    total = 0
    for place in _vector(facts, table, BUFFERS, BUFFER):
        start, length = struct.unpack_from("<qq", facts, place)
        if length:
            (size,) = struct.unpack_from("<q", body, start)
            total += length if size < 0 else size
    return total


def _offset(held: memoryview, at: int) -> int:
    """Where something is whose distance stands at a place."""
    return int(at + struct.unpack_from("<I", held, at)[0])


def _field(held: memoryview, table: int, field: int) -> int:
    """The place of a field of a table; 0 where it is not there."""
    listing = table - struct.unpack_from("<i", held, table)[0]
    if 4 + 2 * field >= struct.unpack_from("<H", held, listing)[0]:
        return 0
    step = struct.unpack_from("<H", held, listing + 4 + 2 * field)[0]
    return int(table + step) if step else 0


def _vector(held: memoryview, table: int, field: int, size: int) -> range:
    """The places of the items of a vector."""
    at = _field(held, table, field)
    if not at:
        return range(0)
    start = _offset(held, at)
    (count,) = struct.unpack_from("<I", held, start)
    if start + 4 + count * size > len(held):
        raise ValueError("a list is longer than the file")
    return range(start + 4, start + 4 + count * size, size)
