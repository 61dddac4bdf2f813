"""Files that are opened to append and to read. The C library here takes the end for the place in such a file, whatever it is, so the place
is counted here."""

from .own import __builtins__

import io
import os

# How much is read at a time where all is asked for.
PIECE = 1 << 16


class Appending(io.FileIO):
    """A file whose writes go to its end, and whose reads begin where it was put."""

    def __init__(self, file, closefd, opener):
        super().__init__(file, "ab+", closefd, opener)
        self._at = super().seek(0, os.SEEK_END)

    def tell(self):
        return self._at

    def seek(self, offset, whence=os.SEEK_SET):
        if whence == os.SEEK_CUR:
            offset, whence = self._at + offset, os.SEEK_SET
        self._at = super().seek(offset, whence)
        return self._at

    def readinto(self, buffer):
        count = super().readinto(buffer)
        self._at += count or 0
        return count

    def read(self, size=-1):
        if size is None or size < 0:
            return self.readall()
        data = super().read(size)
        self._at += len(data or b"")
        return data

    def readall(self):
        parts = []
        while part := self.read(PIECE):
            parts.append(part)
        return b"".join(parts)

    def write(self, data):
        count = super().write(data)
        self._at = super().seek(0, os.SEEK_END)
        return count

    def truncate(self, size=None):
        return super().truncate(self._at if size is None else size)


def is_meant(mode, encoding=None, errors=None, newline=None):
    """Whether a mode is one of these. CPython's own `open` refuses those that make no sense."""
    kind = sorted(set(mode) - {"b", "t"})
    sensible = len(set(mode)) == len(mode) <= 3
    return kind == ["+", "a"] and sensible and ("b" not in mode or encoding is errors is newline is None)


def opened(file, mode, buffering, encoding, errors, newline, closefd, opener):
    """What `open` gives for such a mode."""
    if buffering == 0 and "b" not in mode:
        raise ValueError("can't have unbuffered text I/O")
    raw = Appending(file if isinstance(file, int) else os.fspath(file), closefd, opener)
    try:
        if buffering == 0:
            return raw
        buffer = io.BufferedRandom(raw, buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE)
        if "b" in mode:
            return buffer
        text = io.TextIOWrapper(buffer, encoding, errors, newline, buffering == 1)
        text.mode = mode
        return text
    except BaseException:
        raw.close()
        raise
