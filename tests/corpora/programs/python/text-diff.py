import difflib, io, sys

old = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n".splitlines(keepends=True)
new = "one\n2\nthree\nfour and a half\nfive\nsix\neight\nseven".splitlines(keepends=True)
sys.stdout.writelines(difflib.unified_diff(old, new, "a/numbers", "b/numbers", "2024-01-01", "2024-01-02", n=1))
print()
sys.stdout.writelines(difflib.ndiff(["private Thread currentThread;\n", "same\n"], ["private volatile Thread currentThread;\n", "same\n"]))
print(*difflib.context_diff(old[:3], new[:3], lineterm=""), sep="|")
matcher = difflib.SequenceMatcher(None, "qabxcd", "abycdf")
for tag, i1, i2, j1, j2 in matcher.get_opcodes(): print(f"{tag:8} a[{i1}:{i2}]={'qabxcd'[i1:i2]!r:6} b[{j1}:{j2}]={'abycdf'[j1:j2]!r}")
print(matcher.ratio(), matcher.quick_ratio(), matcher.real_quick_ratio(), matcher.find_longest_match(), matcher.get_matching_blocks())
print(difflib.get_close_matches("appel", ["ape", "apple", "peach", "puppy"]), difflib.get_close_matches("xyz", ["a"]), difflib.SequenceMatcher(lambda c: c == " ", "a b c", "abc").ratio())
def patch(lines, opcodes, other):
    for tag, i1, i2, j1, j2 in opcodes: yield from lines[i1:i2] if tag == "equal" else other[j1:j2]
print(list(patch(old, difflib.SequenceMatcher(None, old, new).get_opcodes(), new)) == new, list(difflib.restore(difflib.ndiff(old, new), 1)) == old)
def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1): previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]
print([levenshtein(*p) for p in (("kitten", "sitting"), ("", "abc"), ("flaw", "lawn"))])
html = difflib.HtmlDiff(wrapcolumn=20).make_table(["a b"], ["a c"]); print(html.count("<td"), "diff_chg" in html)
