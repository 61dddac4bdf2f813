import errno, os, shutil, zipfile, contextlib
from pathlib import Path, PurePosixPath, PureWindowsPath

base = Path("/tmp/site")
for name in ["index.html", "css/main.css", "img/logo.svg", "notes/todo.txt"]:
    (base / name).parent.mkdir(parents=True, exist_ok=True)
    (base / name).write_text(f"<{name}>\n" * 3)
made = shutil.make_archive("/tmp/site-backup", "zip", root_dir="/tmp", base_dir="site")
print(made, sorted(n for n in zipfile.ZipFile(made).namelist() if not n.endswith("/")))
shutil.unpack_archive(made, "/tmp/restored")
for folder, folders, files in sorted(os.walk("/tmp/restored")):
    print(folder, sorted(folders), sorted(files))
print(shutil.copytree(base, "/tmp/copy", ignore=shutil.ignore_patterns("*.svg")), [p.name for p in sorted(Path("/tmp/copy").rglob("*.*"))])
shutil.move("/tmp/copy/notes", "/tmp/copy/archive"); shutil.rmtree("/tmp/copy/css")
print(sorted(os.listdir("/tmp/copy")), (base / "css/main.css").stat().st_size, os.path.getsize(made) > 100)
for attempt in (lambda: (base / "nope").read_text(), lambda: os.mkdir("/tmp/site"), lambda: os.rmdir("/tmp/site"), lambda: open("/tmp/site"), lambda: shutil.copy("/tmp/none", "/tmp/x"), lambda: shutil.unpack_archive("/tmp/x.rar")):
    try: attempt()
    except (OSError, shutil.ReadError) as error: print(type(error).__name__, errno.errorcode.get(getattr(error, "errno", None)), getattr(error, "filename", None))
path = Path("/tmp/site/../site/./css/main.css")
print(path, path.resolve(), path.stem, path.suffixes, path.parts[-2:], path.with_suffix(".scss").name, path.relative_to("/tmp").as_posix())
print(PurePosixPath("/a/b").is_relative_to("/a"), PureWindowsPath(r"C:\x\y.txt").drive, PurePosixPath("a/b/c.tar.gz").full_match("**/*.gz"), os.path.commonpath(["/tmp/a/b", "/tmp/a/c"]), os.path.relpath("/tmp/x", "/tmp/y/z"))
with contextlib.suppress(FileNotFoundError): os.remove("/tmp/none")
with contextlib.chdir(base): print(sorted(os.listdir()), Path.cwd(), os.path.abspath("css"))
print([e.name for e in sorted(os.scandir(base), key=lambda e: e.name) if e.is_dir()], base.joinpath("index.html").exists(), (base / "img").is_dir(), os.path.splitext("a.b/c"))
