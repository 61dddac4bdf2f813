from compression import zstd, zlib as zlib_again, gzip as gzip_again
import io, json, shutil, tarfile, zipfile

docs = [json.dumps({"user": n, "country": ["de", "fr", "it"][n % 3], "active": n % 2 == 0}).encode() for n in range(400)]
dictionary = zstd.train_dict(docs, 1024)
print(len(dictionary.dict_content) <= 1024, type(dictionary).__name__)
plain = sum(len(zstd.compress(d)) for d in docs)
small = sum(len(zstd.compress(d, zstd_dict=dictionary)) for d in docs)
print(small < plain, zstd.decompress(zstd.compress(docs[7], zstd_dict=dictionary), zstd_dict=dictionary))
blob = b"\n".join(docs)
for level in (-5, 1, 3, 19):
    packed = zstd.compress(blob, level=level)
    print(level, zstd.decompress(packed) == blob, zstd.get_frame_info(packed).decompressed_size == len(blob), zstd.get_frame_size(packed) == len(packed))
with zstd.open("/tmp/d.zst", "wt", options={zstd.CompressionParameter.checksum_flag: 1, zstd.CompressionParameter.compression_level: 5}) as f:
    f.write("first\nsecond\n")
print(zstd.open("/tmp/d.zst", "rt").read().split(), zstd.CompressionParameter.compression_level.bounds())
unpacker = zstd.ZstdDecompressor()
print(unpacker.decompress(zstd.compress(b"abc" * 50) + b"tail", max_length=6), unpacker.needs_input, unpacker.eof)
for bad in (lambda: zstd.decompress(b"nope"), lambda: zstd.decompress(zstd.compress(blob)[:-3]), lambda: zstd.compress(b"", level=100), lambda: zstd.compress("text")):
    try: print(bad())
    except Exception as error: print(type(error).__name__, error)
z = io.BytesIO()
with zipfile.ZipFile(z, "w", zipfile.ZIP_ZSTANDARD) as archive: archive.writestr("x", blob)
print(zipfile.ZipFile(z).infolist()[0].compress_type, zipfile.ZipFile(z).read("x") == blob)
print("zstdtar" in {name for name, _ in shutil.get_archive_formats()}, zlib_again.adler32(b"x"), gzip_again.decompress(gzip_again.compress(b"x")))
