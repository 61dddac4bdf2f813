//! A client for MCP's conformance suite: `conformance-client URL`, as the suite starts it.
//!
//! It does what Ampoule does with any remote server: finds out how it speaks, lists its tools and
//! calls them. Where the server wants a sign-in, the person is played by an HTTP client that
//! follows the address as a browser does. What is specific to a scenario comes in the suite's
//! variables, and is what an operator configures. A form that the server asks for comes back as it
//! came.

#![expect(clippy::print_stderr, reason = "the suite keeps what a client says")]

mod content;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ampoule_projection::Tool;
use ampoule_sign_in::{Exchange, Grant, Secret, SignIn, SignInOptions, Store, SubjectType};
use ampoule_tools::{Binding, CallError};
use ampoule_upstream::{Authorizer, RemoteServer, Upstream, UpstreamOptions, UpstreamState};
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use url::Url;

use self::content::Content;

/// The document that the suite knows Ampoule's metadata by.
const CLIENT_METADATA: &str = "https://conformance-test.local/client-metadata.json";

/// How often a person signs in at most: a server that is never content gets no further.
const SIGN_INS: usize = 3;

/// For so long after a server wanted a sign-in, Ampoule does not ask it again. People are slower.
const TAKEN_AT_ITS_WORD: Duration = Duration::from_millis(1100);

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let url = std::env::args().nth(1).context("conformance-client URL")?;
    let given = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(context) => serde_json::from_str(&context)?,
        Err(_) => Value::Null,
    };
    let folder = tempfile::tempdir()?;
    let store = Store::in_folder(folder.path().join("sign-in"));
    let options = options(&url, &given, folder.path())?;
    let sign_in = SignIn::new(options, store, reqwest::Client::builder())?;
    let authorizer: Arc<dyn Authorizer> = Arc::new(sign_in.clone());
    let server = RemoteServer::new(&url)?.authorizer(authorizer);
    let upstream = Upstream::remote("conformance", server, UpstreamOptions::default());
    upstream.can_be_answered(Content::abilities());
    let person = Person {
        sign_in,
        upstream: &upstream,
    };
    let used = person.uses(&given).await;
    upstream.stop().await;
    used
}

/// How to sign in, as the scenario configures it.
fn options(url: &str, given: &Value, folder: &Path) -> Result<SignInOptions> {
    let text = |member: &str| given[member].as_str().map(str::to_owned);
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let mut options = SignInOptions::new("conformance", Url::parse(url)?);
    options.client_id = text("client_id");
    options.client_secret = text("client_secret").map(Secret::new);
    options.private_key = text("private_key_pem").map(Secret::new);
    options.client_metadata = Some(Url::parse(CLIENT_METADATA)?);
    if scenario.starts_with("auth/client-credentials") {
        options.grant = Grant::ClientCredentials;
    }
    // What a platform leaves in a file: who a workload is, or whoever is at the machine.
    if let Some(token) = text("valid_jwt").or_else(|| text("idp_id_token")) {
        let file = folder.join("token");
        std::fs::write(&file, token)?;
        options.assertion = Some(file);
        options.grant = Grant::JwtBearer;
    }
    if let Some(issuer) = text("idp_issuer") {
        options.grant = Grant::TokenExchange;
        options.exchange = Some(Exchange {
            client_id: text("idp_client_id"),
            subject: SubjectType::IdToken,
            ..Exchange::at(issuer)
        });
    }
    Ok(options)
}

/// Who uses the server, and signs in where it wants that.
struct Person<'a> {
    sign_in: SignIn,
    upstream: &'a Upstream,
}

impl Person<'_> {
    /// Lists the tools, and calls those that the scenario names, or else all.
    async fn uses(&self, given: &Value) -> Result<()> {
        let mut sign_ins = 0;
        let tools = loop {
            match self.upstream.tools().await {
                Ok(tools) => break tools,
                Err(error) if self.upstream.state() != UpstreamState::NeedsSignIn => bail!(error),
                Err(error) => self.signs_in(&mut sign_ins, &error.to_string()).await?,
            }
        };
        for problem in self.upstream.problems().iter() {
            eprintln!("{problem}");
        }
        let calls: Vec<(String, Map<String, Value>)> = match given["toolCalls"].as_array() {
            Some(calls) => calls.iter().filter_map(named).collect(),
            None => tools
                .iter()
                .map(|tool| (tool.name.clone(), plausible(tool, &tools[0])))
                .collect(),
        };
        for (tool, arguments) in calls {
            loop {
                let called = self
                    .upstream
                    .call(&tool, arguments.clone(), Content::calls(&tool));
                match called.await {
                    Ok(result) => break eprintln!("{tool}: {:?}", result.content),
                    Err(CallError::NeedsSignIn(why)) => self.signs_in(&mut sign_ins, &why).await?,
                    Err(error) => break eprintln!("{tool}: {error}"),
                }
            }
        }
        Ok(())
    }

    /// Does what the command for it does, with a browser that agrees to everything.
    async fn signs_in(&self, sign_ins: &mut usize, why: &str) -> Result<()> {
        eprintln!("{why}");
        *sign_ins += 1;
        if *sign_ins > SIGN_INS {
            bail!("the server wants another sign-in after {SIGN_INS}");
        }
        let login = self.sign_in.begin().await?;
        let address = login.address().clone();
        let browser = tokio::spawn(async move { reqwest::get(address).await?.text().await });
        let (_typed, pasted) = mpsc::channel(1);
        let done = login.finish(pasted, |_| ()).await;
        browser.await??;
        done?;
        tokio::time::sleep(TAKEN_AT_ITS_WORD).await;
        Ok(())
    }
}

/// A call that a scenario names.
fn named(call: &Value) -> Option<(String, Map<String, Value>)> {
    let name = call["name"].as_str()?.to_owned();
    Some((name, call["arguments"].as_object()?.clone()))
}

/// Arguments of the types that a tool names. A schema is the one that came with the first tool.
fn plausible(tool: &Tool, first: &Tool) -> Map<String, Value> {
    let schema = tool.input_schema.parse();
    let properties = schema.get("properties");
    let properties = properties.and_then(Value::as_object).into_iter().flatten();
    let value = |name: &str, schema: &Value| match schema["type"].as_str() {
        Some("object") if name == "schema" => first.input_schema.parse(),
        Some("integer" | "number") => json!(2),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("text"),
    };
    properties
        .map(|(name, schema)| (name.clone(), value(name, schema)))
        .collect()
}
