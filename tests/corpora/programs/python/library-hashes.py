import hashlib, hmac, base64, uuid, secrets, zlib, binascii, random, io

for name in ("md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b", "blake2s", "sha224", "sha384"):
    try: h = hashlib.new(name, b"hello"); print(f"{name:11}{h.digest_size:>3}{h.block_size:>4} {h.hexdigest()[:40]}")
    except ValueError as error: print(name, "unsupported" )
h = hashlib.sha256(); [h.update(part) for part in (b"hel", bytearray(b"l"), memoryview(b"o"))]; copy = h.copy(); copy.update(b"!"); print(h.hexdigest() == hashlib.sha256(b"hello").hexdigest(), copy.hexdigest()[:16], h.name)
print(hashlib.shake_128(b"x").hexdigest(8), hashlib.blake2b(b"m", key=b"k", digest_size=8, salt=b"s", person=b"p").hexdigest(), hashlib.sha3_512(b"").hexdigest()[:16])
print(hmac.new(b"key", b"message", "sha256").hexdigest(), hmac.compare_digest(b"a", b"a"), hmac.digest(b"k", b"m", "md5").hex(), hmac.new(b"k" * 100, digestmod=hashlib.sha1).hexdigest()[:8], hashlib.file_digest(io.BytesIO(b"hello"), "md5").hexdigest())
for bad in (lambda: hashlib.sha256("text"), lambda: hashlib.new("nope"), lambda: hmac.new(b"k", b"m"), lambda: hmac.compare_digest("é", "é"), lambda: hashlib.blake2b(digest_size=65)):
    try: bad()
    except (TypeError, ValueError) as error: print(type(error).__name__, error)
print(uuid.uuid5(uuid.NAMESPACE_DNS, "python.org"), uuid.uuid3(uuid.NAMESPACE_URL, "http://x"), uuid.UUID("{12345678-1234-5678-1234-567812345678}").fields, uuid.UUID(int=5), uuid.uuid4().version, uuid.UUID(bytes=b"\1" * 16).urn, uuid.uuid7().version, uuid.NIL)
token = base64.urlsafe_b64encode(b'{"alg":"HS256"}').rstrip(b"=") + b"." + base64.urlsafe_b64encode(b'{"sub":"x"}').rstrip(b"=")
signature = base64.urlsafe_b64encode(hmac.digest(b"secret", token, "sha256")).rstrip(b"="); print((token + b"." + signature).decode())
print(base64.urlsafe_b64decode(token.split(b".")[1] + b"=="), len(secrets.token_hex(8)), len(secrets.token_urlsafe(10)) >= 13, secrets.randbelow(1), zlib.crc32(b"hello"), binascii.crc32(b"hello") == zlib.crc32(b"hello"))
def merkle(leaves):
    level = [hashlib.sha256(l).digest() for l in leaves]
    while len(level) > 1: level = [hashlib.sha256(level[i] + level[min(i + 1, len(level) - 1)]).digest() for i in range(0, len(level), 2)]
    return level[0].hex()[:24]
def fnv(data): 
    h = 0xcbf29ce484222325
    for b in data: h = (h ^ b) * 0x100000001b3 & 0xFFFFFFFFFFFFFFFF
    return h
print(merkle([b"a", b"b", b"c"]), hex(fnv(b"hello")), sorted(hashlib.algorithms_guaranteed)[:4], random.Random(hashlib.sha1(b"seed").digest()).random(), next(n for n in range(10**5) if hashlib.sha1(b"pow%d" % n).hexdigest().startswith("000")))
