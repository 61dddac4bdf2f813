"""`hashlib.pbkdf2_hmac`, which CPython's library takes from OpenSSL: there is none here."""

from .own import __builtins__

import hashlib

# What HMAC does to each byte of its key.
INNER = bytes(byte ^ 0x36 for byte in range(256))
OUTER = bytes(byte ^ 0x5C for byte in range(256))


def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
    """Password based key derivation function 2 (PKCS #5 v2.0) with HMAC as pseudorandom function."""
    inner = hashlib.new(hash_name)
    outer = inner.copy()
    password, salt = bytes(memoryview(password)), bytes(memoryview(salt))
    length = inner.digest_size if dklen is None else dklen
    if iterations < 1:
        raise ValueError("iteration value must be greater than 0.")
    if length < 1:
        raise ValueError("key length must be greater than 0.")
    if len(password) > inner.block_size:
        password = hashlib.new(hash_name, password).digest()
    key = password.ljust(inner.block_size, b"\0")
    inner.update(key.translate(INNER))
    outer.update(key.translate(OUTER))

    def authenticated(message):
        first, second = inner.copy(), outer.copy()
        first.update(message)
        second.update(first.digest())
        return second.digest()

    derived = bytearray()
    for block in range(1, -(-length // inner.digest_size) + 1):
        last = authenticated(salt + block.to_bytes(4))
        mixed = int.from_bytes(last)
        for _ in range(iterations - 1):
            last = authenticated(last)
            mixed ^= int.from_bytes(last)
        derived += mixed.to_bytes(len(last))
    return bytes(derived[:length])


def install():
    """Puts it into `hashlib`, before the snapshot."""
    if not hasattr(hashlib, "pbkdf2_hmac"):
        hashlib.pbkdf2_hmac = pbkdf2_hmac
