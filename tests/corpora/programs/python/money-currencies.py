from __future__ import annotations
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import total_ordering
from numbers import Number
import operator

@total_ordering
@dataclass(frozen=True, slots=True)
class Money:
    amount: Decimal
    currency: str = "EUR"
    DIGITS = {"EUR": 2, "JPY": 0, "KWD": 3}

    def __post_init__(self):
        object.__setattr__(self, "amount", Decimal(self.amount).quantize(Decimal(10) ** -self.DIGITS[self.currency]))

    def _same(self, other, op):
        if not isinstance(other, Money):
            return NotImplemented
        if other.currency != self.currency:
            raise ValueError(f"{self.currency} is not {other.currency}")
        return op(self.amount, other.amount)

    def __add__(self, other):
        result = self._same(other, operator.add)
        return result if result is NotImplemented else Money(result, self.currency)

    def __lt__(self, other): return self._same(other, operator.lt)
    def __mul__(self, factor: Number) -> Money: return Money(self.amount * Decimal(str(factor)), self.currency)
    __rmul__ = __mul__
    def __format__(self, spec): return f"{self.amount:{spec or ',.{}f'.format(self.DIGITS[self.currency])}} {self.currency}"

a, b, yen = Money("1234.5"), Money(Decimal("0.005")), Money(98765.4321, "JPY")
print(a, b, yen, sep="\n")
print(f"{a} | {yen} | {a:>15,.1f} | {2.5 * a} | {a + a:_.3f}")
print(a > b, max(b, a), sorted([a, b])[0], a == Money("1234.50"), hash(a) == hash(Money("1234.50")))
for attempt in (lambda: a + yen, lambda: a + 1, lambda: Money("12,5"), lambda: a.__setattr__("amount", 1), lambda: Money(1, "XXX"), lambda: a < 3):
    try:
        print(attempt())
    except Exception as error:
        print(type(error).__name__, "|", error)
print(Money.__slots__, Money.__match_args__)
