//! The console of `ampoule serve --http`: `[console]`.

use schemars::JsonSchema;
use serde::Deserialize;

/// The console of `ampoule serve --http`, at `/console`, and its HTTP API, at `/api/v1`. The table
/// turns them on. Principals see what is theirs; operators see everything, and change it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConsoleConfig {
    /// The principals who are operators, by name. Default: nobody.
    pub operators: Vec<String>,
    /// Groups whose members are operators, as the principals' sign-in has them. Default: no group.
    pub operator_groups: Vec<String>,
}
