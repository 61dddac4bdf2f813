import io, os, tarfile, tempfile, hashlib
from pathlib import Path

with tempfile.TemporaryDirectory(prefix="tar") as folder:
    root = Path(folder, "project")
    for name in ("README.md", "src/main.py", "src/lib/util.py", "data/big.bin"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode() * (5000 if name.endswith("bin") else 1))
    def reset(info):
        info.mtime, info.uid, info.gid, info.uname, info.gname, info.mode = 1_700_000_000, 0, 0, "root", "root", 0o755 if info.isdir() else 0o644
        return None if "lib" in info.name else info
    for mode in ("w", "w:gz", "w:bz2", "w:xz"):
        archive = Path(folder, "a.tar" + mode[1:].replace(":", "."))
        with tarfile.open(archive, mode) as tar:
            tar.add(root, "project", filter=reset)
            extra = tarfile.TarInfo("project/note.txt"); extra.size = 5
            tar.addfile(extra, io.BytesIO(b"hello world"))
        with tarfile.open(archive) as tar:
            names = sorted(tar.getnames())
            digest = hashlib.sha1(tar.extractfile("project/data/big.bin").read()).hexdigest()[:10]
            print(archive.name, len(names), digest, archive.stat().st_size % 512 == 0 if mode == "w" else archive.stat().st_size < 5000)
    print(*names, sep="\n")
    with tarfile.open(archive) as tar:
        member = tar.getmember("project/src/main.py")
        print(repr(member).split(" at ")[0], member.size, oct(member.mode), member.mtime, member.isfile(), member.type)
        tar.extractall(Path(folder, "out"), filter="data")
    print(sorted(p.relative_to(folder).as_posix() for p in Path(folder, "out").rglob("*") if p.is_file()))
    evil = io.BytesIO()
    with tarfile.open(fileobj=evil, mode="w") as tar:
        info = tarfile.TarInfo("../escape.txt"); info.size = 2; tar.addfile(info, io.BytesIO(b"hi"))
    evil.seek(0)
    try: tarfile.open(fileobj=evil).extractall(folder, filter="data")
    except tarfile.OutsideDestinationError as error: print(type(error).__name__, str(error).replace(folder, "FOLDER"))
    try: tarfile.open(fileobj=io.BytesIO(b"x" * 600))
    except tarfile.ReadError as error: print(error)
print(os.path.exists(folder))
