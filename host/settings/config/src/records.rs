//! Which runs leave a record.

use std::time::Duration;

use ampoule_limits::units;

use super::error::Mistakes;
use super::read::Table;
use super::{ConfigError, keys};

/// Which runs leave a record, and what records may take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordsConfig {
    /// `keep`: which runs leave one; by default, none.
    pub keep: KeepRecords,
    /// `age`: how long one is kept, if not the default.
    pub age: Option<Duration>,
    /// `size`: how much those of one principal may take, in bytes, if not the default.
    pub size: Option<u64>,
    /// `each`: how large one may be, in bytes, if not the default.
    pub each: Option<u64>,
}

/// Which runs leave a record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeepRecords {
    /// `none`
    #[default]
    None,
    /// `failures`: those that did not return.
    Failures,
    /// `all`
    All,
}

impl KeepRecords {
    /// By their names.
    pub(super) const NAMED: [(&str, Self); 3] = [
        ("all", Self::All),
        ("failures", Self::Failures),
        ("none", Self::None),
    ];
}

pub(super) fn records(table: &Table<'_>) -> Result<RecordsConfig, ConfigError> {
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::of("records")));
    let keep = table.read("keep", |keep| keep.choice(&KeepRecords::NAMED));
    let age = table.read("age", |age| age.quantity(units::parse_duration));
    let mut bytes = |key| {
        let read = table.read(key, |size| size.quantity(units::parse_bytes));
        mistakes.unless(read).flatten()
    };
    let (size, each) = (bytes("size"), bytes("each"));
    let config = RecordsConfig {
        keep: mistakes.unless(keep).flatten().unwrap_or_default(),
        age: mistakes.unless(age).flatten(),
        size,
        each,
    };
    mistakes.none().map(|()| config)
}
