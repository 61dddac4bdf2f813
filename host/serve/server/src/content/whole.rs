//! A tool's whole answer, as a run of one call gives it, and a script that asked for it: its parts,
//! and what a client's app needs.

use ampoule_tools::WholeCall;
use rmcp::model::{Annotations, ContentBlock, Resource, Role};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::addresses;
use super::blocks::Content;

/// The members of `_meta` that are Ampoule's.
const CALL: &str = "ampoule/call";
const RESULT: &str = "ampoule/result";
/// The member of `_meta` that has the app.
const UI: &str = "ui";
/// What an app is made of.
const MIME_TYPE: &str = "text/html;profile=mcp-app";

/// A whole answer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WholeAnswer<'a> {
    #[serde(borrow)]
    pub(super) content: Vec<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "there")]
    pub(super) structured_content: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: &'a RawValue,
}

/// What is there is a value, even where that is `null`.
fn there<'de: 'a, 'a, D: serde::Deserializer<'de>>(
    value: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    Deserialize::deserialize(value).map(Some)
}

/// A text of an answer.
pub(super) struct ReadText {
    pub(super) text: String,
    /// What it is as JSON, if it is that.
    pub(super) json: Option<Value>,
}

impl<'a> WholeAnswer<'a> {
    /// The whole answer that a value is, if it is one. It says which call it is of.
    pub(crate) fn read(json: &'a str) -> Option<Self> {
        if !json.starts_with('{') || !json.contains(CALL) {
            return None;
        }
        let whole: Self = serde_json::from_str(json).ok()?;
        WholeCall::of(whole.meta).is_some().then_some(whole)
    }

