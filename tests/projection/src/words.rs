//! Text that would be more than text, in each place where a tool has any.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

/// What ends, begins, escapes, hides or orders something in some language.
const FRAGMENTS: &[&str] = &[
    "\"",
    "\"\"\"",
    "'",
    "'''",
    "`",
    "```",
    "\n```rust\n",
    "\n~~~\n",
    "\\",
    "\\\n",
    "\\N{",
    "\\u{",
    "\\x",
    "*/",
    "/*",
    "/**",
    "//",
    "\n///",
    "\n//!",
    "#",
    "\n#",
    "\n",
    "\r",
    "\r\n",
    "\u{2028}",
    "\u{2029}",
    "\u{85}",
    "\u{b}",
    "\u{c}",
    "\0",
    "\u{1b}[2J",
    "\u{9b}",
    "\u{202e}",
    "\u{2066}",
    "\u{e0041}",
    "\u{200b}",
    "\u{feff}",
    "\u{fe0f}",
    "\u{3164}",
    "\u{fffd}",
    "\u{149}",
    "a\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "${",
    "}",
    "{{",
    "%s",
    "%",
    "\n@deprecated",
    " @deprecated",
    "@ts-ignore",
    "\n@ts-expect-error",
    "\n@param {x}",
    "{@link x}",
    "\n---\n",
    "<script>",
    "</script>",
    "<!--",
    "]]>",
    "type: ignore",
    "\n# type: ignore",
    "\nmypy: ignore-errors",
    "\npyright: basic",
    "\n-*- coding: utf-7 -*-\n",
    "\nimport os\n",
    "\n    import os",
    "\tx",
    "-     code",
    " ",
    ";",
    ")",
    "]",
    "/",
    "*",
    "=",
    "???/",
    "~",
    "#[doc",
    "é",
    "🎉",
];

/// A text of such fragments around a word.
pub fn hostile(u: &mut Unstructured<'_>) -> Result<String> {
    let mut text = String::new();
    let word = u.int_in_range(0..=4)?;
    for index in 0..=4 {
        text.push_str(if index == word {
            "word"
        } else {
            u.choose(FRAGMENTS)?
        });
    }
    Ok(text)
}

/// Two tools, as servers list them, with a text in each place where there may be one. No two texts
/// that name something are the same, and none of those is an identifier.
pub fn saying(text: impl FnMut() -> Result<String>) -> Result<Value> {
    let mut words = Words { text, named: 0 };
    Ok(json!([words.tool()?, words.tool()?]))
}

/// The same tools, with nothing but words in them.
pub fn saying_nothing() -> Value {
    saying(|| Ok("some words".to_owned())).expect("words do not run out")
}

struct Words<T> {
    text: T,
    named: usize,
}

impl<T: FnMut() -> Result<String>> Words<T> {
    fn text(&mut self) -> Result<String> {
        (self.text)()
    }

    fn name(&mut self) -> Result<String> {
        self.named += 1;
        let text = self.text()?;
        Ok(format!("n{} {text}", self.named))
    }

    fn tool(&mut self) -> Result<Value> {
        Ok(json!({
            "name": self.name()?,
            "title": self.text()?,
            "description": self.text()?,
            "inputSchema": self.input()?,
            "outputSchema": {
                "type": "object",
                "description": self.text()?,
                "properties": { self.name()?: { "type": "integer", "description": self.text()? } },
            },
            "annotations": { "title": self.text()?, "readOnlyHint": true },
        }))
    }

    fn input(&mut self) -> Result<Value> {
        let definition = self.name()?;
        let pointer = definition.replace('~', "~0").replace('/', "~1");
        let reference = format!("#/$defs/{}", pointer.replace('%', "%25"));
        let defined = json!({
            "type": "object",
            "title": self.text()?,
            "description": self.text()?,
            "properties": { self.name()?: { "description": self.text()? } },
        });
        let mut properties = Map::new();
        properties.insert(self.name()?, json!({ "$ref": reference }));
        for property in [self.string()?, self.values()?, self.choice()?, self.list()?] {
            properties.insert(self.name()?, property);
        }
        Ok(json!({
            "type": "object",
            "title": self.text()?,
            "description": self.text()?,
            "properties": properties,
            "$defs": { definition: defined },
        }))
    }

    fn string(&mut self) -> Result<Value> {
        Ok(json!({
            "type": "string",
            "title": self.text()?,
            "description": self.text()?,
            "default": self.text()?,
            "examples": [self.text()?, self.text()?],
            "pattern": self.text()?,
            "format": self.text()?,
        }))
    }

    /// More values than a short declaration lists.
    fn values(&mut self) -> Result<Value> {
        let values: Result<Vec<String>> = (0..30).map(|_| self.name()).collect();
        Ok(json!({ "enum": values?, "description": self.text()?, "deprecated": true }))
    }

    fn choice(&mut self) -> Result<Value> {
        let kind = self.name()?;
        let variants = [self.variant(&kind)?, self.variant(&kind)?];
        Ok(json!({ "anyOf": variants, "description": self.text()? }))
    }

    fn variant(&mut self, kind: &str) -> Result<Value> {
        Ok(json!({
            "type": "object",
            "title": self.text()?,
            "description": self.text()?,
            "required": [kind],
            "properties": { kind: { "const": self.name()?, "description": self.text()? } },
        }))
    }

    fn list(&mut self) -> Result<Value> {
        let items =
            json!({ "type": "string", "description": self.text()?, "default": self.text()? });
        Ok(json!({ "type": "array", "description": self.text()?, "items": items }))
    }
}
