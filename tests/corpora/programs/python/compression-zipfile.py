import io, zipfile
from datetime import datetime

buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    archive.comment = b"made for a test"
    for name, text in {"a.txt": "alpha\n" * 20, "dir/b.csv": "x,y\n1,2\n", "dir/sub/ü.txt": "ünïcode"}.items():
        info = zipfile.ZipInfo(name, (2024, 2, 29, 12, 30, 58))
        info.compress_type = zipfile.ZIP_STORED if name.endswith("csv") else zipfile.ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        archive.writestr(info, text)
    archive.mkdir("empty")
    with archive.open("streamed.bin", "w") as f:
        f.write(bytes(range(256)) * 4)
with zipfile.ZipFile(buffer) as archive:
    for info in archive.infolist():
        when = datetime(*info.date_time) if info.date_time[0] == 2024 else "-"
        print(f"{info.filename:15}{info.file_size:>6}{info.compress_type:>3} {info.CRC:08x} {when if info.filename[0] in 'ad' else ''} {info.is_dir()}")
    print(archive.namelist(), archive.comment, archive.testzip())
    print(archive.read("dir/sub/ü.txt").decode(), repr(archive.getinfo("a.txt")))
    root = zipfile.Path(archive)
    print(sorted(p.name for p in (root / "dir").iterdir()), (root / "dir/b.csv").read_text(), (root / "nope").exists())
    print([str(p).split("/", 1)[-1] for p in root.glob("**/*.txt")])
    with archive.open("a.txt") as f: print(f.readline(), f.read(3), f.seek(0), f.readlines()[-1])
    try: archive.read("missing")
    except KeyError as error: print(error)
with zipfile.ZipFile(buffer, "a") as archive: archive.writestr("later.txt", "x")
data = bytearray(buffer.getvalue()); data[data.index(b"1,2")] = 57
print(zipfile.is_zipfile(buffer), zipfile.is_zipfile(io.BytesIO(b"no")), zipfile.ZipFile(buffer).namelist()[-1])
for bad in (io.BytesIO(b"no zip at all"), io.BytesIO(bytes(data))):
    try: print(zipfile.ZipFile(bad).testzip(), zipfile.ZipFile(bad).read("a.txt")[:5])
    except zipfile.BadZipFile as error: print("BadZipFile:", error)
