//! What a server says of itself when a connection is opened, as far as it is used.

use ampoule_projection::{Detail, doc};
use ampoule_untrusted::json::parsed_bytes;
use ampoule_untrusted::text;
use rmcp::model::ProtocolVersion;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// How much one part of it may take once it is parsed, in bytes. What takes more is as if it were
/// not said: nothing depends on it.
const MAX_PART_BYTES: u64 = 256 * 1024;

/// How many versions of the protocol are looked at, and how much of the name of each, in bytes.
const MAX_VERSIONS: usize = 50;
const MAX_VERSION_BYTES: usize = 40;

/// How much of what a server says of itself is kept, in characters.
const ABOUT_CHARS: usize = 200;

/// What is kept of an answer to `server/discover` or `initialize`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Greeting {
    /// The version that the server chose.
    pub(super) version: Option<String>,
    /// The versions that it could have chosen.
    pub(super) versions: Vec<String>,
    pub(super) introduction: Introduction,
    /// What it tells of, if asked to.
    pub(super) tells: Tells,
    /// Whether it can be told from which level on lines for the log are wanted.
    pub(super) takes_log_level: bool,
    pub(super) offers: Offers,
}

/// Of which changes a server tells, if asked to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tells {
    /// Those of its list of tools.
    pub(super) tools: bool,
    /// Those of its list of prompts.
    pub(super) prompts: bool,
    /// Those of its lists of resources and templates.
    pub(super) resources: bool,
    /// Those of single resources.
    pub(super) updates: bool,
}

impl Tells {
    /// Whether it reports anything.
    pub(super) fn of_any(self) -> bool {
        self.tools || self.prompts || self.resources || self.updates
    }
}

/// What a server says it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Introduction {
    /// What it is, in a line, without what can't be seen.
    pub(super) about: Option<String>,
    /// The name that its program has: `serverInfo.name`, in a line.
    pub(super) says_it_is: Option<String>,
    /// The version that its program has: `serverInfo.version`, in a line.
    pub(super) version: Option<String>,
}

/// What a server has besides tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Offers {
    pub(super) resources: bool,
    pub(super) prompts: bool,
    /// It completes the arguments of prompts and templates.
    pub(super) completions: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Members<'a> {
    #[serde(borrow, default)]
    protocol_version: Option<&'a RawValue>,
    #[serde(borrow, default)]
    supported_versions: Option<&'a RawValue>,
    #[serde(borrow, default)]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow, default)]
    server_info: Option<&'a RawValue>,
    #[serde(borrow, default)]
    instructions: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Capabilities {
    tools: Option<Value>,
    resources: Option<Value>,
    prompts: Option<Value>,
    completions: Option<IgnoredAny>,
    logging: Option<IgnoredAny>,
}

/// Whether a capability has this.
fn has(capability: Option<&Value>, what: &str) -> bool {
    capability.is_some_and(|capability| capability[what] == true)
}

#[derive(Default, Deserialize)]
struct Identity {
    name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    /// Some servers have a number here.
    version: Option<Value>,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "io.modelcontextprotocol/serverInfo")]
    server_info: Option<Identity>,
}

