import textwrap, string
from itertools import zip_longest

TEXT = """Lorem ipsum dolor sit amet, consectetur adipiscing elit -- well-known half-truths and https://example.com/a/very/long/address included.
  Ünïcode wörds — em-dashes—count too.\tTabs as well."""
for width in (20, 40):
    print("\n".join(textwrap.wrap(TEXT, width)), end="\n---\n")
print(textwrap.fill(TEXT, 50, initial_indent="* ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False, max_lines=4, placeholder=" [...]"))
print(textwrap.shorten(TEXT, 30), textwrap.shorten("hello", 3, placeholder="…"), repr(textwrap.dedent("\n    a\n      b\n\n    c\n   ")), repr(textwrap.indent("a\n\nb", "> ", lambda line: True)))
left, right = textwrap.wrap("The left column has a few words.", 12), textwrap.wrap("The right one has somewhat more words than it.", 14)
for a, b in zip_longest(left, right, fillvalue=""): print(f"|{a:<12}|{b:>14}|")
template = string.Template("$who owes ${amount} $$ to $whom.")
print(template.substitute(who="Ann", amount=5, whom="Bob"), template.safe_substitute(who="Ann"), template.get_identifiers(), template.is_valid())
for bad in (lambda: template.substitute(who=1), lambda: string.Template("$ x").substitute(), lambda: "{a[0]} {b.c}".format(a=[1], b=2)):
    try: print(bad())
    except (KeyError, ValueError, AttributeError) as error: print(type(error).__name__, error)
class Upper(string.Formatter):
    def convert_field(self, value, conversion): return str(value).upper() if conversion == "u" else super().convert_field(value, conversion)
    def get_value(self, key, args, kwargs): return kwargs.get(key, f"<{key}>") if isinstance(key, str) else super().get_value(key, args, kwargs)
print(Upper().format("{0!u:>8}|{name!r}|{missing}", "abc", name="x"), string.capwords("the  quick-brown fox"), string.hexdigits, "%(a)s %(b)5.2f" % {"a": 1, "b": 2})
name = "World"; greeting = t"Hello {name!r:>10} {1 + 1}"
print(type(greeting).__name__, greeting.strings, [(i.value, i.expression, i.conversion, i.format_spec) for i in greeting.interpolations])
