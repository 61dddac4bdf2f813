# Unpacks wheels and imports what is in them. It runs once, in an isolate that has nothing else: what its memory is afterwards, the memory of
# runs is at their beginning. It asks no dictionary for what may be missing: a script that does is watched.
import base64
import csv
import gc
import hashlib
import importlib
import io
import marshal
import random
import secrets
import sys
import tempfile
import uuid
import zipfile
import zlib

from ampoule_guest import fresh
from ampoule_guest.forget import forget
from ampoule_guest.missing import Missing, REFUSED
from ampoule_packages import ROOT, Packages, archive_of, normalized

# How many files all wheels may have, and how many bytes when they are unpacked.
MOST_FILES = 20_000
MOST_BYTES = 256 << 20
LONGEST_NAME = 500

# Modules that are not imported beforehand.
NOT_BEFOREHAND = {"tests", "test", "testing", "docs", "examples", "benchmarks", "conftest", "setup"}

# Modules that scripts have in any case.
OWN = {*sys.stdlib_module_names, *REFUSED, "servers", "tools", "mcp", "skills", "ampoule_guest", "ampoule_packages", "_ampoule"}

# The files of a wheel that RECORD has no digest of.
UNSIGNED = ("RECORD", "RECORD.jws", "RECORD.p7s")


class Refused(Exception):
    """A wheel that is not taken, and why."""


packages = Packages()
unpacked = {"files": 0, "bytes": 0}
contents = {}


def is_path(name):
    parts = name.split("/")
    return len(name) <= LONGEST_NAME and "\\" not in name and "\0" not in name and ":" not in name and all(part not in ("", ".", "..") for part in parts)


def checked_files(archive):
    """The entries of a wheel that are files, once their names and sizes are what they may be."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    unpacked["files"] += len(entries)
    unpacked["bytes"] += sum(entry.file_size for entry in entries)
    if unpacked["files"] > MOST_FILES:
        raise Refused(f"all packages together have more than {MOST_FILES:,} files")
    if unpacked["bytes"] > MOST_BYTES:
        raise Refused(f"all packages together are larger than {MOST_BYTES >> 20} MiB when unpacked")
    for entry in entries:
        if not is_path(entry.filename):
            raise Refused(f"the name {entry.filename[:LONGEST_NAME]!r} leads out of the package")
        if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Refused(f"{entry.filename} is encrypted, or compressed in an unusual way")
    if len({entry.filename for entry in entries}) < len(entries):
        raise Refused("two of its files have the same name")
    return entries


def info_folder(entries, package):
    """The folder with what the wheel says of itself."""
    folders = {entry.filename.split("/")[0] for entry in entries if ".dist-info/" in entry.filename}
    folders = [folder for folder in folders if folder.endswith(".dist-info")]
    if len(folders) != 1:
        raise Refused("it must have one folder whose name ends in `.dist-info`")
    name, _, version = folders[0].removesuffix(".dist-info").rpartition("-")
    if (normalized(name), version) != (package["name"], package["version"]):
        raise Refused(f"it says that it is {name} {version}")
    return folders[0] + "/"


def recorded(archive, folder):
    """The digests that RECORD has, by the names of files."""
    try:
        text = archive.read(folder + "RECORD").decode()
    except (KeyError, UnicodeDecodeError):
        raise Refused("it has no RECORD with the digests of its files") from None
    return {row[0]: row[1] for row in csv.reader(io.StringIO(text, newline="")) if len(row) > 1}


def take(package):
    """Takes in a wheel, once its files are what RECORD says."""
    with open(package["file"], "rb") as file:
        archive = archive_of(file.read())
    entries = checked_files(archive)
    folder = info_folder(entries, package)
    digests = recorded(archive, folder)
    data = folder.removesuffix(".dist-info/") + ".data/"
    for entry in entries:
        name = entry.filename
        content = archive.read(entry)
        if name not in [folder + unsigned for unsigned in UNSIGNED]:
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            if name not in digests or digests[name] != "sha256=" + digest:
                raise Refused(f"{name} is not what its RECORD says")
        if name.startswith(data):
            path = name.removeprefix(data).partition("/")
            if path[0] not in ("purelib", "platlib"):
                continue
            path = path[2]
        else:
            path = name
        place(path, archive, name, content)
    packages.distributions[package["name"]] = archive, folder


def place(path, archive, name, content):
    """Gives a file its place among those of all packages."""
    digest = hashlib.sha256(content).digest()
    if path in contents and contents[path] != digest:
        raise Refused(f"another package has the file {path}, too")
    contents[path] = digest
    packages.files[path] = archive, name
    if not path.endswith(".py"):
        if path.endswith((".so", ".pyd", ".dylib", ".dll")):
            raise Refused(f"{path} is compiled code, which can't be used here")
        return
    parts = path.removesuffix(".py").split("/")
    top = parts[0]
    if top in OWN:
        raise Refused(f"its module `{top}` has the name of one that Python has here already")
    for end in range(1, len(parts)):
        packages.folders.add("/".join(parts[:end]))
    if not NOT_BEFOREHAND & set(parts):
        try:
            code = compile(content, ROOT + path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            # Who imports it is told then.
            return
        packages.codes[path] = zlib.compress(marshal.dumps(code))


def roots(folder_of_package):
    """The modules of a package that are within no other."""
    archive, _ = folder_of_package
    found = []
    for path, (of, _) in packages.files.items():
        if of is not archive or not path.endswith(".py"):
            continue
        parts = path.removesuffix(".py").split("/")
        if parts[-1] == "__init__":
            parts.pop()
        within = ["/".join(parts[:end]) + "/__init__.py" for end in range(1, len(parts))]
        is_named = all(part.isidentifier() and part[0] != "_" for part in parts)
        if parts and is_named and not NOT_BEFOREHAND & set(parts) and not any(name in packages.files for name in within):
            found.append(".".join(parts))
    return sorted(found)


def imported(package):
    """Imports the modules of a package. Gives what can't be imported, with the reasons."""
    failures, done = {}, 0
    for name in roots(packages.distributions[package["name"]]):
        # Where the run comes to no end, this says which import was under way.
        print("importing", name, flush=True)
        try:
            importlib.import_module(name)
            done += 1
        except MemoryError:
            raise
        except BaseException as error:
            failures[name] = f"{type(error).__name__}: {error}"[:1000]
    own = package["name"].replace("-", "_")
    if own in failures or failures and not done:
        name, why = (own, failures[own]) if own in failures else next(iter(failures.items()))
        raise Refused(f"its module `{name}` can't be imported here: {why}")
    return failures


def settle():
    """Leaves nothing that each run must have anew."""
    forget(sys.modules)
    # As before any package was imported: see `fresh`.
    tempfile._name_sequence = None
    uuid._node = None
    gc.collect()
    # Those from before the guest's snapshot are known, and are not among the objects that are found.
    found = [of for of in gc.get_objects() if isinstance(of, random.Random) and not isinstance(of, secrets.SystemRandom)]
    known = [*fresh._generators]
    fresh._generators.extend(of for of in found if not any(of is other for other in known))
    # No run looks through all this for what is not used any more.
    gc.freeze()


failures = {}
wheels = env["packages"]
for package in wheels:
    try:
        take(package)
    except (Refused, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        return {"refused": package["name"], "why": str(error)[:1500]}
finder = next(at for at, found in enumerate(sys.meta_path) if isinstance(found, Missing))
sys.meta_path.insert(finder, packages)
for package in wheels:
    try:
        failures.update(imported(package))
    except Refused as error:
        return {"refused": package["name"], "why": str(error)}
contents.clear()
settle()
return {"failures": failures}
