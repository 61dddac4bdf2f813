//! Checking a program before anything of it runs: the calls that are written in it are judged by
//! the host, and its mistakes are an error as they would be at run time.

use std::mem::take;

use rquickjs::Ctx;
use rustc_hash::FxHashMap;

use crate::bindings::exports::ampoule::guest::script::{Location, Thrown};
use crate::brief;
use crate::host::{self, Mistake, MistakeKind, WrittenCall};
use crate::modules::{self, Target};
use crate::program::is_defined;
use crate::session::Session;
use crate::source::{self, Arguments, Call, Callee, Origin, Prepared, Read};
use crate::thrown::{self, UnawaitedCall};
use crate::tools;

/// How many mistakes are shown at once.
const MISTAKES: usize = 10;

/// How long the text of an expression may be that is shown, in bytes.
const SHOWN_BYTES: usize = 60;

/// What is said of a program with mistakes.
const NOTHING_CALLED: &str = "Nothing was called: the script was checked before it ran.";

/// Whether programs ask any object for a name.
fn is_common(name: &str) -> bool {
    matches!(
        name,
        "$$typeof"
            | "__esModule"
            | "asymmetricMatch"
            | "catch"
            | "constructor"
            | "default"
            | "finally"
            | "hasOwnProperty"
            | "inspect"
            | "isPrototypeOf"
            | "length"
            | "name"
            | "nodeType"
            | "propertyIsEnumerable"
            | "prototype"
            | "then"
            | "toJSON"
            | "toLocaleString"
            | "toString"
            | "valueOf"
    )
}

/// Names by which scripts reach servers, where no program of the session has declared them.
const SURFACES: [&str; 4] = ["callMCPTool", "callTool", "codemode", "tools"];

/// A mistake, as it is shown.
struct Diagnostic {
    /// Where it is, in the source as written.
    at: u32,
    /// The class of the error.
    name: &'static str,
    message: String,
}

/// A tool as the host is asked for it.
struct ToolQuery {
    server: Option<String>,
    tool: String,
    /// Whether a name that means nothing is a mistake.
    is_told: bool,
}

/// What a name of a call means.
enum Meaning {
    Tool(ToolQuery),
    Mistake(String),
    /// It is not a tool's for certain.
    Other,
}

/// The error that a program with mistakes ends with.
pub(crate) fn mistakes(
    ctx: &Ctx<'_>,
    name: &str,
    source: &str,
    prepared: &mut Prepared,
) -> Option<Thrown> {
    let written = take(&mut prepared.written);
    if written.calls.is_empty() {
        return None;
    }
    let _brief = brief::begin();
    let lasts = Session::of(ctx).lasting.borrow().is_some();
    if lasts && SURFACES.iter().any(|name| is_of_session(ctx, name)) {
        return None;
    }
    // What is not in this source may catch errors, end the run, and change what answers and names hold.
    let has_others = prepared
        .imports
        .iter()
        .any(|import| modules::origin(ctx, name, &import.specifier) == Origin::Program)
        || lasts && prepared.free.iter().any(|name| is_of_session(ctx, name));
    let may_catch = written.may_catch || has_others;
    let mut servers = Servers::default();
    let mut found = Vec::new();
    let (mut asked, mut calls) = (
        Vec::with_capacity(written.calls.len()),
        Vec::with_capacity(written.calls.len()),
    );
    for mut call in written.calls {
        if may_catch && call.indirect {
            continue;
        }
        call.conditional |= has_others;
        match servers.meaning(ctx, name, &mut call) {
            Meaning::Tool(query) => {
                calls.push(written_call(&mut call, query, has_others));
                asked.push(call);
            }
            Meaning::Mistake(message) if !call.conditional => found.push(Diagnostic {
                at: call.at,
                name: "ReferenceError",
                message,
            }),
            Meaning::Mistake(_) | Meaning::Other => {}
        }
    }
    if !calls.is_empty() {
        let mistakes = host::check(&calls);
        for (place, (call, written)) in asked.iter().zip(&calls).enumerate() {
            let named = |it: &&Mistake| it.call as usize == place && it.kind == MistakeKind::Name;
            if !mistakes.iter().any(|it| named(&it)) {
                found.extend(of_promise(source, call, written));
            }
        }
        found.extend(mistakes.into_iter().filter_map(|mistake| {
            let call = asked.get(mistake.call as usize)?;
            judged(source, call, mistake)
        }));
    }
    if found.is_empty() {
        return None;
    }
    found.sort_by_key(|mistake| mistake.at);
    found.truncate(MISTAKES);
    Some(error(name, source, &found))
}

