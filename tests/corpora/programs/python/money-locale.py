import locale, gettext
from decimal import Decimal

for category in (locale.LC_ALL, locale.LC_NUMERIC, locale.LC_TIME):
    print(locale.setlocale(category, "C"), locale.getlocale(category))
conventions = locale.localeconv()
print(conventions["decimal_point"], repr(conventions["thousands_sep"]), conventions["grouping"], repr(conventions["currency_symbol"]))
print(locale.format_string("%.2f|%10d|%s", (1234.5, 42, "x"), grouping=True), locale.str(1.5), locale.atof("1234.5"), locale.strxfrm("b") > locale.strxfrm("a"))
try:
    print(locale.currency(12.5))
except ValueError as error:
    print(error)
for name in ("de_DE.UTF-8", "xx_YY"):
    try:
        print(locale.setlocale(locale.LC_ALL, name))
    except locale.Error as error:
        print(name, error)

def by_hand(value, thousands=".", point=",", symbol="€", places=2):
    whole, _, fraction = f"{abs(value):,.{places}f}".partition(".")
    return f"{'-' * (value < 0)}{whole.replace(',', thousands)}{point}{fraction}\u00a0{symbol}"

for value in (Decimal("1234567.891"), -0.5, 12):
    print(by_hand(value), by_hand(value, "\u202f", ",", "F"), by_hand(value, "'", ".", "CHF"))
print(gettext.gettext("hello"), gettext.ngettext("%d file", "%d files", 2) % 2, sorted(["é", "z", "a", "Z"], key=locale.strxfrm), locale.normalize("de"), f"{1234.5:n}")
