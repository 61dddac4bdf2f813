//! Where a schema's references lead: to a place within the same document.

use std::collections::HashMap;

use serde_json::Value;

/// Keywords that refer to another schema.
pub(super) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// A document and its anchors. As no document is within another, a dynamic reference leads where a
/// plain one would.
pub(super) struct References<'a> {
    root: &'a Value,
    /// The schema of each anchor's name; none where several have it.
    anchors: HashMap<&'a str, Option<&'a Value>>,
}

impl<'a> References<'a> {
    pub(super) fn within(root: &'a Value) -> Self {
        let mut anchors = HashMap::new();
        let mut left = vec![root];
        while let Some(value) = left.pop() {
            match value {
                Value::Object(members) => {
                    let names = ["$anchor", "$dynamicAnchor"].map(|keyword| members.get(keyword));
                    for name in names.into_iter().flatten().filter_map(Value::as_str) {
                        anchors
                            .entry(name)
                            .and_modify(|schema: &mut Option<&Value>| {
                                *schema = schema.filter(|other| std::ptr::eq(*other, value));
                            })
                            .or_insert(Some(value));
                    }
                    left.extend(members.values());
                }
                Value::Array(items) => left.extend(items),
                _ => {}
            }
        }
        Self { root, anchors }
    }

    pub(super) fn root(&self) -> &'a Value {
        self.root
    }

    /// What a reference leads to.
    ///
    /// # Errors
    ///
    /// A sentence says why it leads nowhere.
    pub(super) fn resolve(&self, reference: &str) -> Result<&'a Value, String> {
        let fragment = reference
            .strip_prefix('#')
            .ok_or_else(|| format!("it refers to another document, {reference}"))?;
        let place = percent_decoded(fragment);
        let target = match self.anchors.get(&*place) {
            Some(None) => return Err(format!("several of its parts are {reference}")),
            Some(Some(anchored)) => Some(*anchored),
            None => self.root.pointer(&place),
        };
        target.ok_or_else(|| format!("there is nothing at {reference}"))
    }
}

/// The text of a URI's fragment. What is not a valid escape stays as it is, and then points
/// nowhere.
fn percent_decoded(fragment: &str) -> String {
    let mut decoded = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = after
            .get(..2)
            .filter(|_| byte == b'%')
            .and_then(|hex| std::str::from_utf8(hex).ok());
        match escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                rest = &after[2..];
            }
            None => {
                decoded.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
