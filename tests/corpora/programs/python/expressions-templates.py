import re, html
from functools import partial

TEMPLATE = """\
Dear {{ customer.name|title }},
{% for item in items %}
  - {{ item.name|upper }}: {{ item.price|money }}{% if item.gift %} (gift){% endif %}

{% endfor %}
Total: {{ total|money }} {{ missing|default:"n/a" }} {{ customer.note|escape }}
"""
TOKEN = re.compile(r"({{.*?}}|{%.*?%})", re.DOTALL)
FILTERS = {"upper": str.upper, "title": str.title, "money": "€{:,.2f}".format, "escape": html.escape, "default": lambda v, d: v or d}

def lookup(path, context):
    value = context
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else getattr(value, part, None)
    return value

def render(tokens, context, stop=None):
    out = []
    while tokens:
        token = tokens.pop(0)
        if m := re.fullmatch(r"{{\s*([\w.]+)((?:\|\w+(?::\"[^\"]*\")?)*)\s*}}", token):
            value = lookup(m[1], context)
            for name, argument in re.findall(r"\|(\w+)(?::\"([^\"]*)\")?", m[2]):
                value = FILTERS[name](value, argument) if argument else FILTERS[name](value)
            out.append(str(value))
        elif m := re.fullmatch(r"{%\s*for (\w+) in (\w+)\s*%}", token):
            body, values = list(tokens), lookup(m[2], context)
            for value in values:
                rest = list(body)
                out.append(render(rest, {**context, m[1]: value}, "endfor"))
            tokens[:] = rest
        elif m := re.fullmatch(r"{%\s*if ([\w.]+)\s*%}", token):
            inner = render(tokens, context, "endif")
            out.append(inner if lookup(m[1], context) else "")
        elif stop and re.fullmatch(r"{%\s*" + stop + r"\s*%}", token):
            break
        else:
            out.append(token)
    return "".join(out)

data = {"customer": {"name": "ada o'neil", "note": "<b>\"VIP\" & co</b>"}, "total": 1234.5,
        "items": [{"name": "pen", "price": 1.5, "gift": True}, {"name": "ink", "price": 1233, "gift": False}]}
print(TOKEN.split("a{{x}}b{%y%}"))
print(render(TOKEN.split(TEMPLATE), data))
print(re.sub(r"\$(\w+)|\$\{(\w+)\}", lambda m: {"a": "1", "b": "2"}.get(m[m.lastindex], m[0]), "$a ${b} $c"))
print(re.sub(r"(\w)(\w*)", partial(re.Match.expand, template=r"\2\1ay") if False else r"\2\1ay", "pig latin"), re.sub("a", r"\\n\n\t", "a").encode())
