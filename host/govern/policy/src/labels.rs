//! Labels: what tools give what they return, and what takes it; as data of the configuration, and
//! as policies.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::actions::Actions;
use crate::cedar::{CedarError, Draft, MODEL};
use crate::diagnostic::{Diagnostics, Place, PolicyDiagnostic};
use crate::known_servers;
use crate::patterns::{self, PatternMeaning};
use crate::rule::{Author, UncheckedPolicy};

/// Labels of what runs have read, and the tools that refuse what has a label.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Labels {
    /// `untrusted-content`: what comes from mail, issues, pages and chat is labelled `untrusted`, and
    /// after such a read a person is asked before destructive or outgoing calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// The labels of what tools return: `"crm.*" = "customer-data"`.
    #[serde(
        default,
        deserialize_with = "ampoule_fields::by_tools",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub gives: BTreeMap<String, Names>,
    /// The labels that tools don't take: `"slack.post" = "customer-data"`. `model` is the model
    /// itself, which takes what a run returns and prints.
    #[serde(
        default,
        deserialize_with = "ampoule_fields::by_tools",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub refuses: BTreeMap<String, Refusals>,
}

/// Labels and rules that are brought along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// What comes from mail, issues, pages and chat is labelled `untrusted`, by a table of known
    /// servers. After such a read, a person is asked before calls that may destroy something or
    /// send something out.
    UntrustedContent,
}

/// One label or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Names {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

/// What something does not take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Refusals {
    /// These labels, at all.
    Labels(Names),
    /// As it says.
    One(Refusal),
    /// As each says.
    Several(Vec<Refusal>),
}

/// Labels that something does not take, and what happens then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Refusal {
    /// Which labels; a run that has one of them is refused.
    pub labels: Names,
    /// What happens then. Default: `deny`.
    #[serde(default)]
    pub then: Then,
    /// The reason, for the script and for the person whom Ampoule asks.
    #[serde(
        default,
        deserialize_with = "ampoule_fields::text",
        skip_serializing_if = "Option::is_none"
    )]
    pub reason: Option<String>,
}

/// What happens to what a label forbids.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Then {
    /// It is denied.
    #[default]
    Deny,
    /// A person is asked.
    Ask,
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ampoule_fields::one_or_more(deserializer).map(Self::Several)
    }
}

impl<'de> Deserialize<'de> for Refusals {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LabelsVisitor)
    }
}

/// Labels; or a table that says more; or several such tables.
struct LabelsVisitor;

/// One of a list.
enum One {
    Label(String),
    Refusal(Refusal),
}

impl<'de> Visitor<'de> for LabelsVisitor {
    type Value = Refusals;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("labels, a table with `labels`, or a list of such tables")
    }

    fn visit_str<E: de::Error>(self, label: &str) -> Result<Refusals, E> {
        Names::deserialize(StrDeserializer::new(label)).map(Refusals::Labels)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Refusals, A::Error> {
        Refusal::deserialize(MapAccessDeserializer::new(table)).map(Refusals::One)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Refusals, A::Error> {
        let (mut labels, mut refusals) = (Vec::new(), Vec::new());
        while let Some(one) = list.next_element()? {
            match one {
                One::Label(label) => labels.push(label),
                One::Refusal(refusal) => refusals.push(refusal),
            }
        }
        match (labels.is_empty(), refusals.is_empty()) {
            (false, true) => Ok(Refusals::Labels(Names::Several(labels))),
            (true, false) => Ok(Refusals::Several(refusals)),
            (true, true) => Err(de::Error::custom(
                "this names nothing; name something, or remove it",
            )),
            (false, false) => Err(de::Error::custom(
                "this must be a list of labels, or a list of tables with `labels`",
            )),
        }
    }
}

impl<'de> Deserialize<'de> for One {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WrittenOne;

        impl<'de> Visitor<'de> for WrittenOne {
            type Value = One;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a label, or a table with `labels`")
            }

            fn visit_str<E: de::Error>(self, label: &str) -> Result<One, E> {
                ampoule_fields::text(StrDeserializer::new(label)).map(One::Label)
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<One, A::Error> {
                Refusal::deserialize(MapAccessDeserializer::new(table)).map(One::Refusal)
            }
        }

        deserializer.deserialize_any(WrittenOne)
    }
}

