//! What an operator chooses: `[approvals]`.

use std::fmt;
use std::time::Duration;

use ampoule_fields::{ExpandedText, OneOrMore, Quantity};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};
use url::Url;

use crate::ApprovalLimits;

/// Which calls need a person's approval, and where Ampoule asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The tools whose calls need approval: `destructive`, `outgoing`, `open-world`, or tools such
    /// as `github.delete_*`; one of them, or a list.
    #[serde(deserialize_with = "classes_and_patterns")]
    #[schemars(with = "OneOrMore")]
    pub ask: Vec<String>,
    /// Where Ampoule asks: in the client's own `dialogue`, on the `page` of `serve --http`, by the
    /// `command-line` (`ampoule approvals`), at the `terminal` of `ampoule run`. An empty list
    /// denies such calls. Default: all places that are available; `ampoule run` asks only at its
    /// terminal.
    pub places: Option<Vec<PlaceName>>,
    /// A webhook of yours that gets questions, and may answer them.
    pub webhook: Option<WebhookSettings>,
    /// Whether people can answer on a page: `true`, on this machine, or the address under which
    /// browsers reach `serve --http`, such as `https://ampoule.example.com`. Default: false.
    #[serde(deserialize_with = "page")]
    pub page: PageSetting,
    /// Whether a run is first tried without destructive calls, so that a person approves its calls
    /// as one plan. Default: false.
    pub preview: bool,
    /// How long Ampoule waits for an answer. Default: `7d`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    pub expires: Option<Duration>,
    /// How long an answer stays valid. Default: `7d`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    pub valid_for: Option<Duration>,
    /// The longest time for which calls can be allowed in a session. Default: `30d`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    pub session: Option<Duration>,
}

/// Where Ampoule asks people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaceName {
    /// In the client's own dialogue.
    Dialogue,
    /// On a page that `ampoule serve --http` has.
    Page,
    /// By `ampoule approvals`.
    CommandLine,
    /// At the terminal of `ampoule run`.
    Terminal,
}

/// Whether people can answer on a page, and where the page is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PageSetting {
    /// No page.
    #[default]
    Nowhere,
    /// Where the server listens, on this machine.
    Here,
    /// Under this address.
    At(String),
}

/// An operator's webhook that gets questions.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WebhookSettings {
    /// The address that gets messages, by POST.
    #[serde(deserialize_with = "address")]
    pub url: String,
    /// The secret that signs messages: `whsec_` and base64 of 24 to 64 bytes, from `${VARIABLE}`;
    /// two, while one is replaced.
    #[serde(rename = "secret", deserialize_with = "secrets")]
    #[schemars(with = "OneOrMore")]
    pub secrets: Vec<String>,
    /// The secret that signs answers, a different one. Without it, the webhook can't answer.
    #[serde(default, deserialize_with = "secret")]
    pub answer_secret: Option<String>,
}

impl fmt::Debug for WebhookSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An address may have a secret in it, too.
        f.debug_struct("WebhookSettings")
            .field("secrets", &self.secrets.len())
            .field("answers", &self.answer_secret.is_some())
            .finish_non_exhaustive()
    }
}

impl Settings {
    /// What questions may take.
    pub fn limits(&self) -> ApprovalLimits {
        let mut limits = ApprovalLimits::default();
        limits.expires = self.expires.unwrap_or(limits.expires);
        limits.good = self.valid_for.unwrap_or(limits.good);
        limits.session = self.session.unwrap_or(limits.session);
        limits
    }

    /// Whether people are to be asked there; none if nothing is said of places.
    pub fn wants(&self, place: PlaceName) -> Option<bool> {
        let named = self.places.as_ref();
        named.map(|places| places.contains(&place))
    }
}

/// Classes and patterns of tools. They are written into a policy.
fn classes_and_patterns<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    let asked = ampoule_fields::one_or_more(deserializer)?;
    let is_plain = |text: &String| !text.contains(['"', '\\']) && !text.contains(char::is_control);
    match asked.iter().all(is_plain) {
        true => Ok(asked),
        false => Err(de::Error::custom(
            "tools have no quotes and no backslashes in their patterns",
        )),
    }
}

fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text: ExpandedText = ExpandedText::deserialize(deserializer)?;
    checked(text.into_inner())
}

fn checked<E: de::Error>(address: String) -> Result<String, E> {
    let is_address = Url::parse(&address)
        .is_ok_and(|url| matches!(url.scheme(), "https" | "http") && url.has_host());
    match is_address {
        true => Ok(address),
        false => Err(E::custom(
            "this must be an address that begins with https:// or http://",
        )),
    }
}

fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    ExpandedText::deserialize(deserializer).map(|text| Some(text.into_inner()))
}

fn secrets<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    ExpandedText::<OneOrMore>::deserialize(deserializer).map(|secrets| secrets.into_inner().0)
}

fn page<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PageSetting, D::Error> {
    ExpandedText::deserialize(deserializer).map(ExpandedText::into_inner)
}

impl<'de> Deserialize<'de> for PageSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PageVisitor;

        impl Visitor<'_> for PageVisitor {
            type Value = PageSetting;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, or an address in quotes")
            }

            fn visit_bool<E: de::Error>(self, is_there: bool) -> Result<PageSetting, E> {
                Ok(match is_there {
                    true => PageSetting::Here,
                    false => PageSetting::Nowhere,
                })
            }

            fn visit_str<E: de::Error>(self, address: &str) -> Result<PageSetting, E> {
                checked(address.to_owned()).map(PageSetting::At)
            }
        }

        deserializer.deserialize_any(PageVisitor)
    }
}

impl JsonSchema for PageSetting {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PageSetting".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["boolean", "string"] })
    }
}
