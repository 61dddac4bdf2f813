//! Values of `ampoule.toml`, for the types that derive [`Deserialize`](serde::Deserialize) as tables of the file.
//!
//! The crate that uses a table defines the table's type: its fields are the keys, the comments on them
//! are the descriptions in the JSON Schema. `ampoule-config` reads the file into that type.
//!
//! - [`time`], [`bytes`], [`count`], [`at_least_one`]: quantities, a number or a text with a unit
//! - [`text`], [`texts`], [`some_texts`], [`one_or_more`], [`parsed`]: texts that must not be empty
//! - [`ExpandedText`], [`SecretText`], [`SealedText`], [`path`], [`Headers`], [`variables`], [`program`], [`command`]: texts with
//!   variables of the environment, files, and programs; the reader of the configuration recognizes
//!   them by their [names](form)
//! - [`by_tools`]: tables whose keys are patterns of tools
//!
//! ```
//! use std::time::Duration;
//!
//! use ampoule_fields::Quantity;
//!
//! /// `[cache]`
//! #[derive(Default, serde::Deserialize, schemars::JsonSchema)]
//! #[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
//! struct Cache {
//!     /// How long an entry is kept.
//!     #[serde(deserialize_with = "ampoule_fields::time")]
//!     #[schemars(with = "Quantity")]
//!     age: Option<Duration>,
//! }
//!
//! let cache: Cache = serde_json::from_str(r#"{ "age": "2m" }"#).unwrap();
//! assert_eq!(cache.age, Some(Duration::from_secs(120)));
//! ```

mod lists;
mod texts;

pub mod form;

pub use ampoule_limits::quantity::{Quantity, Whole, at_least_one, bytes, count, time};
pub use lists::{OneOrMore, one_or_more};
pub use texts::{
    ExpandedText, Headers, SealedText, SecretText, by_tools, command, expanded, expanded_texts,
    headers, parsed, path, path_or_secret, paths, place, program, sealed_headers, some_texts, text,
    texts, variables,
};
