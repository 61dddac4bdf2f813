//! Personal data on its way to the model: `[privacy]`.

use std::collections::BTreeMap;

use super::{Keys, text, texts};
use crate::ConfigError;
use crate::error::Mistakes;
use crate::keys::governance::{PRIVACY, RECEIVER};
use crate::read::{Entry, Table};

/// What is done about personal data on its way to the model. Without the table nothing is; a table
/// that does not say what protects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrivacyConfig {
    /// `mode`: what is done.
    pub mode: PersonalData,
    /// `kinds`: what is looked for; all, if nothing is said.
    pub kinds: Option<Vec<String>>,
    /// `patterns`: what else is looked for: regular expressions by name.
    pub patterns: BTreeMap<String, String>,
    /// `from`: the tools whose data is looked at; all, if nothing is said.
    pub from: Option<Vec<String>>,
    /// `to`: the tools that get real values; all, if nothing is said.
    pub to: Option<Vec<ReceiverConfig>>,
}

/// What is done about personal data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PersonalData {
    /// Nothing: where there is no table, or the table says so.
    #[default]
    Off,
    /// It is counted.
    Detect,
    /// It is replaced by tokens.
    Tokens,
    /// What has some does not go to the model.
    Block,
}

/// Tools that get real values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReceiverConfig {
    /// `tools`: a pattern.
    pub tools: String,
    /// `kinds`: of which kinds; of all, if nothing is said.
    pub kinds: Option<Vec<String>>,
}

const MODES: [(&str, PersonalData); 4] = [
    ("off", PersonalData::Off),
    ("detect", PersonalData::Detect),
    ("tokens", PersonalData::Tokens),
    ("block", PersonalData::Block),
];

pub(super) fn read(table: &Table<'_>) -> Result<PrivacyConfig, ConfigError> {
    let mut keys = Keys::only(table, PRIVACY);
    let config = PrivacyConfig {
        mode: (keys.find("mode", |it| it.choice(&MODES))).unwrap_or(PersonalData::Tokens),
        kinds: keys.find("kinds", texts),
        patterns: keys.get("patterns", patterns),
        from: keys.find("from", texts),
        to: keys.find("to", |it| it.each(receiver)),
    };
    keys.done(config)
}

fn patterns(entry: &Entry<'_>) -> Result<BTreeMap<String, String>, ConfigError> {
    let mut mistakes = Mistakes::default();
    let mut found = BTreeMap::new();
    for (name, _, value) in entry.table()?.entries() {
        if let Some(pattern) = mistakes.unless(text(&value)) {
            found.insert(name.to_owned(), pattern);
        }
    }
    mistakes.none().map(|()| found)
}

fn receiver(entry: &Entry<'_>) -> Result<ReceiverConfig, ConfigError> {
    if !entry.is_table() {
        let tools = text(entry)
            .map_err(|_| entry.refuse("this must be tools in quotes, or a table with `tools`"))?;
        return Ok(ReceiverConfig { tools, kinds: None });
    }
    let table = entry.table()?;
    let mut keys = Keys::only(&table, RECEIVER);
    if table.get("tools").is_none() {
        keys.mistakes
            .add(entry.refuse("the key `tools` is missing"));
    }
    let receiver = ReceiverConfig {
        tools: keys.get("tools", text),
        kinds: keys.find("kinds", texts),
    };
    keys.done(receiver)
}
