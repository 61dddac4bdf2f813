import codecs, io, struct, binascii, quopri, locale, sys

text = "Zażółć gęślą jaźń — 5 € 日本 😀"
for encoding in ("utf-8", "utf-16-le", "utf-32", "iso-8859-2", "cp1250", "ascii", "utf-8-sig", "big5", "euc_jp", "mac_roman", "utf-7", "unicode_escape", "raw_unicode_escape"):
    try:
        data = text.encode(encoding); print(f"{encoding:20}{len(data):>4} {data[:12].hex()} {data.decode(encoding) == text}")
    except UnicodeEncodeError as error: print(f"{encoding:20}{error.start}-{error.end} {error.reason}: {error.object[error.start:error.end]!r}")
print("mojibake:", "Zażółć".encode().decode("latin-1"), "café".encode("cp1252").decode("utf-8", "replace"), "â‚¬".encode("cp1252").decode("utf-8"))
decoder = codecs.getincrementaldecoder("utf-8")("replace"); print([decoder.decode(bytes([b])) for b in "é€😀".encode()] + [decoder.decode(b"\xe2\x82", final=True)])
codecs.register_error("brackets", lambda e: ("".join(f"[{ord(c):x}]" for c in e.object[e.start:e.end]), e.end)); print("aé€".encode("ascii", "brackets"))
print(codecs.lookup("latin1").name, codecs.BOM_UTF8, codecs.encode(b"hi", "base64"), codecs.encode("text", "rot_13"), codecs.decode(b"=C3=A9", "quopri"), quopri.encodestring("é=\t x".encode()), binascii.hexlify(b"\x01\xab", "-"), binascii.b2a_uu(b"hello"), bytes.fromhex("01 AB ff"), "é".encode().hex(":"), binascii.a2b_base64("aGk="))
for data in (b"\xc3", b"\xed\xa0\x80", b"\xf8", b"\xc0\x80", b"ok\xe2\x28\xa1", b"\xff\xfe"):
    try: print(data.decode())
    except UnicodeDecodeError as error: print(error)
with open("/tmp/enc.txt", "w", encoding="cp1252", errors="xmlcharrefreplace", newline="\r\n") as f: print(f.write("é€漢\nx\n"), f.encoding, f.errors)
print(open("/tmp/enc.txt", "rb").read(), open("/tmp/enc.txt", encoding="cp1252").read(), open("/tmp/enc.txt", encoding="cp1252", newline="").readline().encode())
for kwargs in ({"encoding": "utf-8"}, {"encoding": "nope"}, {"mode": "q"}, {"mode": "rb", "encoding": "utf-8"}):
    try: open("/tmp/enc.txt", **kwargs).read()
    except (UnicodeDecodeError, LookupError, ValueError) as error: print(type(error).__name__, error)
wrapper = io.TextIOWrapper(io.BytesIO(b"a\r\nb\rc\n"), encoding="ascii"); print(list(wrapper), wrapper.newlines, io.StringIO("x\ny", newline=None).readlines(), sys.getdefaultencoding(), sys.stdout.encoding, sys.getfilesystemencoding())
print(struct.pack("<hBf5sq?", -2, 255, 1.5, b"abc", 2**40, True).hex(), struct.unpack(">IH", b"\0\0\1\0\0\5"), struct.calcsize("=bhilqd"), list(struct.iter_unpack("<H", b"\1\0\2\0")), struct.pack("e", 0.1).hex())
for bad in (lambda: struct.pack("b", 200), lambda: struct.unpack("I", b"1"), lambda: struct.pack("z"), lambda: struct.pack("i", "x")):
    try: bad()
    except struct.error as error: print(error)
