//! What may flow where: `[labels]`.

use std::collections::BTreeMap;

use super::{Keys, one_or_more, text, texts};
use crate::ConfigError;
use crate::error::Mistakes;
use crate::keys::governance::{LABELS, REFUSAL};
use crate::read::Entry;
use crate::read::Table;

/// What tools give what they return a label, and what takes none with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelsConfig {
    /// `preset = "untrusted-content"`: what comes from mail, issues, pages and chat is labelled.
    pub untrusted_content: bool,
    /// `gives`: labels by patterns of tools.
    pub gives: BTreeMap<String, Vec<String>>,
    /// `refuses`: what patterns of tools, or `model`, don't take.
    pub refuses: BTreeMap<String, Vec<RefusalConfig>>,
}

/// Labels that something does not take, and what happens then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefusalConfig {
    /// `labels`: which.
    pub labels: Vec<String>,
    /// `then`: what happens.
    pub then: RefusedThen,
    /// `fields`: what is redacted, if that is what happens.
    pub fields: Vec<String>,
    /// `reason`: what is told about it.
    pub reason: Option<String>,
}

/// What happens to what a label forbids.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RefusedThen {
    /// It is denied.
    #[default]
    Deny,
    /// A person is asked.
    Ask,
    /// It is redacted.
    Redact,
}

const THEN: [(&str, RefusedThen); 3] = [
    ("deny", RefusedThen::Deny),
    ("ask", RefusedThen::Ask),
    ("redact", RefusedThen::Redact),
];

pub(super) fn read(table: &Table<'_>) -> Result<LabelsConfig, ConfigError> {
    let mut keys = Keys::only(table, LABELS);
    let config = LabelsConfig {
        untrusted_content: keys.get("preset", |it| it.choice(&[("untrusted-content", true)])),
        gives: keys.get("gives", |it| by_tools(it, one_or_more)),
        refuses: keys.get("refuses", |it| by_tools(it, refusals)),
    };
    keys.done(config)
}

/// Something for each pattern of tools.
pub(super) fn by_tools<'t, T>(
    entry: &Entry<'t>,
    read: impl Fn(&Entry<'t>) -> Result<T, ConfigError>,
) -> Result<BTreeMap<String, T>, ConfigError> {
    let mut mistakes = Mistakes::default();
    let mut found = BTreeMap::new();
    for (tools, place, value) in entry.table()?.entries() {
        if tools.trim().is_empty() {
            mistakes.add(entry.refuse_at(place, "name tools here, such as \"crm.*\""));
        } else if value.is_table() && tools != "model" && !has_any(&value, REFUSAL) {
            // `crm.read = "x"` without quotes is a table of a table.
            mistakes.add(value.refuse(format!(
                "write tools in quotes, such as \"{tools}.*\": without them, this is a table"
            )));
        } else if let Some(one) = mistakes.unless(read(&value)) {
            found.insert(tools.to_owned(), one);
        }
    }
    mistakes.none().map(|()| found)
}

fn has_any(entry: &Entry<'_>, keys: &[crate::keys::Key]) -> bool {
    let table = entry.table().ok();
    table.is_some_and(|table| keys.iter().any(|key| table.get(key.name).is_some()))
}

/// Labels; or a table that says more; or several of them.
fn refusals(entry: &Entry<'_>) -> Result<Vec<RefusalConfig>, ConfigError> {
    if entry.is_table() {
        return refusal(entry).map(|one| vec![one]);
    }
    let has_tables = entry
        .list()
        .is_ok_and(|items| items.iter().any(Entry::is_table));
    if has_tables {
        return entry.each(refusal);
    }
    let labels = one_or_more(entry)?;
    Ok(vec![RefusalConfig {
        labels,
        ..RefusalConfig::default()
    }])
}

fn refusal(entry: &Entry<'_>) -> Result<RefusalConfig, ConfigError> {
    let table = entry.table()?;
    let mut keys = Keys::only(&table, REFUSAL);
    if table.get("labels").is_none() {
        let told = "the key `labels` is missing: which labels are refused";
        keys.mistakes.add(entry.refuse(told));
    }
    let refusal = RefusalConfig {
        labels: keys.get("labels", one_or_more),
        then: keys.get("then", |it| it.choice(&THEN)),
        fields: keys.get("fields", texts),
        reason: keys.find("reason", text),
    };
    keys.done(refusal)
}
