"""Wildcards, globs and expressions against the library's own."""
import re, fnmatch, glob, os, string, textwrap
from functools import lru_cache

def matches(pattern, text):
    @lru_cache(maxsize=None)
    def go(i, j):
        if i == len(pattern): return j == len(text)
        first = j < len(text) and pattern[i] in (text[j], ".")
        if i + 1 < len(pattern) and pattern[i + 1] == "*":
            return go(i + 2, j) or (first and go(i, j + 1))
        return first and go(i + 1, j + 1)
    return go(0, 0)

cases = [("a*b", "aaab"), (".*c", "abd"), ("c*a*b", "aab"), ("mis*is*p*.", "mississippi"), ("", ""), (".*", "anything")]
print([(p, t, matches(p, t)) for p, t in cases if matches(p, t) == bool(re.fullmatch(p, t))])
print(fnmatch.translate("data[0-9]_*.c?v"), fnmatch.filter(["a.py", "b.txt", "A.PY"], "*.py"), fnmatch.fnmatchcase("A.py", "a.*"), fnmatch.filterfalse(["x", "y"], "x"))
for name in ("a1.csv", "a2.csv", "sub/b1.csv", ".hidden.csv"):
    os.makedirs(os.path.dirname("/tmp/g/" + name), exist_ok=True); open("/tmp/g/" + name, "w").close()
print(sorted(glob.glob("/tmp/g/*.csv")), sorted(glob.glob("**/*.csv", root_dir="/tmp/g", recursive=True)), glob.glob("/tmp/g/a[!1].csv"), glob.escape("a[1]*"), glob.translate("**/*.py", recursive=True))
evil = re.compile(r"(a+)+$")
print(evil.match("a" * 18 + "b"), re.match(r"(?:a|aa)+$", "a" * 15 + "b"), re.match(r"(?>a+)+$", "a" * 30 + "b"))
deep = "(" * 90 + "x" + ")" * 90
print(len(re.compile(deep).match("x").groups()), re.match("(?:x?){500}", "x" * 300).end(), len(re.findall("a|b|c|d", "abcde" * 1000)))
print(re.purge(), re.compile("a") is re.compile("a"), re.compile("a") == re.compile("a", re.I), hash(re.compile("b")) == hash(re.compile("b")), re.error is re.PatternError)
alphabet = re.compile(f"[{re.escape(string.punctuation)}]+"); print(alphabet.sub(" ", "a!b\\c]d^e-f"), alphabet.pattern[:12], bool(re.match(r"[\d\-\]x^]+$", "5-]x^")))
print(re.findall(r"[[:alpha:]]", "a:") if False else re.findall(r"[^\W\d_]+", "ab1_c é"), re.findall(r"\Aa|b\Z|c\z", "a b c"), re.sub(r"\B", "|", "ab c"), re.findall(r"\x41|\u0042|\N{LATIN CAPITAL LETTER C}|\103|\t", "ABC\t"))
