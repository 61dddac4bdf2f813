//! Patterns of tools in the configuration that other parts than policies restrict something by.

use std::collections::BTreeMap;

use ampoule_projection::names::{Names, ToolPattern};

use crate::unmatched_patterns::PlacedPattern;

/// Lists of patterns, by their texts.
pub(crate) type Lists = BTreeMap<String, Vec<ToolPattern>>;

/// The same among servers of these names.
fn lists_among(lists: &Lists, servers: &Names) -> Lists {
    let among = |patterns: &Vec<ToolPattern>| {
        let patterns = patterns.iter().cloned();
        patterns.map(|it| it.among(servers)).collect()
    };
    let lists = lists.iter();
    lists
        .map(|(text, patterns)| (text.clone(), among(patterns)))
        .collect()
}

/// Patterns of tools in the configuration.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    /// Tools whose personal data is looked at.
    pub(crate) from: Lists,
    /// Tools that get real values.
    pub(crate) to: Lists,
    /// All of them, with where they stand.
    pub(crate) placed: Vec<PlacedPattern>,
}

impl Patterns {
    /// The same among servers of these names.
    pub(crate) fn among(&self, servers: &Names) -> Self {
        let placed = self.placed.iter();
        Self {
            from: lists_among(&self.from, servers),
            to: lists_among(&self.to, servers),
            placed: placed
                .map(|placed| PlacedPattern {
                    place: placed.place.clone(),
                    pattern: placed.pattern.clone().among(servers),
                })
                .collect(),
        }
    }
}

/// A pattern of a list.
pub(crate) struct ListedPattern<'l> {
    /// The place of its text in the list.
    pub(crate) place: usize,
    /// What the text stands for.
    pub(crate) patterns: &'l [ToolPattern],
}

impl<'l> ListedPattern<'l> {
    /// The one with this text; none if the list does not have it.
    pub(crate) fn of(lists: &'l Lists, text: &str) -> Option<Self> {
        let mut places = lists.iter().enumerate();
        let (place, (_, patterns)) = places.find(|(_, (known, _))| *known == text)?;
        Some(Self { place, patterns })
    }
}
