//! Servers, tools and toolkits.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

/// A server, as the list shows it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerRow {
    /// Its name.
    pub name: String,
    /// `ready`, `not-started`, `starting`, `waiting`, `needs-sign-in`, `failed` or `disabled`.
    pub state: String,
    /// How many tools are known.
    #[serde(rename = "toolCount", skip_serializing_if = "Option::is_none")]
    pub tools: Option<u64>,
    /// What is wrong, and how to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A server, with its tools.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerDetail {
    /// The row of the list.
    #[serde(flatten)]
    pub row: ServerRow,
    /// The known tools.
    pub tools: Vec<ToolRow>,
    /// The problems of its list, a sentence each.
    pub problems: Vec<String>,
    /// Whether the viewer may restart it.
    pub can_restart: bool,
    /// The sign-in that the viewer's calls use; absent where nobody signs in by hand. The host's is shown
    /// to operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<ServerSignIn>,
}

/// A sign-in to a server.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerSignIn {
    /// `own`: the viewer's; `shared`: the host's, which all calls use.
    pub whose: String,
    /// Whether somebody is signed in.
    pub signed_in: bool,
    /// Who signed in, where the server tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// The authorization server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// When the token ends, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Whether the token is renewed then, without anybody being asked.
    pub renewed: bool,
    /// What was granted.
    pub scopes: Vec<String>,
    /// Whether the viewer can sign in and out.
    pub can_change: bool,
}

/// Where a browser signs in.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignInAddress {
    /// The address to open, once. The person who opens it signs in for the viewer.
    pub address: String,
}

/// The tools that are wanted.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ToolFilter {
    /// What the tools do, in a few words. Default: all tools.
    pub query: Option<String>,
    /// Only tools of this server.
    pub server: Option<String>,
}

/// A tool, as the list shows it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolRow {
    /// `server.tool`, as scripts call it.
    pub name: String,
    /// The server's name.
    pub server: String,
    /// The server's own name of the tool.
    pub tool: String,
    /// What it does, in a line.
    pub description: String,
}

/// A tool, with its declarations.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolDetail {
    /// The row of the list.
    #[serde(flatten)]
    pub row: ToolRow,
    /// The declaration in TypeScript.
    pub typescript: String,
    /// The stub in Python.
    pub python: String,
    /// The package in WIT.
    pub wit: String,
    /// The JSON Schema of its arguments: a page makes a form of it.
    pub input_schema: Value,
    /// The JSON Schema of its result, if the server gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// The definition, as the server gave it.
    pub definition: Value,
}

/// The arguments of a call.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CallRequest {
    /// The arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

/// A toolkit.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolkitRow {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The patterns of its tools.
    pub tools: Vec<String>,
}
