//! `ampoule servers add` and `rm`: a server's entry in `ampoule.toml`.

use std::path::Path;
use std::process::ExitCode;

use ampoule_config::edit::{self, NewServer};
use ampoule_config::{ServerConfig, User};
use ampoule_configured::Server;
use ampoule_tools::Binding;
use ampoule_untrusted::text;
use clap::Args;
use serde_json::json;

use crate::changes::{file, make, read};
use crate::exit::Failure;
use crate::output::Output;
use crate::setup::Setup;
use crate::streams;

/// Adds a server to ampoule.toml: a command, an address, or an HTTP API.
#[derive(Debug, Args)]
pub(super) struct Add {
    /// The server's name in scripts.
    name: String,
    /// The server's program and its arguments, after `--`.
    #[arg(last = true, value_name = "COMMAND", conflicts_with_all = ["url", "openapi"])]
    command: Vec<String>,
    /// An environment variable for the program. The value '${NAME}', in single quotes for the
    /// shell, refers to a variable of Ampoule's environment.
    #[arg(long, value_name = "KEY=VALUE", value_parser = variable, conflicts_with_all = ["url", "openapi"])]
    env: Vec<(String, String)>,
    /// The address of a server over HTTP.
    #[arg(long)]
    url: Option<String>,
    /// The OpenAPI document of an HTTP API, a file or an address: each operation becomes a tool.
    #[arg(long, value_name = "FILE|URL", conflicts_with = "url")]
    openapi: Option<String>,
    /// The address below which the API's paths are. Default: as the document says.
    #[arg(long, value_name = "URL", requires = "openapi")]
    base_url: Option<String>,
    /// A header for every request, with '${NAME}' as in `--env`.
    #[arg(long, value_name = "KEY=VALUE", value_parser = header, conflicts_with = "command")]
    header: Vec<(String, String)>,
    /// The transport. Default: found out by a request.
    #[arg(long, value_parser = ["auto", "http", "sse"], requires = "url")]
    transport: Option<String>,
}

/// Removes a server from ampoule.toml.
#[derive(Debug, Args)]
pub(super) struct Rm {
    /// The server's name.
    name: String,
}

impl Add {
    pub(super) async fn execute(self, setup: &Setup, output: Output) -> Result<ExitCode, Failure> {
        let file = file(setup)?;
        let is_api = self.openapi.is_some();
        let openapi = self.openapi.map(|document| placed(document, &file));
        let server = NewServer {
            command: self.command,
            env: self.env,
            url: self.url,
            openapi: openapi.transpose()?,
            base_url: self.base_url,
            headers: self.header,
            transport: self.transport,
        };
        let added = edit::add(&file, &self.name, &server, &User::here());
        make(&added.map_err(Failure::usage)?, output)?;
        let secrets = server.secrets();
        if !secrets.is_empty() {
            streams::err().warning(format_args!(
                "{} may be secret, and is now in the file; to keep it out, write `${{NAME}}` in single quotes, the name of an environment variable that has the value",
                text::one_line(&secrets.join(", "))
            ));
        }
        let mut config = read(&file)?;
        if let Some(server) = config.servers.remove(&self.name).filter(|_| is_api) {
            describe(&self.name, server, output).await;
        }
        if let Some(problem) = config.disabled.get(&self.name) {
            let name = text::one_line(&self.name);
            streams::err().warning(format_args!("`{name}` can't be used yet: {problem}"));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A document as it stands in the file: what is relative there begins at the file's folder, and here
/// where the command is run.
fn placed(document: String, file: &Path) -> Result<String, Failure> {
    if document.contains("://") || document.starts_with(['$', '~', '/']) {
        return Ok(document);
    }
    let here = std::env::current_dir()?;
    Ok(match file.parent() == Some(&*here) {
        true => document,
        false => here.join(document).to_string_lossy().into_owned(),
    })
}

/// Says how many operations an API has, and what its document asks for, as lines that can be added.
async fn describe(name: &str, server: ServerConfig, output: Output) {
    let shown = text::one_line(name);
    let unusable = |why: &str| {
        streams::err().warning(format_args!("`{shown}` can't be used yet: {why}"));
    };
    let api = match ampoule_configured::server(name.to_owned(), server, None) {
        Ok(Server::Api(api)) => api,
        Ok(Server::Mcp(_) | Server::Graphql(_)) => return,
        Err(why) => return unusable(&why),
    };
    let tools = match api.tools().await {
        Ok(tools) => tools,
        Err(error) => return unusable(&error.message),
    };
    let out = streams::out();
    let problems = api.problems().len();
    let missing = ampoule_configured::missing_credentials(&api);
    if output.as_json {
        let schemes = missing.iter().map(|scheme| &scheme.name);
        let document = json!({
            "server": name, "operations": tools.len(), "problems": problems,
            "missingCredentials": schemes.collect::<Vec<_>>(),
        });
        return out.json(&document.to_string());
    }
    out.line(format_args!("{shown}: {} operations", tools.len()));
    if problems > 0 {
        out.line(format_args!(
            "{problems} problems of the document; `ampoule doctor {shown}` shows them"
        ));
    }
    if missing.is_empty() {
        return;
    }
    out.line(format_args!(
        "The document asks for credentials. Add those that you have to ampoule.toml:\n\n[servers.{}.credentials]",
        key(name)
    ));
    for scheme in missing {
        let variable = format!("{name}_{}", scheme.name);
        let plain = |c: char| match c.is_ascii_alphanumeric() {
            true => c.to_ascii_uppercase(),
            false => '_',
        };
        let variable: String = variable.chars().map(plain).collect();
        out.line(format_args!(
            "{} = \"${{{variable}}}\" # {}",
            key(&scheme.name),
            scheme.what
        ));
    }
}

/// A key of TOML.
fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => serde_json::Value::from(&*text::one_line(name)).to_string(),
    }
}

impl Rm {
    pub(super) fn execute(self, setup: &Setup, output: Output) -> Result<ExitCode, Failure> {
        let file = file(setup)?;
        let name = text::one_line(&self.name);
        if file.exists()
            && let Some(server) = read(&file)?.servers.get(&self.name)
            && let Some(origin) = &server.origin
        {
            return Err(Failure::usage(format!(
                "`{name}` is imported from {origin}; remove it there, or disable it: `disabled = true` below `[servers.{name}]`"
            )));
        }
        let removed = edit::remove(&file, &self.name);
        make(&removed.map_err(Failure::usage)?, output)
    }
}

fn variable(text: &str) -> Result<(String, String), String> {
    pair(text, &['='])
}

/// As in a request, too.
fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = pair(text, &['=', ':'])?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn pair(text: &str, signs: &[char]) -> Result<(String, String), String> {
    match text.split_once(signs) {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write KEY=VALUE".to_owned()),
    }
}
