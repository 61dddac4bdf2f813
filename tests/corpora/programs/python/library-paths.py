import os, tempfile, stat, io, fnmatch, time
from pathlib import Path, PurePath, PureWindowsPath

with tempfile.TemporaryDirectory() as folder:
    root = Path(folder)
    (root / "src" / "pkg").mkdir(parents=True); (root / "src" / "pkg" / "__init__.py").touch(); (root / "src" / "main.py").write_text("print('hi')\n# ü\n", encoding="utf-8"); (root / "data.bin").write_bytes(bytes(range(10)))
    print(sorted(p.relative_to(root).as_posix() for p in root.rglob("*")), [p.name for p in sorted((root / "src").glob("*.py"))], (root / "src/main.py").read_text().splitlines())
    for top, dirs, files in root.walk(): dirs.sort(); print(top.relative_to(root), dirs, sorted(files))
    p = root / "src/main.py"; info = p.stat(); print(info.st_size, stat.S_ISREG(info.st_mode), p.is_file(), p.suffix, p.with_stem("app").name, p.parent.name, p.exists(), (root / "none").exists())
    q = p.rename(root / "moved.py"); print(q.name, p.exists(), q.copy(root / "copy.py").name, (root / "copy.py").read_bytes() == q.read_bytes()); q.unlink(); q.unlink(missing_ok=True)
    for bad in (lambda: q.read_text(), lambda: (root / "src").unlink(), lambda: (root / "src").rmdir(), lambda: (root / "src").mkdir(), lambda: (root / "x/y").mkdir(), lambda: Path("/a").relative_to("/b"), lambda: (root / "data.bin").iterdir().__next__(), lambda: p.with_name("")):
        try: bad()
        except (OSError, ValueError) as error: print(type(error).__name__, str(error).partition('] ')[2].replace(folder, "ROOT") or error)
    with open(root / "data.bin", "r+b") as f: f.seek(4); f.write(b"XY"); f.seek(-2, os.SEEK_END); print(f.read(), f.tell()); f.truncate(6); f.seek(0); print(f.read(), f.seekable(), f.fileno() > 2)
    with open(root / "log.txt", "x") as f: print("a", 1, sep=",", file=f); f.writelines(["b\n", "c"])
    with open(root / "log.txt", "a+") as f: f.write("\nd"); f.seek(0); print(f.readline(), f.read().split(), f.name.endswith("log.txt"), f.closed)
    try: open(root / "log.txt", "x")
    except FileExistsError as error: print(error.strerror, error.filename == str(root / "log.txt"))
    fd = os.open(root / "raw", os.O_CREAT | os.O_RDWR); os.write(fd, b"hello"); os.lseek(fd, 1, 0); print(os.read(fd, 3), os.fstat(fd).st_size); os.close(fd); os.utime(root / "raw", (1, 1_000_000)); print(int((root / "raw").stat().st_mtime), os.path.getmtime(root / "raw"))
    with tempfile.NamedTemporaryFile("w+", suffix=".txt", dir=folder, delete_on_close=False) as f: f.write("x"); f.flush(); print(os.path.exists(f.name), Path(f.name).suffix)
    with tempfile.SpooledTemporaryFile(max_size=4, mode="w+") as f: f.write("abcdef"); f.seek(0); print(f.read(), f._rolled)
    os.replace(root / "raw", root / "raw2"); os.makedirs(root / "e/f", exist_ok=True); os.removedirs(root / "e/f"); print(sorted(os.listdir(folder)))
print(os.path.exists(folder), PurePath("a//b/./c/../d"), Path("~/x").name, PurePath("/a") / "/b", PureWindowsPath("C:/a").joinpath("b").as_posix(), os.path.normpath("a//b/../c"), os.path.split("/a/b/"), os.path.join("a", "/b"), Path("a.tar.gz").suffixes, PurePath("x").match("*"), sorted([Path("b"), Path("a/c"), Path("a")]), os.fspath(Path("q")), PurePath("a/b") < PurePath("a/c"), repr(Path("z")), Path("/a/b").parents[0], Path("/etc/x").as_uri(), os.sep, os.linesep.encode())
buffer = io.BufferedReader(io.BytesIO(b"abcdef")); print(buffer.peek(2)[:2], buffer.read(1), buffer.read1(), io.BytesIO(b"x\ny").readlines(), io.BytesIO(b"abc").getbuffer()[1]); os.environ["MY"] = "v"; print(os.getenv("MY"), os.path.expandvars("$MY/$NO"), os.environ.get("NO", "-"))
