import zlib, binascii

text = b"the quick brown fox jumps over the lazy dog. " * 40
for level in (0, 1, 6, 9, -1):
    packed = zlib.compress(text, level)
    print(level, packed[:2].hex(), zlib.decompress(packed) == text, len(packed) < len(text))
print(f"{zlib.crc32(text):08x} {zlib.adler32(text):08x} {binascii.crc32(b'abc', 7):08x} {binascii.crc_hqx(b'abc', 0):04x}")
packer = zlib.compressobj(level=9, wbits=-15, zdict=b"quick brown fox")
data = b"".join(packer.compress(text[i:i + 7]) for i in range(0, len(text), 7)) + packer.flush()
unpacker = zlib.decompressobj(wbits=-15, zdict=b"quick brown fox")
out = unpacker.decompress(data + b"TAIL", 10)
print(out, len(unpacker.unconsumed_tail) > 0, unpacker.eof)
out += unpacker.decompress(unpacker.unconsumed_tail)
print(out == text, unpacker.unused_data, unpacker.eof)
copy = zlib.compressobj()
head = copy.compress(b"a" * 100)
fork = copy.copy()
print(zlib.decompress(head + copy.compress(b"b") + copy.flush())[-3:], zlib.decompress(head + fork.flush())[-3:])
for bad in (b"not zlib", zlib.compress(text)[:-4], b"", zlib.compress(text)[:-4] + b"abcd"):
    try:
        zlib.decompress(bad)
    except zlib.error as error:
        print("zlib.error:", error)
print(zlib.decompress(zlib.compress(b"x" * 10, wbits=31), wbits=47), zlib.DEFLATED, zlib.MAX_WBITS, zlib.Z_BEST_COMPRESSION)
