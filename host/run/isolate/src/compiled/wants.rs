//! What a component asks for: the tools that it imports, and what does not exist.

use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::{ComponentFunc, ComponentItem, Type};

use crate::{imports, wasi};

/// What a component asks for besides what every isolate has.
pub(super) struct Wants {
    pub(super) tools: Vec<WantedTools>,
    /// Whether there is anything of WASI among its imports.
    pub(super) wasi: bool,
    /// Whether there is anything of `wasi:http` among its imports.
    pub(super) http: bool,
    /// By which version it has requests made, if it does.
    pub(super) requests: Option<HttpVersion>,
    /// Whether it waits for calls, and was built before their failures had data.
    pub(super) no_data: bool,
}

/// A version of `wasi:http`, by how its guests wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HttpVersion {
    /// 0.2: by `wasi:io/poll`.
    P2,
    /// 0.3: by functions that are `async`.
    P3,
}

/// The tools of one server.
pub(super) struct WantedTools {
    /// The import's name: `mcp:github/github`.
    pub(super) import: String,
    /// The server's part of it, in kebab case.
    pub(super) server: String,
    /// Their functions, with the types that the component was built against.
    pub(super) functions: Vec<(String, ComponentFunc)>,
}

impl Wants {
    /// # Errors
    ///
    /// What does not exist, a line each, with what would satisfy it.
    pub(super) fn of(engine: &Engine, component: &Component) -> Result<Self, String> {
        let mut tools = Vec::new();
        let (mut wasi, mut http, mut no_data) = (false, false, false);
        let mut requests = None;
        let mut refused = Vec::new();
        for (name, import) in component.component_type().imports(engine) {
            wasi |= name.starts_with("wasi:");
            http |= name.starts_with("wasi:http/");
            match HttpVersion::of(name) {
                Some(version) if requests.is_some_and(|other| other != version) => {
                    refused.push(format!(
                        "`{name}`: a component may import `wasi:http` 0.2 or 0.3, not both"
                    ));
                }
                version => requests = version.or(requests),
            }
            match import.ty {
                ComponentItem::ComponentInstance(instance) => {
                    let items: Vec<_> = instance.exports(engine).collect();
                    let is_type = |item: &ComponentItem| matches!(item, ComponentItem::Type(_));
                    no_data |= name.starts_with("ampoule:guest/calls@")
                        && items.iter().any(|(_, item)| gives_no_data(&item.ty));
                    if let Some(server) = server_of(name) {
                        let functions = items
                            .into_iter()
                            .filter_map(|(name, item)| match item.ty {
                                ComponentItem::ComponentFunc(ty) => Some((name.to_owned(), ty)),
                                _ => None,
                            })
                            .collect();
                        tools.push(WantedTools {
                            import: name.to_owned(),
                            server: server.to_owned(),
                            functions,
                        });
                    } else if !items.iter().all(|(_, item)| is_type(&item.ty)) && !is_here(name) {
                        refused.push(format!("`{name}`: {}", advice(name)));
                    }
                }
                ComponentItem::Type(_) => {}
                _ => refused.push(format!("`{name}`: {}", advice(name))),
            }
        }
        if refused.is_empty() {
            Ok(Self {
                tools,
                wasi,
                http,
                requests,
                no_data,
            })
        } else {
            Err(format!(
                "the component imports what isolates don't have:\n  {}",
                refused.join("\n  ")
            ))
        }
    }
}

impl HttpVersion {
    fn of(import: &str) -> Option<Self> {
        match import.strip_prefix("wasi:http/")? {
            name if name.starts_with("outgoing-handler@0.2.") => Some(Self::P2),
            name if name.starts_with("client@0.3.") => Some(Self::P3),
            _ => None,
        }
    }
}

/// Whether a function gives ended calls whose failures have no data.
fn gives_no_data(item: &ComponentItem) -> bool {
    let ComponentItem::ComponentFunc(function) = item else {
        return false;
    };
    let record = |ty: Type| match ty {
        Type::Record(record) => Some(record),
        _ => None,
    };
    let failure = function.results().next().and_then(|given| {
        let Type::List(completions) = given else {
            return None;
        };
        let completion = record(completions.ty())?;
        let mut fields = completion.fields();
        let outcome = fields.find(|field| field.name == "outcome")?.ty;
        let Type::Result(outcome) = outcome else {
            return None;
        };
        record(outcome.err()?)
    });
    failure.is_some_and(|failure| !failure.fields().any(|field| field.name == "data"))
}

/// The server whose tools an import is.
fn server_of(name: &str) -> Option<&str> {
    let (server, interface) = name.strip_prefix("mcp:")?.split_once('/')?;
    // Components that were built before interfaces had their servers' names import `tools`.
    (interface == server || interface == "tools").then_some(server)
}

/// Whether every isolate has an interface. Of its versions, the linker takes those that are
/// compatible.
fn is_here(name: &str) -> bool {
    let (interface, version) = name.split_once('@').unwrap_or((name, ""));
    wasi::has(interface, version)
        || (imports::INTERFACES.contains(&interface) && version.starts_with("0.1."))
}

/// What would provide this import.
fn advice(name: &str) -> String {
    let (interface, version) = name.split_once('@').unwrap_or((name, "none"));
    let package = interface
        .split_once('/')
        .map_or(interface, |(package, _)| package);
    match package {
        "wasi:tls" => {
            "there is no network in an isolate. Call a server's tool instead, or import `wasi:http`, whose requests `[outbound]` in ampoule.toml allows".to_owned()
        }
        _ if wasi::has_some(interface) => {
            format!("this host has WASI 0.2 and 0.3, and this is version {version}. Build for `wasm32-wasip2` or `wasm32-wasip3`")
        }
        "ampoule:guest" => format!(
            "this host has {} in version 0.1.0; use this host's `ampoule tools generate --lang wit`",
            imports::INTERFACES.join(", ")
        ),
        "mcp" => "the tools of a server are imported as `mcp:<server>/<server>`".to_owned(),
        package if let Some(server) = package.strip_prefix("mcp:") => format!(
            "the tools of a server are imported as `{package}/{server}`; see `ampoule tools generate --lang wit`"
        ),
        package if package.starts_with("wasi:") => {
            "of WASI, isolates have clocks, random, standard output and error, granted folders, and the requests of `wasi:http`. Build without it, or \
             compose the component with one that provides it (`wac plug`)"
                .to_owned()
        }
        _ => "isolates have the tools of granted servers (`mcp:<server>/<server>`), `ampoule:guest` and a part of WASI 0.2 and 0.3. Compose the component with \
              one that provides it (`wac plug`)"
            .to_owned(),
    }
}
