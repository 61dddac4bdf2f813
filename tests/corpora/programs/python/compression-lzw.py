from array import array
from itertools import groupby
import base64, zlib, codecs, sys

def lzw(data: bytes) -> array:
    table, word, out = {bytes([i]): i for i in range(256)}, b"", array("H")
    for byte in data:
        longer = word + bytes([byte])
        if longer in table:
            word = longer
        else:
            out.append(table[word]); table[longer] = len(table); word = bytes([byte])
    if word: out.append(table[word])
    return out

def unlzw(codes_):
    table = {i: bytes([i]) for i in range(256)}
    it = iter(codes_)
    previous = table[next(it)]
    yield previous
    for code in it:
        entry = table.get(code, previous + previous[:1])
        yield entry
        table[len(table)] = previous + entry[:1]
        previous = entry

source = b"TOBEORNOTTOBEORTOBEORNOT" * 5
packed = lzw(source)
print(packed, packed.itemsize, packed.typecode, b"".join(unlzw(packed)) == source)
print(packed.tobytes()[:8].hex(), memoryview(packed).nbytes, packed.buffer_info()[1], array("d", [1.5, 2]).tolist())
packed.byteswap(); print(packed[:3], sys.byteorder)
rle = "".join(f"{len(list(g))}{k}" for k, g in groupby("WWWWBBBWWC"))
print(rle, codecs.encode("Hello", "rot13"), codecs.encode(b"aaaa" * 20, "zlib")[:2], codecs.decode("68690a", "hex"))
blob = base64.b85encode(zlib.compress(source, 9)); print(blob.decode(), zlib.decompress(base64.b85decode(blob)) == source)
print(base64.b64encode(b"\xff\xfe"), base64.urlsafe_b64encode(b"\xff\xfe"), base64.b32encode(b"hi"), base64.b16decode("4869"), base64.a85encode(b"hello", adobe=True), base64.z85encode(b"12345678"))
for bad in ("abc", "a===", "ab!c", "YQ==YQ=="):
    try: print(bad, base64.b64decode(bad), end=" "); print(base64.b64decode(bad, validate=True))
    except ValueError as error: print(type(error).__name__, error)
