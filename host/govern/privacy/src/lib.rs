//! Personal data at the boundary to the model.
//!
//! A [`Detector`] finds what is personal in what goes to the model: e-mail addresses, telephone
//! numbers, cards, accounts, ids, addresses of the internet, keys; names and postal addresses in fields
//! that are for them; and what the operator's own patterns find. A [`Boundary`] does with it what the
//! operator chose: nothing, counting, replacing it by tokens, or keeping it back. A [`Table`] knows what
//! the tokens of one session stand for. The model and its code read `<email:1>`; where that is passed
//! to a tool that may have the data, the real value goes out.
//!
//! - `kind`, `settings`: the words; `boundary`: the four modes
//! - `detector`: what is in a text; `json`: texts that are JSON; `compat`: texts as they are read; `fields`, `values`: names and
//!   addresses, by what fields are called; `scan`: everything else; `secrets`: keys of services; `patterns`:
//!   patterns of the operator; `finding`: what was found
//! - `token`: how tokens are written; `table`: what they stand for; `mask`, `unmask`: texts with
//!   tokens, and with values again; `tables`: tables on disk
//!
//! # Why this is not a published crate
//!
//! Two were run on the same corpus (`tests/privacy-peers`), with bounds counted as exactly as ours:
//!
//! | kind | redact-core 0.12.7: precision, recall | pii 0.1.0: precision, recall |
//! | --- | --- | --- |
//! | card | 90 %, 98 % | 79 %, 98 % |
//! | email | 87 %, 92 % | 86 %, 92 % |
//! | iban | 100 %, 100 % | 100 %, 43 % |
//! | id | 98 %, 9 % | 51 %, 21 % |
//! | ip | 88 %, 83 % | 85 %, 83 % |
//! | phone | 64 %, 16 % | 34 %, 82 % |
//! | secret | 100 %, 56 % | none |
//!
//! They took 1.5 s and 0.6 s for a MiB of it, on a machine that did other work, too. (Some of the
//! corpus's labels and values were corrected since then.) Neither reads fields, and so finds no names
//! and addresses without a model of language. Of the validators of single kinds, `iban_validate` is
//! used (146 ns each); `card-validate` (1 µs) knows fewer issuers than a table of ten lines, and
//! `phonenumber` takes 15 µs a number: 1 s for a MiB of numbers.

mod boundary;
mod compat;
mod detector;
mod fields;
mod finding;
mod json;
mod kind;
mod mask;
mod patterns;
mod scan;
mod secrets;
mod settings;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod token;
mod unmask;
mod values;

pub use boundary::{BlockedError, Boundary, MaskedText};
pub use detector::Detector;
pub use finding::Finding;
pub use kind::{Country, Counts, Kind};
pub use patterns::PatternError;
pub use settings::{Kinds, Mode, Receiver, Settings};
pub use table::{Table, TableLimits};
pub use tables::{KeepError, Tables};
pub use unmask::{RestoredArguments, TooLongError};
