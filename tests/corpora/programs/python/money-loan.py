"""An amortisation table with exact decimals."""
import decimal
from decimal import Decimal as D

decimal.getcontext().prec = 34

def schedule(principal, annual, months):
    rate = annual / 12
    payment = (principal * rate / (1 - (1 + rate) ** -months)).quantize(D("0.01"), decimal.ROUND_CEILING)
    balance = principal
    for month in range(1, months + 1):
        interest = (balance * rate).quantize(D(".01"))
        part = min(payment - interest, balance)
        balance -= part
        yield month, payment, interest, part, balance

rows = list(schedule(D("250000"), D("0.0375"), 36))
for month, payment, interest, part, balance in rows[:2] + rows[-2:]:
    print(f"{month:>3} {payment:>12,} {interest:>10} {part:>12} {balance:>14,}")
print("interest", sum(row[2] for row in rows))
print("APR", ((1 + D("0.0375") / 12) ** 12 - 1).quantize(D("1e-8")), (D(2).sqrt(), D(10).ln(), D(1).exp(), D(1000).log10()))
print("doubling", (D(2).ln() / D("1.05").ln()).to_integral_value(rounding=decimal.ROUND_UP))
context = decimal.Context(prec=5, traps=[decimal.Inexact, decimal.DivisionByZero])
for expression in (lambda: context.divide(D(1), D(3)), lambda: context.divide(D(1), D(0)), lambda: context.add(D(1), D(2)), lambda: D("abc")):
    try:
        print(expression())
    except decimal.DecimalException as error:
        print(type(error).__mro__[0].__name__, error)
print(context.flags[decimal.Inexact], decimal.Context(prec=3, rounding="ROUND_DOWN").create_decimal("1.2399"))
print(D("NaN").is_nan(), D("-Infinity") < 0, D("1.10").compare_total(D("1.1")), D("123.4500").as_tuple(), D("0x1p3") if False else D(8).logb())
