from decimal import Decimal, ROUND_HALF_UP, ROUND_HALF_EVEN, getcontext, localcontext

CENT = Decimal("0.01")
items = [("Widget", 3, "19.99"), ("Gadget", 1, "249.00"), ("Cable", 12, "1.495")]

def money(value, rounding=ROUND_HALF_UP):
    return value.quantize(CENT, rounding=rounding)

net = Decimal(0)
print(f"{'item':<10}{'qty':>4}{'price':>10}{'total':>12}")
for name, quantity, price in items:
    total = quantity * Decimal(price)
    net += total
    print(f"{name:<10}{quantity:>4}{Decimal(price):>10.3f}{money(total):>12,}")
vat = money(net * Decimal("0.19"))
print(f"{'net':<14}{money(net):>22}\n{'VAT 19%':<14}{vat:>22}\n{'gross':<14}{money(net) + vat:>22,.2f}")
print([str(money(Decimal(t))) for t in ("2.675", "2.665", "-0.005", "1e-3")])
print([str(money(Decimal(t), ROUND_HALF_EVEN)) for t in ("2.675", "2.665", "-0.005", "1e-3")])
print(Decimal(0.1), Decimal("0.1") + Decimal("0.2") == Decimal("0.3"), 0.1 + 0.2)
with localcontext(prec=50) as context:
    print(Decimal(1) / Decimal(7), context.prec)
print(getcontext().prec, Decimal(1) / Decimal(7), repr(Decimal("1E+3")), Decimal("1E+3").normalize(), f"{Decimal('1E+3'):f}")
share = [money(Decimal("100") * w / 3) for w in (1, 1, 1)]
share[-1] += Decimal(100) - sum(share)
print(share, sum(share), Decimal("-7") % 3, Decimal("-7") // 3, divmod(Decimal("7.5"), 2))
