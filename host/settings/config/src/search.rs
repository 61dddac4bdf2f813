//! How tools are searched: `[search]`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

/// How tools are searched.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SearchConfig {
    /// Whether searches also find what tools mean, where there is a model.
    /// Default: `true`.
    pub meaning: bool,
    /// The file of the model. Default: `ampoule-model.safetensors` beside the program, or in
    /// `share/ampoule` beside the program's folder.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub model: Option<PathBuf>,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            meaning: true,
            model: None,
        }
    }
}
