"""The files that a script can open: those that its program brought with it, to read; and those of the run, if it has any, which the C library has
from the host."""

from .own import __builtins__

import builtins
import errno
import gc
import io
import os
import stat
import tokenize
from difflib import get_close_matches

import _ampoule

from . import appending


class Advising(OSError):
    """An error of the file system that says what to use instead."""

    advice = ""

    def __new__(cls, number, text, path=None, advice=""):
        made = super().__new__(cls, number, text, path)
        if advice:
            made.advice = advice
        return made

    def __init__(self, *args):
        pass

    def __str__(self):
        return f"{super().__str__()}. {self.advice}"


class FileNotFoundError(Advising, builtins.FileNotFoundError):
    """Python's own, with advice. Much code asks whether a file exists, so what is near is looked for when somebody reads it."""

    @property
    def advice(self):
        near = get_close_matches(str(self.filename), contents, 3)
        said = f"Did you mean {', '.join(map(repr, near))}? " if near else ""
        return said + READ


class PermissionError(Advising, builtins.PermissionError):
    """Python's own, with advice."""


# Contents by clean paths: texts or bytes.
contents = {}

WRITE = (
    "Files can't be written here: keep data in variables, return it as the result, or give it to a tool; "
    "tools.search(\"write file\") finds one if it was granted."
)
READ = (
    "There are no other files here: call a granted tool that reads them; "
    "tools.search(\"read file\") finds one if it was granted."
)


HOW = " A run has files of its own with `ampoule run --workspace FOLDER`, or `[workspace]` in ampoule.toml."
WRITE += HOW
READ += HOW

# Python's own functions.
own_open = io.open
own = {name: getattr(os, name) for name in "stat lstat listdir scandir getcwd open mkdir".split()}


def granted():
    """Whether the run has files."""
    return _ampoule.files_granted() is None


def advised(function, *args, **options):
    """What a function of Python's own gives; its error says what the host says of it."""
    try:
        return function(*args, **options)
    except OSError as error:
        advice = _ampoule.file_advice()
        if advice and error.strerror and advice not in error.strerror:
            error.strerror = f"{error.strerror}: {advice}"
        raise


def clean(path):
    """A path without `.`, `..` and empty parts. The working folder is where the program's own files are."""
    parts = []
    for part in path.replace("\\", "/").split("/"):
        if part == "..":
            del parts[-1:]
        elif part and part != ".":
            parts.append(part)
    if path.startswith("/") and parts[:1] == ["workspace"]:
        del parts[0]
    return "/".join(parts)


def add(path, content):
    contents[path] = content


def found(path):
    """The path of a file that there is, or None."""
    if isinstance(path, int):
        return None
    path = clean(os.fsdecode(path))
    return path if path in contents else None


def data_of(path):
    content = contents[path]
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else bytes(content)


def put_down(path):
    """Makes a file of the program's own one of the run's, which can be changed."""
    own_path = found(path) if contents else None
    if own_path is None:
        return
    folder = ""
    for name in own_path.split("/")[:-1]:
        folder += f"/{name}"
        try:
            own["mkdir"](f"/workspace{folder}")
        except FileExistsError:
            pass
    try:
        with own_open(f"/workspace/{own_path}", "xb") as file:
            file.write(data_of(own_path))
    except FileExistsError:
        pass
    del contents[own_path]


def not_found(path):
    """The error for a file that is not there."""
    return FileNotFoundError(errno.ENOENT, "No such file or directory", path)


def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    """`open`, for the files that there are."""
    if not isinstance(mode, str):
        raise TypeError(f"open() argument 'mode' must be str, not {type(mode).__name__}")
    reads = set(mode) <= set("rbtU")
    if granted() and file != 0 and not (contents and reads and found(file)):
        if encoding is None and "b" not in mode:
            encoding = "utf-8"
        if not reads and not isinstance(file, int):
            advised(put_down, file)
        try:
            how = appending.opened if appending.is_meant(mode, encoding, errors, newline) else own_open
            return advised(how, file, mode, buffering, encoding, errors, newline, closefd, opener)
        except builtins.FileNotFoundError:
            if not (contents and reads):
                raise
        raise not_found(file)
    if isinstance(file, int):
        raise OSError(errno.EBADF, "there are no file descriptors here; write with print(...)", file)
    if set(mode) & set("wax+"):
        raise PermissionError(errno.EROFS, "Read-only file system", file, WRITE)
    if not set(mode) <= set("rbtU"):
        raise ValueError(f"invalid mode: {mode!r}")
    path = found(file)
    if path is None:
        raise not_found(file)
    raw = io.BytesIO(data_of(path))
    raw.name = path
    raw.mode = "rb"
    if "b" in mode:
        return raw
    encoding = "utf-8" if encoding in (None, "locale") else encoding
    text = io.TextIOWrapper(raw, encoding, errors, newline)
    text.mode = mode
    return text


class Entry:
    """What `os.scandir` gives of a file or a folder."""

    def __init__(self, folder, name):
        self.name = name
        self.path = f"{folder}/{name}" if folder not in ("", ".") else name

    def is_file(self, *, follow_symlinks=True):
        return found(self.path) is not None

    def is_dir(self, *, follow_symlinks=True):
        return found(self.path) is None

    def is_symlink(self):
        return False

    def is_junction(self):
        return False

    def stat(self, *, follow_symlinks=True):
        return status(self.path)

    def __fspath__(self):
        return self.path