fn is_of_session(ctx: &Ctx<'_>, name: &str) -> bool {
    let session = Session::of(ctx);
    let lasting = session.lasting.borrow();
    lasting.as_ref().is_some_and(|it| it.declares(name))
}

/// A call for the host, which gets its arguments and what is read.
fn written_call(call: &mut Call, query: ToolQuery, has_others: bool) -> WrittenCall {
    let arguments = call.arguments.take();
    let arguments = arguments.filter(|_| !(has_others && call.has_names));
    let is_known = arguments.is_some();
    let Arguments {
        json,
        unknown,
        open,
    } = arguments.unwrap_or_default();
    let reads = call.reads.iter_mut().filter(|_| !has_others);
    WrittenCall {
        server: query.server,
        tool: query.tool,
        arguments: is_known.then_some(json),
        positional: 0,
        unknown,
        open,
        conditional: call.conditional || !query.is_told,
        reads: reads.map(|read| take(&mut read.pointer)).collect(),
    }
}

/// What the host says of a call.
fn judged(source: &str, call: &Call, mistake: Mistake) -> Option<Diagnostic> {
    let message = mistake.message;
    Some(match mistake.kind {
        MistakeKind::Name => Diagnostic {
            at: call.at,
            name: "ReferenceError",
            message,
        },
        MistakeKind::Arguments => {
            let tool = mistake.tool?;
            Diagnostic {
                at: call.at,
                name: "ToolError",
                message: format!("{}.{}: {message}", tool.server, tool.tool),
            }
        }
        MistakeKind::Answer => {
            let read = call.reads.get(mistake.read? as usize)?;
            Diagnostic {
                at: read.at,
                name: "TypeError",
                message: format!("`{}` {message}", subject(source, read)),
            }
        }
    })
}

/// What is read of the promise of a call, of a tool that is there.
fn of_promise(source: &str, call: &Call, written: &WrittenCall) -> Option<Diagnostic> {
    let read = call.of_promise.first().filter(|_| !written.conditional)?;
    let tool = host::tools::resolve(written.server.as_deref(), &written.tool).ok()?;
    let tool = host::tools::name_of(tool);
    let line = source::place(source, call.at as usize).line;
    let unawaited = UnawaitedCall::written(
        format!("{}.{}", tool.server, tool.tool),
        line,
        callee_of(source, call),
        is_behind_await(source, call),
    );
    Some(Diagnostic {
        at: read.at,
        name: "TypeError",
        message: format!(
            "{} was not awaited, so it has no `{}` yet: write {}",
            unawaited.name(1),
            read.name,
            unawaited.awaited()
        ),
    })
}

/// Whether `await` stands before a call, and takes what follows as well.
fn is_behind_await(source: &str, call: &Call) -> bool {
    let before = source.get(..call.written.start as usize);
    before.is_some_and(|text| text.trim_end().ends_with("await"))
}

/// What a property is read of, as the source has it, if that is short.
fn subject<'s>(source: &'s str, read: &Read) -> &'s str {
    let text = source.get(read.subject.start as usize..read.subject.end as usize);
    text.filter(|text| text.len() <= SHOWN_BYTES && !text.contains('\n'))
        .unwrap_or("the answer")
}

/// What a call calls, as the source has it.
fn callee_of(source: &str, call: &Call) -> String {
    let text = source.get(call.written.start as usize..call.written.end as usize);
    text.unwrap_or_default().to_owned()
}

/// The error that shows mistakes.
fn error(name: &str, source: &str, found: &[Diagnostic]) -> Thrown {
    let first = &found[0];
    let message = match found {
        [only] => format!("{}\n{NOTHING_CALLED}", only.message),
        _ => {
            let mut text = format!("The script has {} mistakes:", found.len());
            for mistake in found {
                let place = source::place(source, mistake.at as usize);
                text += &format!(
                    "\nline {}, column {}: {}: {}",
                    place.line, place.column, mistake.name, mistake.message
                );
            }
            format!("{text}\n{NOTHING_CALLED}")
        }
    };
    let place = source::place(source, first.at as usize);
    let location = Location {
        module: name.to_owned(),
        line: place.line,
        column: place.column,
        text: place.text,
    };
    thrown::before_running(first.name, message, location)
}

/// The servers that names mean, each asked for once.
#[derive(Default)]
struct Servers {
    known: FxHashMap<String, Option<String>>,
    /// The global names that calls are of, and whether each is something else than a server.
    own: FxHashMap<String, bool>,
}

