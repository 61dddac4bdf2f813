//! A script by which CPython's tree is recognised when the guest is built.

use super::facts::Facts;

/// `PyCF_ALLOW_TOP_LEVEL_AWAIT`
pub(super) const FLAGS: i32 = 0x2000;

/// It has each kind of node that matters.
pub(super) const SCRIPT: &str = r#"
import a.b as c, d
from servers.one import two as three
limit: int = -5
page, flag = 1.5, True
def function(first, /, second, *others, third=None, **named) -> int:
    global other
    return await_(first)
async def main(argument):
    async with context as target:
        pass
    async for item in others_: yield item
class Class(object, metaclass=type):
    field = None
@decorator
def decorated(): raise ValueError from None
while flag:
    if limit < 2 <= 3: break
    else: continue
else: pass
for (index, [row, *rest]) in x[1:2:3], y: del rest[0]
match limit:
    case {"k": [A(b_, k_=c_), *d_], **e_}: assert flag, "text"
    case (1 as f_) | (2 as f_): pass
try: pass
except (OSError, ValueError) as error: lambda p, *q: p
else: pass
finally: pass
names = {n: m for n in [1] if n for m in {2}}
first = await tools.demo.one(limit=limit, page=page, text=f"{flag!r:>{limit}}", any=1 if flag else 2, **{"a": [True, None, "\u00e9\"", *rest]})
first["items"][0].name
second = await tools["demo"]["two"]("text", first, not limit, -limit + 1, (w := 1) and 2)
second += 1
three(a={1: 2}, b={**names, "x": -1})
if __name__ == "__main__": await tools.demo.three(3)
"#;

/// What is noted of it.
pub(super) const NOTED: &str = r##"6 scopes, 34 names
WrittenCall { server: Some("demo"), tool: "one", arguments: Some("{\"limit\":-5,\"page\":1.5,\"text\":null,\"any\":null,\"a\":[true,null,\"é\\\"\"]}"), positional: 0, unknown: ["/text", "/any"], open: ["/a"], conditional: false, reads: ["/items", "/items/-/name"] }
WrittenCall { server: Some("demo"), tool: "two", arguments: Some("{\"#0\":\"text\",\"#1\":null,\"#2\":null,\"#3\":null,\"#4\":null}"), positional: 5, unknown: ["/#1", "/#2", "/#3", "/#4"], open: [], conditional: false, reads: [] }
WrittenCall { server: Some("one"), tool: "two", arguments: None, positional: 0, unknown: [], open: [], conditional: false, reads: [] }
WrittenCall { server: Some("demo"), tool: "three", arguments: Some("{\"#0\":3}"), positional: 1, unknown: [], open: [], conditional: false, reads: [] }"##;

/// That as a text.
pub(super) fn shown(facts: &Facts, noted: &[String]) -> String {
    let opaque = if facts.is_opaque { " opaque" } else { "" };
    let [scopes, names] = [facts.scopes.len(), facts.bindings.len()];
    let noted = noted.join("\n");
    format!("{scopes} scopes, {names} names{opaque}\n{noted}")
}
