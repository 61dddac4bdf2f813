import bz2, lzma, io, hashlib

payload = "\n".join(f"{n:05d} {hashlib.md5(str(n).encode()).hexdigest()}" for n in range(300)).encode()
for name, module in (("bz2", bz2), ("lzma", lzma)):
    packed = module.compress(payload)
    print(name, len(packed) < len(payload), module.decompress(packed) == payload, packed[:3])
stream = lzma.LZMADecompressor()
data = lzma.compress(payload, check=lzma.CHECK_SHA256, preset=1) + b"rest"
out = b""
for start in range(0, len(data), 1000):
    if stream.eof:
        break
    out += stream.decompress(data[start:start + 1000])
print(out == payload, stream.check == lzma.CHECK_SHA256, stream.eof, stream.unused_data[-4:], stream.needs_input)
squeezer = bz2.BZ2Compressor(5)
parts = [squeezer.compress(payload[:2000]), squeezer.compress(payload[2000:]), squeezer.flush()]
print([len(p) > 0 for p in parts], bz2.BZ2Decompressor().decompress(b"".join(parts), max_length=10))
with bz2.open("/tmp/x.bz2", "wt") as f: print(f.write("a\nb\nc\n"))
with bz2.open("/tmp/x.bz2", "rt") as f: print(next(f), f.readlines())
with lzma.open(io.BytesIO(lzma.compress(b"l1\nl2\n", format=lzma.FORMAT_ALONE))) as f: print(f.read1(2), f.seek(0), [*f])
for call in (lambda: bz2.decompress(b"junk"), lambda: lzma.decompress(b"junk"), lambda: lzma.decompress(lzma.compress(b"x")[:-5]),
             lambda: bz2.decompress(bz2.compress(b"x")[:-1]), lambda: stream.decompress(b"x"), lambda: lzma.compress(b"", preset=99)):
    try: print(call())
    except Exception as error: print(type(error).__name__, error)
print(lzma.is_check_supported(lzma.CHECK_CRC64), bz2.compress(b"", 1).hex(), lzma.compress(b"", format=lzma.FORMAT_XZ).hex())
