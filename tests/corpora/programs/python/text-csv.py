import csv, io

RAW = 'id,name,quote\n1,"Ann, Jr.","She said ""hi"""\n2,Bob,"two\nlines"\n3,,\n4,extra,x,y\n'
rows = list(csv.DictReader(io.StringIO(RAW), restkey="more", restval="-"))
for row in rows: print(row)
print(list(csv.reader(["a;b;'c;d'", "1;2;3"], delimiter=";", quotechar="'")), list(csv.reader(["a\\,b,c"], escapechar="\\")), list(csv.reader(['1,"2",x'], quoting=csv.QUOTE_NONNUMERIC)) if False else list(csv.reader(['1,"2",3.5'], quoting=csv.QUOTE_NONNUMERIC)))
for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC, csv.QUOTE_STRINGS, csv.QUOTE_NOTNULL):
    out = io.StringIO(); csv.writer(out, quoting=quoting).writerow([1, 2.50, "a b", 'q"q', None, True, "", "x\ny", -0.0, 1e100]); print(repr(out.getvalue()))
class Pipe(csv.Dialect): delimiter, quotechar, doublequote, escapechar, lineterminator, quoting, skipinitialspace = "|", None, False, "\\", "\n", csv.QUOTE_NONE, True
csv.register_dialect("pipe", Pipe); out = io.StringIO(); csv.writer(out, "pipe").writerows([["a|b", "c\\d"], ["plain", 'q"']]); print(out.getvalue(), list(csv.reader(io.StringIO(out.getvalue()), "pipe")), sorted(csv.list_dialects()))
for sample in ("a;b;c\n1;2;3\n4;5;6\n", "x\ty\n1\t2\n", "name,age\nann,5\nbob,6\n", "'a':'b'\n'c':'d'\n"):
    dialect = csv.Sniffer().sniff(sample); print(repr(dialect.delimiter), repr(dialect.quotechar), csv.Sniffer().has_header(sample))
for bad in (lambda: list(csv.reader(['"open'], strict=True)), lambda: csv.writer(io.StringIO(), quoting=csv.QUOTE_NONE).writerow(["a,b"]), lambda: csv.DictWriter(io.StringIO(), ["a"]).writerow({"b": 1}), lambda: csv.Sniffer().sniff("abc"), lambda: list(csv.reader(["a\0b"])), lambda: csv.reader(["x"], delimiter=",,"), lambda: list(csv.reader([b"x"])), lambda: list(csv.reader(["x" * 140000]))):
    try: print(bad())
    except (csv.Error, ValueError, TypeError) as error: print(type(error).__name__, error)
reader = csv.reader(io.StringIO("a,b\n\n1,2\n3,4\n5,6")); print([(reader.line_num, r) for r in reader], csv.field_size_limit())
with open("/tmp/t.csv", "w", newline="", encoding="utf-8-sig") as f: csv.writer(f).writerows([["ä", "b"], [1, 2]])
print(open("/tmp/t.csv", "rb").read(), next(csv.reader(open("/tmp/t.csv", encoding="utf-8-sig"))), next(csv.reader(open("/tmp/t.csv", encoding="utf-8"))))
