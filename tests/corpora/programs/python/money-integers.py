import sys
import math

fib = [0, 1]
while len(str(fib[-1])) < 60:
    fib.append(fib[-1] + fib[-2])
print(len(fib), fib[-1], f"{fib[-1]:,}"[:23], fib[-1].bit_length(), fib[-1].bit_count())
print(math.factorial(30), pow(7, 222, 1_000_003), pow(3, -1, 11), (-7) // 2, -7 % 3, divmod(-7, -2), 7 ^ -1, ~5, -1 >> 3, 1 << 70)
cents = [1999, -5, 0, 123456789]
print([f"{'-' * (c < 0)}{abs(c) // 100}.{abs(c) % 100:02}" for c in cents])
try:
    int("9" * 5000)
except ValueError as error:
    print(error)
print(sys.get_int_max_str_digits(), len(str(10 ** 4000)))
try:
    str(10 ** 5000)
except ValueError as error:
    print(error)
def luhn(number):
    digits = [int(d) for d in str(number)][::-1]
    return (sum(digits[::2]) + sum(sum(divmod(2 * d, 10)) for d in digits[1::2])) % 10 == 0
def iban(text):
    moved = text[4:] + text[:4]
    return int("".join(str(int(c, 36)) for c in moved.replace(" ", ""))) % 97 == 1
print(luhn(4539578763621486), luhn(1234567812345678), iban("GB82WEST12345698765432"), iban("DE89370400440532013001"))
def roman(n):
    return "".join(s * (n // v) + (n := n % v, "")[1] for s, v in zip(["M","CM","D","CD","C","XC","L","XL","X","IX","V","IV","I"],
                   [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1]))
print([roman(n) for n in (4, 9, 1994, 2024, 3999)])
print(float(2**53 + 1), 2**53 + 1 == float(2**53 + 1), 10**400 > 1e308, sys.float_info.max, int(1e23), hash(-1), hash(1.5))
for text in ("1e400", "-0.0", "0x10", "１２", "1__0", ""):
    for kind in (int, float):
        try: print(kind.__name__, repr(text), kind(text))
        except ValueError as error: print(error)
