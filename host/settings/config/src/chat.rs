//! Which model `ampoule chat` asks: `[chat]`.

use std::fmt;

use ampoule_fields::SealedText;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::error::ConfigError;
use super::read::Table;

/// Prices are whole numbers of this part.
const PART: f64 = 1e6;

/// Which model `ampoule chat` asks, where the command line does not say it.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChatConfig {
    /// The model's name.
    #[serde(deserialize_with = "ampoule_fields::text")]
    #[schemars(with = "String")]
    pub model: Option<String>,
    /// The form of its endpoint (`openai`, `responses` or `anthropic`), or the endpoint's address. The
    /// variable `AMPOULE_MODEL_URL` has the address, too.
    #[serde(deserialize_with = "ampoule_fields::expanded")]
    #[schemars(with = "String")]
    pub endpoint: Option<String>,
    /// The endpoint's key, such as `${keyring:openai/me}`; `endpoint` must be beside it, and
    /// `AMPOULE_MODEL_URL` does not count then. Default: the variable `AMPOULE_MODEL_KEY`, and for the
    /// companies' own addresses `OPENAI_API_KEY` and `ANTHROPIC_API_KEY`.
    pub key: Option<SealedText>,
    /// What its tokens cost. Without prices, no cost is shown.
    pub prices: Option<PriceConfig>,
}

/// What a million tokens costs, in your own money.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PriceConfig {
    /// Of what the model reads, such as `"2.50"`.
    pub input: Price,
    /// Of what the model reads from the endpoint's cache. Default: as `input`.
    #[serde(default)]
    pub cached: Option<Price>,
    /// Of what the endpoint writes to its cache, which Anthropic's form reports. Default: as `input`.
    #[serde(default)]
    pub cache_write: Option<Price>,
    /// Of what the model writes.
    pub output: Price,
}

/// A price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub struct Price(u64);

impl Price {
    /// As a number.
    pub fn amount(self) -> f64 {
        self.0 as f64 / PART
    }
}

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let amount = text.trim().parse::<f64>().ok();
        let amount = amount.filter(|amount| (0.0..=1e6).contains(amount));
        let amount = amount.ok_or_else(|| {
            D::Error::custom("this is the price of a million tokens, in quotes, such as \"2.50\"")
        })?;
        Ok(Self((amount * PART).round() as u64))
    }
}

/// What must hold of the table beyond its keys.
pub(super) fn check(root: &Table<'_>) -> Result<(), ConfigError> {
    let Some(Ok(table)) = root.get("chat").map(|entry| entry.table()) else {
        return Ok(());
    };
    match (table.get("key"), table.get("endpoint")) {
        (Some(key), None) => Err(key.refuse(
            "a key is for one endpoint alone: add `endpoint`, the address that it is for, or a form",
        )),
        _ => Ok(()),
    }
}

impl fmt::Debug for ChatConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatConfig")
            .field("model", &self.model)
            .field("prices", &self.prices)
            // Secrets may have been expanded into the rest.
            .finish_non_exhaustive()
    }
}
