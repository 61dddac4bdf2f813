"""Passwords kept as salted, slow hashes, and an older store that is read."""
import base64
import hashlib
import hmac

ITERATIONS = 1_000

def hashed(password: str, salt: bytes, algorithm: str = "sha256") -> str:
    digest = hashlib.pbkdf2_hmac(algorithm, password.encode(), salt, ITERATIONS)
    return f"pbkdf2_{algorithm}${ITERATIONS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"

def matches(password: str, stored: str) -> bool:
    name, iterations, salt, _ = stored.split("$")
    return hmac.compare_digest(hashed(password, base64.b64decode(salt), name.removeprefix("pbkdf2_")), stored)

for algorithm in ("sha1", "sha256", "sha512"):
    stored = hashed("correct horse", b"salt-of-" + algorithm.encode(), algorithm)
    print(stored, matches("correct horse", stored), matches("wrong", stored))
print(hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 1, dklen=20).hex())
print(hashlib.pbkdf2_hmac("sha256", b"k" * 100, b"salt", 2, 70).hex())
for bad in (lambda: hashlib.pbkdf2_hmac("sha256", b"p", b"s", 0), lambda: hashlib.pbkdf2_hmac("sha256", "p", b"s", 1), lambda: hashlib.pbkdf2_hmac("nope", b"p", b"s", 1)):
    try:
        bad()
    except (ValueError, TypeError, OverflowError) as error:
        print("ValueError" if isinstance(error, ValueError) else type(error).__name__)