    /// The call, and the address of its app as clients know it, if the tool has one.
    fn app(&self) -> Option<(WholeCall, String)> {
        #[derive(Deserialize)]
        struct Meta {
            ui: Ui,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Ui {
            resource_uri: String,
        }
        let Meta { ui } = serde_json::from_str(self.meta.get()).ok()?;
        let is_app = ui.resource_uri.starts_with(addresses::APP);
        let call = WholeCall::of(self.meta).filter(|_| is_app)?;
        let address = addresses::address(&call.server, &ui.resource_uri);
        Some((call, address))
    }

    /// The server's `_meta` for the client; for one that shows apps, with the tool's app.
    pub(crate) fn meta_for_client(&self, shows_apps: bool) -> Option<Map<String, Value>> {
        let mut meta: Map<String, Value> = serde_json::from_str(self.meta.get()).ok()?;
        match self.app().filter(|_| shows_apps) {
            Some((_, address)) => {
                meta.insert(UI.to_owned(), json!({ "resourceUri": address }));
            }
            None => {
                meta.remove(UI);
                meta.remove(CALL);
            }
        }
        (!meta.is_empty()).then_some(meta)
    }

    /// The structured content, where an app shows it.
    pub(crate) fn structured_for_app(&self) -> Option<Value> {
        self.app()?;
        serde_json::from_str(self.structured_content?.get()).ok()
    }

    /// Whether texts say what the structured content does: whole, as the
    /// only member of an object, or each as an item of a list. Many servers send both.
    pub(super) fn is_structured_said(&self, texts: &[ReadText]) -> bool {
        let structured = self.structured_content;
        let structured = structured.and_then(|it| serde_json::from_str::<Value>(it.get()).ok());
        let Some(structured) = structured else {
            return false;
        };
        let member = structured.as_object().filter(|object| object.len() == 1);
        let member = member.and_then(|object| object.values().next());
        let says = |text: &ReadText, value: &Value| {
            text.json.as_ref() == Some(value) || value.as_str() == Some(&text.text)
        };
        let are_items = |value: &Value| {
            let items = value.as_array().filter(|items| items.len() == texts.len());
            items.is_some_and(|items| texts.iter().zip(items).all(|(text, item)| says(text, item)))
        };
        [Some(&structured), member]
            .into_iter()
            .flatten()
            .any(|value| are_items(value) || texts.iter().any(|text| says(text, value)))
    }

    /// The same where the structured content goes apart.
    pub(crate) fn without_structured(mut self) -> Self {
        self.structured_content = None;
        self
    }

    /// What a script would get of it by an ordinary call, for those who read it later.
    pub(crate) fn value(&self) -> Option<Box<RawValue>> {
        if let Some(structured) = self.structured_content {
            return Some(structured.to_owned());
        }
        #[derive(Deserialize)]
        struct Text {
            #[serde(rename = "type")]
            kind: String,
            text: String,
        }
        if let [block] = &self.content[..]
            && let Ok(Text { kind, text }) = serde_json::from_str(block.get())
            && kind == "text"
        {
            return match text.starts_with(['{', '[']) {
                true => RawValue::from_string(text.clone())
                    .or_else(|_| to_raw_value(&text))
                    .ok(),
                false => to_raw_value(&text).ok(),
            };
        }
        to_raw_value(&self.content).ok()
    }

    /// A link to the app for the person, with the call and, where the answer is not beside it, that.
    pub(crate) fn link(&self, with_answer: bool) -> Option<Content> {
        let (call, address) = self.app()?;
        let mut meta: Map<String, Value> = serde_json::from_str(self.meta.get()).ok()?;
        let called = meta.remove(CALL)?;
        meta.remove(UI);
        let mut said = Map::new();
        said.insert(UI.to_owned(), json!({ "resourceUri": address }));
        said.insert(CALL.to_owned(), called);
        if with_answer {
            let mut answer = json!({ "content": self.content, "_meta": meta });
            if let Some(structured) = self.structured_content {
                answer["structuredContent"] = serde_json::from_str(structured.get()).ok()?;
            }
            said.insert(RESULT.to_owned(), answer);
        }
        let mut link = Resource::new(address, format!("{}.{}", call.server, call.tool));
        link.mime_type = Some(MIME_TYPE.to_owned());
        link.meta = Some(rmcp::model::MetaObject(said));
        let mut annotations = Annotations::default();
        annotations.audience = Some(vec![Role::User]);
        link.annotations = Some(annotations);
        Some(Content::from(ContentBlock::ResourceLink(link)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structured_content_that_texts_say_is_not_said_again() {
        let is_said = |content: Value, structured: Value| {
            let whole = json!({
                "content": content, "structuredContent": structured,
                "_meta": { CALL: { "server": "s", "tool": "t", "arguments": {} } },
            })
            .to_string();
            let whole = WholeAnswer::read(&whole).expect("a whole answer");
            let text = |block: &Value| {
                let text = block.as_str().expect("a text").to_owned();
                let json = serde_json::from_str(&text).ok();
                ReadText { text, json }
            };
            let texts: Vec<_> = content
                .as_array()
                .expect("a list")
                .iter()
                .map(text)
                .collect();
            whole.is_structured_said(&texts)
        };
        for (content, structured) in [
            (json!(["{\"a\": 1}"]), json!({ "a": 1 })),
            (json!(["a,b\n1,2"]), json!({ "content": "a,b\n1,2" })),
            (json!(["5"]), json!({ "result": 5 })),
            (json!(["a", "b"]), json!({ "result": ["a", "b"] })),
            (
                json!(["{\"n\":1}", "{\"n\":2}"]),
                json!({ "result": [{ "n": 1 }, { "n": 2 }] }),
            ),
            (json!(["as JSON", "[1]"]), json!([1])),
        ] {
            assert!(is_said(content.clone(), structured), "{content}");
        }
        for (content, structured) in [
            (json!(["one order"]), json!({ "items": [{ "id": 1 }] })),
            (json!(["a"]), json!({ "text": "a", "more": 1 })),
            (json!(["a"]), json!({ "result": ["a", "b"] })),
            (json!([]), json!({ "result": 1 })),
        ] {
            assert!(!is_said(content.clone(), structured), "{content}");
        }
    }
}
