//! Where a schema's references lead: to a place within the same document.

use std::collections::HashMap;

use serde_json::Value;

/// Keywords that refer to another schema.
pub(super) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// A document and its anchors. As no document is within another, a dynamic reference leads where a
/// plain one would.
pub(super) struct References<'a> {
    root: &'a Value,
    /// The place of each anchor's name, and of each id; none where several have it.
    anchors: HashMap<String, Option<String>>,
}

impl<'a> References<'a> {
    pub(super) fn within(root: &'a Value) -> Self {
        let mut anchors: HashMap<String, Option<String>> = HashMap::new();
        let mut left = vec![(root, String::new())];
        while let Some((value, place)) = left.pop() {
            match value {
                Value::Object(members) => {
                    let text = |keyword: &str| members.get(keyword).and_then(Value::as_str);
                    let names = [text("$anchor"), text("$dynamicAnchor")]
                        .into_iter()
                        .flatten();
                    let names = names.map(|name| format!("#{name}"));
                    let id = text("$id").map(|id| id.trim_end_matches('#').to_owned());
                    for name in names.chain(id) {
                        let same = |other: &mut Option<String>| {
                            if other.as_ref() != Some(&place) {
                                *other = None;
                            }
                        };
                        anchors
                            .entry(name)
                            .and_modify(same)
                            .or_insert_with(|| Some(place.clone()));
                    }
                    left.extend(members.iter().map(|(name, member)| {
                        let name = name.replace('~', "~0").replace('/', "~1");
                        (member, format!("{place}/{name}"))
                    }));
                }
                Value::Array(items) => {
                    let items = items.iter().enumerate();
                    left.extend(items.map(|(at, item)| (item, format!("{place}/{at}"))));
                }
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
        if !reference.starts_with('#') && self.named(reference).is_none() {
            return Err(format!("it refers to another document, {reference}"));
        }
        let place = self.place(reference);
        place
            .and_then(|place| self.root.pointer(&place))
            .ok_or_else(|| format!("there is nothing at {reference}"))
    }

    /// The place that a reference leads to, as a pointer; none if there is nothing.
    pub(super) fn place(&self, reference: &str) -> Option<String> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let within = match document {
            "" => "",
            _ => self.named(document)?,
        };
        let fragment = percent_decoded(fragment);
        let place = match fragment.is_empty() || fragment.starts_with('/') {
            true => format!("{within}{fragment}"),
            false => self.anchors.get(&format!("#{fragment}"))?.clone()?,
        };
        self.root.pointer(&place).is_some().then_some(place)
    }

    /// The place of the schema with this id.
    fn named(&self, document: &str) -> Option<&str> {
        let id = document.split('#').next().unwrap_or_default();
        self.anchors.get(id)?.as_deref()
    }
}

/// The pointer in a reference that is one.
pub(crate) fn decoded(reference: &str) -> String {
    percent_decoded(reference.trim_start_matches('#'))
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