impl Greeting {
    /// Reads a result.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub(super) fn read(result: &RawValue) -> Result<Self, String> {
        // Structs are read from arrays as well.
        if !result.get().starts_with('{') {
            return Err("its answer is not an object".to_owned());
        }
        let members: Members<'_> = serde_json::from_str(result.get())
            .map_err(|error| format!("its answer can't be read: {error}"))?;
        let identity: Option<Identity> =
            part(members.server_info).or_else(|| part::<Meta>(members.meta)?.server_info);
        let Identity {
            name,
            title,
            description,
            version: program_version,
        } = identity.unwrap_or_default();
        let program_version = program_version.map(|version| match version {
            Value::String(version) => version,
            other => other.to_string(),
        });
        let capabilities: Capabilities = part(members.capabilities).unwrap_or_default();
        let versions: Vec<String> = part(members.supported_versions).unwrap_or_default();
        let shown = |version: String| {
            let name = &version[..version.floor_char_boundary(MAX_VERSION_BYTES)];
            text::one_line(name).into_owned()
        };
        Ok(Self {
            version: part(members.protocol_version).map(shown),
            versions: versions.into_iter().take(MAX_VERSIONS).map(shown).collect(),
            introduction: Introduction {
                about: line([part(members.instructions), description, title]),
                says_it_is: line([name]),
                version: line([program_version]),
            },
            offers: Offers {
                resources: capabilities.resources.is_some(),
                prompts: capabilities.prompts.is_some(),
                completions: capabilities.completions.is_some(),
            },
            takes_log_level: capabilities.logging.is_some(),
            tells: Tells {
                tools: has(capabilities.tools.as_ref(), "listChanged"),
                prompts: has(capabilities.prompts.as_ref(), "listChanged"),
                resources: has(capabilities.resources.as_ref(), "listChanged"),
                updates: has(capabilities.resources.as_ref(), "subscribe"),
            },
        })
    }

    pub(super) fn speaks(&self, version: &ProtocolVersion) -> bool {
        self.versions.iter().any(|it| it == version.as_str())
    }
}

/// A part of the answer, if it is one.
fn part<T: DeserializeOwned>(json: Option<&RawValue>) -> Option<T> {
    let json = json.filter(|json| parsed_bytes(json.get()) <= MAX_PART_BYTES)?;
    serde_json::from_str(json.get()).ok()
}

/// The first line that says something.
fn line<const N: usize>(candidates: [Option<String>; N]) -> Option<String> {
    candidates
        .iter()
        .flatten()
        .flat_map(|text| text.lines())
        .map(|line| doc::line(line.trim_start_matches('#'), Detail::Brief, ABOUT_CHARS))
        .find(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(result: &str) -> Greeting {
        Greeting::read(serde_json::from_str(result).unwrap()).unwrap()
    }

    #[test]
    fn what_is_odd_is_as_if_it_were_not_said() {
        let greeting = read(
            r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"x","title":"Notes","version":"1.2.0"},"instructions":"\n## \u202eTakes notes.\nMore."}"#,
        );
        assert_eq!(greeting.version.as_deref(), Some("2025-06-18"));
        let introduction = greeting.introduction;
        assert_eq!(introduction.about.as_deref(), Some("Takes notes."));
        assert_eq!(introduction.says_it_is.as_deref(), Some("x"));
        assert_eq!(introduction.version.as_deref(), Some("1.2.0"));
        assert!(greeting.tells.tools && !greeting.tells.prompts);
        let long = format!(r#"{{"protocolVersion":"\n{}"}}"#, "x".repeat(1000));
        assert_eq!(read(&long).version, Some(format!(r"\n{}", "x".repeat(39))));
        let odd = r#"{"protocolVersion":7,"supportedVersions":{},"capabilities":[],"serverInfo":[1],"instructions":{},"_meta":null}"#;
        assert_eq!(read(odd), Greeting::default());
        let meta = r#"{"_meta":{"io.modelcontextprotocol/serverInfo":{"title":"Notes"}}}"#;
        assert_eq!(read(meta).introduction.about.as_deref(), Some("Notes"));
    }

    #[test]
    fn what_is_large_is_not_parsed() {
        let bomb = format!("[{}0]", "[0],".repeat(100_000));
        let names = [
            "protocolVersion",
            "supportedVersions",
            "capabilities",
            "serverInfo",
            "instructions",
            "_meta",
            "other",
        ];
        let members: Vec<_> = names
            .iter()
            .map(|name| format!(r#""{name}":{bomb}"#))
            .collect();
        assert_eq!(
            read(&format!("{{{}}}", members.join(","))),
            Greeting::default()
        );
    }
}
