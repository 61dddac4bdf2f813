import re
from itertools import islice
from decimal import Decimal

RECEIPT = """
ACME STORE   #0042    2024-02-29 18:05
2 x Coffee beans 1kg        @ 12,90      25,80 A
    Milk 3.5%                             1,19 B
10x Pens (blue)             @ 0,50        5,00 A *
    DEPOSIT                              -0,25 B
------------------------------------------------
SUM EUR                                  31,74
Card: **** **** **** 4242   Auth: 0x1F3A
"""
ITEM = re.compile(r"^\s*(?:(?P<n>\d+)\s?x\s)?\s*(?P<name>\S.*?)\s+(?:@\s(?P<each>[\d,]+)\s+)?(?P<sum>-?\d+,\d\d)\s(?P<vat>[AB])(?P<sale>\s\*)?$", re.M)
def number(text): return Decimal(text.replace(",", "."))
total = Decimal()
for m in ITEM.finditer(RECEIPT):
    n, name, each, amount, vat, sale = m.groups()
    total += number(amount)
    print(f"{n or 1:>3} {name:<22}{each or '-':>6}{number(amount):>8} {vat} {bool(sale)} {m.start('sum')}")
    assert not each or int(n) * number(each) == number(amount)
stated = number(re.search(r"^SUM \w+\s+(\S+)", RECEIPT, flags=re.M)[1])
print(total, stated, total == stated)
print(re.findall(r"0[xX]([0-9a-fA-F]+)|#(\d+)|\b(\d{4})-(\d\d)-(\d\d)\b", RECEIPT))
scanner = re.Scanner([(r"\d+,\d\d", lambda s, t: ("money", t)), (r"\d+", lambda s, t: int(t)), (r"[A-Za-z]+", lambda s, t: t.lower()), (r"\s+|[^\w\s]", None)])
print(scanner.scan("2 x Coffee, 12,90!"))
words = re.compile(r"\b[A-Z]{2,}\b")
print([m[0] for m in islice(words.finditer(RECEIPT), 3)], words.sub(str.capitalize.__call__ if False else lambda m: m[0].capitalize(), "ACME and EU"))
pairs = dict(re.findall(r"(\w+): ([^\n]+?)(?=\s{2,}|\n|$)", RECEIPT))
print(pairs, re.sub(r"(?m)^-+$\n", "", RECEIPT).count("\n"))
text = "x=1; y = 'two; three' ;z=\"q\\\"uote\""
print(re.findall(r"""(\w+)\s*=\s*("(?:\\.|[^"\\])*"|'[^']*'|[^;\s]+)""", text))
print(re.sub(r"\b(\w)(\w*)\b", lambda m: m[1].upper() + m[2], "make me a title"), re.sub(r"(?P<d>\d+)", lambda m: str(int(m["d"]) * 2), "a1b20c300"), re.compile("x").fullmatch("xx", 0, 1))
