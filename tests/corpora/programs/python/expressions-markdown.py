"""A small Markdown renderer."""
import re
from html import escape

DOC = """# Title with `code`

A paragraph with **bold**, *italic*, ***both*** and [a link](https://x.org/?a=1&b=2 "T").
Second line with a\\*star and ~~gone~~ <script>.

- one
- two
  - nested `x < y`
- three

1. first
2. second

> quoted **text**
> more

```python
def f(x): return x ** 2 & 1
```

| a | b |
|---|--:|
| 1 | *2* |
"""
INLINE = [(r"`([^`]+)`", lambda m: f"<code>{m[1]}</code>"), (r"\*\*\*(.+?)\*\*\*", r"<b><i>\1</i></b>"), (r"\*\*(.+?)\*\*", r"<b>\1</b>"), (r"(?<!\\)\*(.+?)(?<!\\)\*", r"<i>\1</i>"),
          (r"~~(.+?)~~", r"<s>\1</s>"), (r"\[([^\]]+)\]\((\S+?)(?:\s+&quot;(.*?)&quot;)?\)", lambda m: f'<a href="{m[2]}"' + (f' title="{m[3]}"' if m[3] else "") + f">{m[1]}</a>"), (r"\\([*_`])", r"\1")]
def inline(text):
    text = escape(text)
    for pattern, replacement in INLINE: text = re.sub(pattern, replacement, text)
    return text
def block(text):
    match re.match(r"(#{1,6})\s|(```)|(>)|([-*])\s|(\d+\.)\s|(\|)", text):
        case None: return f"<p>{inline(text)}</p>"
        case m if m[1]: return f"<h{len(m[1])}>{inline(text[m.end():])}</h{len(m[1])}>"
        case m if m[2]: return "<pre class={0}>{1}</pre>".format(*re.fullmatch(r"```(\w*)\n(.*?)\n?```", text, re.S).groups())
        case m if m[3]: return f"<blockquote>{inline(re.sub(r'(?m)^>\s?', '', text))}</blockquote>"
        case m if m[4] or m[5]:
            items = re.findall(r"(?m)^(\s*)(?:[-*]|\d+\.)\s+(.*)$", text)
            return "<{0}>{1}</{0}>".format("ul" if m[4] else "ol", "".join(f"<li{' class=n' if indent else ''}>{inline(t)}</li>" for indent, t in items))
        case _:
            rows = [[inline(c.strip()) for c in row.strip("|").split("|")] for row in text.splitlines() if not re.fullmatch(r"[|:\-\s]+", row)]
            return "<table>" + "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows) + "</table>"
for part in re.split(r"\n{2,}", DOC.strip()): print(block(part))
