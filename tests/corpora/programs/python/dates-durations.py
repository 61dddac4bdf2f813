import re
from datetime import timedelta
from fractions import Fraction

ISO = re.compile(r"^(?P<sign>[+-])?P(?:(?P<weeks>\d+)W)?(?:(?P<days>\d+)D)?"
                 r"(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?$")

def parse(text):
    if not (found := ISO.match(text)) or text.endswith(("P", "T")):
        raise ValueError(f"no ISO duration: {text!r}")
    parts = {k: float(v) for k, v in found.groupdict(default="0").items() if k != "sign"}
    return timedelta(**parts) * (-1 if found["sign"] == "-" else 1)

def human(delta, units=(("week", 604800), ("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))):
    rest, parts = int(delta.total_seconds()), []
    prefix, rest = ("-" if rest < 0 else ""), abs(rest)
    for name, size in units:
        n, rest = divmod(rest, size)
        if n:
            parts.append(f"{n} {name}{'s' * (n != 1)}")
    return prefix + (", ".join(parts) or "nothing")

for text in ["P1D", "PT36H", "P2W3DT4H5M6.789S", "-PT15M", "P", "P1Y", "PT0.000001S", "PT99999999H"]:
    try:
        delta = parse(text)
        print(f"{text:20}{str(delta):>28}  {human(delta)}")
    except (ValueError, OverflowError) as error:
        print(f"{text:20}{type(error).__name__}: {error}")
a, b = timedelta(days=1, hours=7), timedelta(minutes=25)
print(divmod(a, b), a / b, round(a / b, 3), Fraction(int(a.total_seconds()), int(b.total_seconds())))
print(sum([a, b, -a], timedelta(0)), bool(timedelta()), timedelta.max, min(a, b), a * 0.1, -b // 2)
print(sorted([b, a, timedelta(-1)]), {timedelta(hours=24): "day"}[timedelta(days=1)])