impl Names {
    /// The labels.
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

impl Refusals {
    fn all(&self) -> Vec<Refusal> {
        match self {
            Self::Labels(labels) => vec![Refusal {
                labels: labels.clone(),
                then: Then::default(),
                reason: None,
            }],
            Self::One(refusal) => vec![refusal.clone()],
            Self::Several(refusals) => refusals.clone(),
        }
    }
}

impl Labels {
    /// Every label that a tool may give.
    pub(crate) fn known(&self) -> BTreeSet<&str> {
        let given = self.gives.values().flat_map(Names::all).map(String::as_str);
        given
            .chain(
                self.preset
                    .map(|Preset::UntrustedContent| known_servers::UNTRUSTED),
            )
            .collect()
    }

    /// Tells each tool which labels it gives.
    pub(crate) fn give(&self, actions: &mut Actions, found: &mut Diagnostics) {
        if let Some(Preset::UntrustedContent) = self.preset {
            actions.label_strangers(known_servers::UNTRUSTED);
        }
        for (pattern, labels) in &self.gives {
            let place = Place::table("[labels.gives]");
            if labels.all().is_empty() {
                let told = format!("`{pattern}` gives no label; name one, or remove it");
                found.add(PolicyDiagnostic::warning(Some(place.clone()), told));
            }
            match patterns::meant(pattern, actions) {
                PatternMeaning::Action(id) | PatternMeaning::Group(id) => {
                    actions.label(&id, labels.all())
                }
                PatternMeaning::Later => {}
                PatternMeaning::Nothing(problem) => found.add(problem.at(&place)),
            }
        }
    }

    /// The rules, as policies.
    pub(crate) fn policies(
        &self,
        actions: &mut Actions,
        found: &mut Diagnostics,
    ) -> Result<Vec<UncheckedPolicy>, CedarError> {
        let mut made = Vec::new();
        if let Some(Preset::UntrustedContent) = self.preset {
            let place = Place::table("[labels] preset");
            made.push(UncheckedPolicy::new(
                &known_servers::rule(),
                Author::Label,
                place,
            )?);
        }
        for (sink, refusals) in &self.refuses {
            let place = Place::table("[labels.refuses]");
            let action = match sink.as_str() {
                MODEL => MODEL.to_owned(),
                pattern => match patterns::meant(pattern, actions) {
                    PatternMeaning::Action(id) | PatternMeaning::Group(id) => id,
                    PatternMeaning::Later => continue,
                    PatternMeaning::Nothing(problem) => {
                        found.add(problem.at(&place));
                        continue;
                    }
                },
            };
            for refusal in refusals.all() {
                if refusal.labels.all().is_empty() {
                    let told = format!("`{sink}` refuses no label; name one, or remove it");
                    found.add(PolicyDiagnostic::error(Some(place.clone()), told));
                    continue;
                }
                let draft = refusal.draft(sink, &action);
                made.push(UncheckedPolicy::new(&draft, Author::Label, place.clone())?);
            }
        }
        Ok(made)
    }
}

impl Refusal {
    fn draft(&self, sink: &str, action: &str) -> Draft {
        let labels = self.labels.all();
        let told = labels.join(", ");
        let mut draft = Draft::new(false, &format!("labels: {sink} refuses {told}"));
        draft.actions.push(action.to_owned());
        draft.labels = labels.to_vec();
        let to = match action {
            MODEL => "the model".to_owned(),
            _ => format!("`{sink}`"),
        };
        let reason = format!("{to} takes nothing of a run that has read {told}");
        let reason = self.reason.clone().unwrap_or(reason);
        draft.annotations.push(("reason", reason));
        match self.then {
            Then::Deny => {}
            Then::Ask => draft.annotations.push(("effect", "ask".to_owned())),
        }
        draft
    }
}
