import gzip, io, json, os, struct, pathlib

rows = [{"id": n, "name": f"user{n}", "tags": ["a", "b"] * (n % 3)} for n in range(50)]
path = pathlib.Path("/tmp/rows.jsonl.gz")
with gzip.open(path, "wt", encoding="utf-8", newline="\n") as out:
    for row in rows:
        print(json.dumps(row), file=out)
with gzip.open(path, "rt") as lines:
    again = [json.loads(line) for line in lines]
print(again == rows, path.stat().st_size > 50, path.read_bytes()[:4].hex())
buffer = io.BytesIO()
with gzip.GzipFile("name.txt", "wb", 6, buffer, mtime=1_000_000_000) as f:
    print(f.write(b"hello " * 10), f.name, f.mode, f.writable())
header = buffer.getvalue()
print(header[:18], struct.unpack("<II", header[-8:]))
with gzip.GzipFile(fileobj=io.BytesIO(header)) as f:
    print(f.read(5), f.tell(), f.seek(-3, io.SEEK_CUR), f.read(4), f.mtime, f.peek(2)[:2], repr(f.readline()))
joined = gzip.compress(b"one\n", mtime=0) + gzip.compress(b"two\n", mtime=0)
print(gzip.decompress(joined), list(io.TextIOWrapper(gzip.open(io.BytesIO(joined)))))
for bad in (b"plain text", header[:-1], header[:-8] + b"\0" * 8, b""):
    try:
        print(gzip.decompress(bad))
    except (OSError, EOFError) as error:
        print(type(error).__qualname__, error)
with gzip.open("/tmp/appended.gz", "ab") as f: f.write(b"1")
with gzip.open("/tmp/appended.gz", "ab") as f: f.write(b"2")
print(gzip.open("/tmp/appended.gz").read(), sorted(name for name in os.listdir("/tmp") if name.endswith(".gz")))