class Entries(list):
    """What `os.scandir` gives."""

    def __enter__(self):
        return iter(self)

    def __exit__(self, *error):
        return None

    def __next__(self):
        if not self:
            raise StopIteration
        return self.pop(0)

    def close(self):
        pass


def names_in(folder):
    """The names of the program's own files and folders in a folder."""
    if not contents or isinstance(folder, int):
        return set()
    prefix = clean(os.fsdecode(folder))
    prefix = prefix + "/" if prefix else ""
    return {path[len(prefix):].split("/")[0] for path in contents if path.startswith(prefix)}


def own_names(folder):
    """The same, where there is nothing else."""
    names = names_in(folder)
    if not names and clean(os.fsdecode(folder)):
        raise not_found(folder)
    return sorted(names)


def list_names(path="."):
    if not granted():
        return own_names(path)
    if path == "":
        raise builtins.FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    names = names_in(path)
    if not names:
        return advised(own["listdir"], path)
    try:
        names.update(own["listdir"](path))
    except builtins.FileNotFoundError:
        pass
    return sorted(names)


def folder():
    """`os.getcwd`: the folder of what the program was given, or the workspace."""
    return own["getcwd"]() if granted() else "/"


def scan(path="."):
    if not granted():
        return Entries(Entry(os.fsdecode(path), name) for name in own_names(path))
    names = names_in(path)
    if not names:
        return advised(own["scandir"], path)
    try:
        with own["scandir"](path) as there:
            entries = list(there)
    except builtins.FileNotFoundError:
        entries = []
    names.difference_update(entry.name for entry in entries)
    return Entries(entries + [Entry(os.fsdecode(path), name) for name in sorted(names)])


def status(path, *, dir_fd=None, follow_symlinks=True):
    """`os.stat`: of files that there are, of their folders, and of nothing else."""
    return status_by("stat", path, dir_fd, follow_symlinks)


def link_status(path, *, dir_fd=None):
    """`os.lstat`."""
    return status_by("lstat", path, dir_fd)


def status_by(name, path, dir_fd, *follow):
    file = found(path) if contents else None
    if file is None and granted():
        try:
            return advised(own[name], path, dir_fd=dir_fd, **{"follow_symlinks": option for option in follow})
        except builtins.FileNotFoundError:
            if not names_in(path):
                raise
    if file is not None:
        kind, size = stat.S_IFREG | 0o444, len(data_of(file))
    else:
        if isinstance(path, int):
            raise OSError(errno.EBADF, "there are no file descriptors here", path)
        own_names(path)
        kind, size = stat.S_IFDIR | 0o555, 0
    return os.stat_result((kind, 0, 0, 1, 0, 0, size, 0, 0, 0))


def _refusal(name):
    real = getattr(os, name, None)

    def refuse(path=None, *args, **options):
        if real and granted():
            for changed in (path, *args[:1], options.get("dst")):
                if isinstance(changed, (str, bytes, os.PathLike)):
                    advised(put_down, changed)
            return advised(real, path, *args, **options)
        raise PermissionError(errno.EROFS, f"os.{name}: read-only file system", path, WRITE)

    refuse.__name__ = name
    return refuse


# Flags of `os.open` by which a file may be changed. In the C library here, reading has none of these bits, and `O_RDWR` has that of writing.
CHANGING = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def open_descriptor(path, flags=0, *args, **options):
    """`os.open`, which gives a file descriptor where there are files."""
    if granted():
        if flags & CHANGING:
            advised(put_down, path)
        return advised(own["open"], path, flags, *args, **options)
    if flags & (os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND) or flags & os.O_RDWR == os.O_RDWR:
        raise PermissionError(errno.EROFS, "os.open: read-only file system", path, WRITE)
    raise PermissionError(errno.EACCES, "os.open: there are no file descriptors here", path, "Read with open(...).")


CHANGES = (
    "mkdir makedirs rmdir remove unlink rename renames replace link symlink chown lchown truncate utime mkfifo mknod removedirs"
)


def keep_mode(path, mode, **options):
    """`os.chmod`: of files that there are, what they may be used for stays."""
    if not granted():
        raise PermissionError(errno.EROFS, "os.chmod: read-only file system", path, WRITE)
    status(path)


def finish():
    """Closes the files that the script left open, and with that writes what it had not written to the end."""
    if not _ampoule.files_open():
        return
    for kind in io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom, io.BufferedReader, io.FileIO:
        for file in gc.get_objects():
            if type(file) is kind and not file.closed and is_numbered(file):
                file.close()


def is_numbered(file):
    """Whether it is one that the C library has."""
    try:
        return file.fileno() > 2
    except (OSError, ValueError):
        return False


def install():
    """Puts these in the place of Python's own, before the snapshot."""
    builtins.open = io.open = tokenize._builtin_open = open
    os.stat, os.lstat = status, link_status
    os.listdir = list_names
    os.scandir = scan
    os.getcwd = folder
    os.open = open_descriptor
    for name in CHANGES.split():
        setattr(os, name, _refusal(name))
    os.chmod = keep_mode
    os.chdir("/workspace")
