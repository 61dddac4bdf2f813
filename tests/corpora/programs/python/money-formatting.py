values = [0, 1, -1, 1234.5678, 1e6, -987654321.987, 1e-7, 1e22, float("inf"), float("nan"), 0.1 + 0.2]
for v in values:
    print(f"{v:>18,.2f}|{v:<14.4g}|{v:^+12.1e}|{v:018.3f}|{v!r}|{v:_}|{v:z.1f}")
for n in (0, 7, 255, -1024, 10**15):
    print(f"{n:d} {n:b} {n:#x} {n:#o} {n:,} {n:_b} {n:>+12} {n:=+12} {n:e} {n:c}" if 0 < n < 300 else f"{n:,} {n:#x} {n:.3e} {n:=+20,}")
print(f"{0.256:.1%} {1/3:.0%} {12345.678:n} {1234567:n} {'x':*^9} {True:d} {3+4j:.1f} {None!s:>6}")
print("{:>{width}.{precision}f}|{name!r:^10}|{0[1]}|{obj.real}".format([1, 2] and 3.14159, width=10, precision=3, name="é", obj=5) if False else
      "{:>{width}.{precision}f}|{name!r:^10}|{obj.real}".format(3.14159, width=10, precision=3, name="é", obj=5))
print("%05d|%-8s|%+.2e|%x|%%|%r|%5.1f%%|%s" % (42, "ab", 12345.678, 255, "q", 99.5, [1]))
for bad in ("{:d}|1.5", "{:.2f}|x", "{:,s}|y", "{:z}|1", "{!x}|1", "{:10q}|1"):
    form, value = bad.split("|")
    try:
        print(form.format(float(value) if "." in value else int(value) if value.isdigit() else value))
    except (ValueError, TypeError) as error:
        print(form, type(error).__name__, error)
total = 1234567.891
print(f"{total=:,.2f} {total = !s:>15} {'nested ' + f'{1 + 1}'} {{literal}} {total:{'>'}{20}{',.1f'}}")
european = f"{total:,.2f}".translate(str.maketrans(",.", ".,"))
swiss = f"{total:,.2f}".replace(",", "’")
print(european, swiss, float("1_000.5"), int("0b101", 0), int("zz", 36), float("  1e3  "), complex("1+2j"))
