import re

def group_thousands(text): return re.sub(r"(?<=\d)(?=(?:\d{3})+(?!\d))", ",", text)
print(group_thousands("1234567 12 123 -9876543210"))
print(re.findall(r"(?<![\w@])@(\w{1,15})\b", "hi @ann, mail bob@x.org and @@eve @carl_99"))
print([bool(re.fullmatch(r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z])(?!.*\s).{8,}", p)) for p in ("Passw0rd", "password1", "Sh0rt", "With Space1")])
print(re.split(r"(?<=[.!?])\s+(?=[A-ZÄ])", "Hello there. how are you? Ärger! 3.5 is Pi."), re.split(r"(?=[A-Z])", "camelCaseHTTPServer"))
print(re.sub(r"(?<!^)(?=[A-Z][a-z])|(?<=[a-z0-9])(?=[A-Z])", "_", "parseHTTPResponseCode2XX").lower())
print(re.findall(r"(?s)<(?P<tag>\w+)>(.*?)</(?P=tag)>", "<b>bold\n</b><i>it</i><b>no</i>"))
print(re.findall(r"(?i:straße|STRASSE)|(?-i:Weg)", "Straße STRASSE weg Weg", re.IGNORECASE), re.match(r"(a)?b(?(1)c|d)", "abc"), re.match(r"(a)?b(?(1)c|d)", "bd")[0])
print(re.findall(r"a++b|x*+y", "aaab xxy"), re.findall(r"(?>a|ab)c", "abc ac"), re.findall(r"\d{2,3}?", "123456"), re.findall(r"(?a:\w+)", "naïve"), re.findall(r"\w+", "naïve 東京 ٣"))
for pattern in ("(", "[a", "a**", "(?P<n>a)(?P<n>b)", "(?<=a+)b", r"\1", "(?P=x)", "x{3,1}", "[z-a]", "(?z)a", "*a", r"\q", "(?P<1a>x)", "a(?i)b", r"(?P<x>a)\g<x>", "a{99999999999}"):
    try: re.compile(pattern); print("fine", pattern)
    except re.PatternError as error: print(f"{pattern:20} {error.msg} at {error.pos} | {error}")
    except OverflowError as error: print(pattern, error)
print(re.compile(r"(?x) a b # c" + "\n | d"), re.escape("a.b*c [x]-é/"), re.NOFLAG, re.I | re.M, repr(re.RegexFlag(0x28)))
print(re.findall(r"^\w", "a\nb\r\nc", re.M), re.findall(r".", "a\u2028\n", re.S), re.findall(r"\bfoo\b", "foo foobar foo_ foo-"), re.findall(r"x*", "axb"), re.sub(r"x*", "-", "abxd"), re.sub("", "-", "ab"))
print(re.match("a", "A", re.I).group(), re.search(rb"\xff+", b"a\xff\xffb"), re.fullmatch("ǰ", "J̌", re.I), re.match("(?i)ſ", "S"), re.findall("(?i)k", "kK\u212a"))
