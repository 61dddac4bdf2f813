from fractions import Fraction as F
from math import gcd, lcm, isqrt, comb, prod, fsum, isclose, nextafter, ulp, inf, sumprod
import statistics

portions = {"flour": F(3, 4), "sugar": F(2, 3), "butter": F("1.25"), "salt": F(0.1).limit_denominator(100)}
for name, value in portions.items():
    scaled = value * F(7, 4)
    whole, rest = divmod(scaled, 1)
    print(f"{name:8}{str(value):>6} -> {whole} {rest} = {float(scaled):.4f} ~ {round(scaled, 2)}")
print(sum(portions.values()), max(portions.values()), F(-7, 2) // 1, F(22, 7).limit_denominator(5), F(3, -6))
print(F(0.1), F("3/7") ** 2, F(8, 27) ** F(1, 3), F(1, 3) + 0.5, F(1, 3).as_integer_ratio(), F.from_float(2.5))
print(f"{F(22, 7):.5f} {F(1, 3):10.2%} {F(12345678, 7):,.2f} {F(5, 2):+}")
print(gcd(84, 30, 18), lcm(4, 6, 10), isqrt(10**21), comb(52, 5), prod(range(1, 11)), sumprod([1, 2], [3, 4]))
print(sum([0.1] * 10), fsum([0.1] * 10), isclose(0.1 + 0.2, 0.3), nextafter(1, 2), ulp(1.0), nextafter(0, inf, steps=3))
print(statistics.mean([F(1, 2), F(3, 4)]), statistics.stdev([1, 2, 4, 8]), statistics.harmonic_mean([40, 60]), statistics.quantiles(range(1, 11), n=4))
print(round(2.5), round(-0.5), round(1234.5678, -2), round(2.675, 2), round(F(5, 2)), int(-3.9), (0.1).hex(), (255).to_bytes(2, "little"))
try:
    F(1, 0)
except ZeroDivisionError as error:
    print(error)