impl Servers {
    /// The configured name of the server that is meant, if it is one. It takes the name's place: most
    /// are as long.
    fn taken(&mut self, name: &mut String) -> Option<String> {
        if let Some(Some(known)) = self.known.get(&*name) {
            known.clone_into(name);
            return Some(take(name));
        }
        self.of(name)
    }

    /// The configured name of the server that is meant, if it is one.
    fn of(&mut self, name: &str) -> Option<String> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let server = host::tools::server_name(name).ok();
        self.known.insert(name.to_owned(), server.clone());
        server
    }

    /// Whether a global name is something else than a server.
    fn is_own(&mut self, ctx: &Ctx<'_>, name: &str, server: Option<&str>) -> bool {
        if let Some(own) = self.own.get(name) {
            return *own;
        }
        let own = is_of_session(ctx, name) || is_defined(ctx, name, server);
        self.own.insert(name.to_owned(), own);
        own
    }

    fn meaning(&mut self, ctx: &Ctx<'_>, importer: &str, call: &mut Call) -> Meaning {
        match &mut call.callee {
            Callee::Global { server, tool } => {
                let meant = self.of(server);
                match meant {
                    _ if self.is_own(ctx, server, meant.as_deref()) => Meaning::Other,
                    Some(name) => tool_of(name, take(tool)),
                    None => Meaning::Mistake(thrown::undefined(server)),
                }
            }
            Callee::Member { server, tool } => match self.taken(server) {
                Some(name) => tool_of(name, take(tool)),
                None if tools::is_function(server) || is_common(server) => Meaning::Other,
                None if call.conditional => Meaning::Other,
                // A tool's name alone, or that of several.
                None => match (
                    host::tools::resolve(None, server),
                    tools::named_server(server),
                ) {
                    (Err(of_tools), Err(of_servers)) if of_tools.near.len() < 2 => {
                        Meaning::Mistake(of_servers.message)
                    }
                    _ => Meaning::Other,
                },
            },
            Callee::Account {
                server,
                account,
                tool,
            } => {
                let name = format!("{server}@{account}");
                match self.of(&name) {
                    Some(name) => tool_of(name, take(tool)),
                    None if call.conditional => Meaning::Other,
                    None => match tools::named_server(&name) {
                        Err(unknown) => Meaning::Mistake(unknown.message),
                        Ok(_) => Meaning::Other,
                    },
                }
            }
            Callee::Named {
                server: None,
                tool,
                is_told: false,
            } if tools::is_function(tool) => Meaning::Other,
            Callee::Named {
                server,
                tool,
                is_told,
            } => {
                let server = match server {
                    Some(server) => match self.of(server) {
                        Some(server) => Some(server),
                        None => return Meaning::Other,
                    },
                    None => None,
                };
                Meaning::Tool(ToolQuery {
                    server,
                    tool: take(tool),
                    is_told: *is_told,
                })
            }
            Callee::Import {
                specifier,
                name,
                tool,
            } => {
                let target = modules::target(ctx, importer, specifier);
                let (name, tool) = (name.as_deref(), tool.as_deref());
                target.map_or(Meaning::Other, |target| imported(&target, name, tool))
            }
        }
    }
}

fn tool_of(server: String, tool: String) -> Meaning {
    match is_common(&tool) {
        true => Meaning::Other,
        false => Meaning::Tool(ToolQuery {
            server: Some(server),
            tool,
            is_told: true,
        }),
    }
}

/// The tool that is meant by what a module exports, or by a member of that.
fn imported(target: &Target, name: Option<&str>, tool: Option<&str>) -> Meaning {
    let is_whole = matches!(name, None | Some("default"));
    let meant = match (target, tool) {
        (Target::Server(server), Some(tool)) if is_whole => Some((server.clone(), tool)),
        (Target::Server(server) | Target::Beside(server), None) if !is_whole => {
            name.map(|name| (server.clone(), name))
        }
        (Target::Tool(server, tool), None) if name == Some("default") => {
            Some((server.clone(), tool.as_str()))
        }
        (Target::Tool(server, _), None) => name.map(|name| (server.clone(), name)),
        (Target::Servers, Some(tool)) if !is_whole => name
            .and_then(|name| host::tools::server_name(name).ok())
            .map(|server| (server, tool)),
        _ => None,
    };
    // Names that are imported were looked for already.
    match meant {
        Some((server, tool)) => tool_of(server, tool.to_owned()),
        None => Meaning::Other,
    }
}
