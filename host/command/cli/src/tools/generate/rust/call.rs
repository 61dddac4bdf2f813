//! Which tool the program calls: one that does no harm and asks for little.

use ampoule_effort::Effort;
use ampoule_projection::wit::{Package, Shape, Signature};
use ampoule_projection::{Idiom, Interface, Tool, doc, names};
use ampoule_tools::ArgumentCheck;
use ampoule_values::PackageValues as _;
use serde_json::Map;

use super::expression::{Expression, function};
use crate::tools::sample::{self, Sample};

/// The most memory that the sample arguments may take as values, in bytes.
const ARGUMENT_BYTES: u64 = 1 << 20;

/// Verbs, and whether they only read. The first one in a tool's name counts.
const VERBS: [(&str, bool); 27] = [
    ("check", true),
    ("count", true),
    ("current", true),
    ("describe", true),
    ("fetch", true),
    ("find", true),
    ("get", true),
    ("list", true),
    ("query", true),
    ("read", true),
    ("search", true),
    ("show", true),
    ("status", true),
    ("view", true),
    ("add", false),
    ("clear", false),
    ("close", false),
    ("create", false),
    ("delete", false),
    ("drop", false),
    ("insert", false),
    ("move", false),
    ("remove", false),
    ("send", false),
    ("set", false),
    ("update", false),
    ("write", false),
];

/// The call of a tool with some arguments, in Rust.
pub(super) struct Call {
    /// The server's module, and the function in `tools`.
    server: String,
    function: String,
    said: String,
    arguments: Option<String>,
    answer: Answer,
}

/// What a tool gives.
enum Answer {
    /// A value of a type of its own.
    Typed,
    /// JSON already.
    Json,
    /// Content blocks.
    Content,
}

/// How little there is against calling a tool, least first.
type Rank = (Effect, bool, usize, usize, usize);

/// What a call may do, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    SaidToRead,
    NamedToRead,
    Unknown,
    Writes,
    Destroys,
}

/// A server's tools, and the package that has them.
pub(super) struct PackagedServer<'t> {
    pub(super) package: Package,
    pub(super) tools: Vec<&'t Tool>,
}

/// The call to begin with, of any of these tools.
pub(super) fn choose(servers: &[PackagedServer<'_>]) -> Option<Call> {
    let candidates = servers
        .iter()
        .flat_map(|PackagedServer { package, tools }| {
            tools
                .iter()
                .filter_map(move |tool| candidate(package, tool))
        });
    let best = candidates.min_by_key(|(rank, _)| *rank);
    best.map(|(_, call)| call)
}

fn candidate(package: &Package, tool: &Tool) -> Option<(Rank, Call)> {
    let signature = package
        .functions
        .iter()
        .find(|function| function.tool == tool.name)?;
    let Sample { value, invented } = sample::of(&Interface::of([tool]))?;
    let values = package
        .parameters(signature, &value.to_string(), ARGUMENT_BYTES)
        .ok()?;
    let arguments = match (&signature.arguments, values.first()) {
        (Some(shape), Some(value)) => {
            let module = function(&package.server);
            Some(Expression::new(package, &module).of(shape, value, BODY)?)
        }
        _ => None,
    };
    let checked = ArgumentCheck::new(tool).check(&value, Idiom::default(), &Effort::default());
    let refused = checked.is_ok_and(|fits| fits.is_err());
    let stated = value.as_object().map_or(0, Map::len);
    let lines = arguments.as_ref().map_or(0, |text| text.lines().count());
    let rank = (effect(tool), refused, invented, stated, lines);
    Some((rank, Call::new(package, signature, tool, arguments)))
}

fn effect(tool: &Tool) -> Effect {
    let hints = tool.annotations;
    let verb = names::words(&tool.name).into_iter().find_map(|word| {
        let known = VERBS.iter().find(|(verb, _)| *verb == word);
        known.map(|(_, reads)| *reads)
    });
    match (hints.read_only, hints.destructive, verb) {
        (Some(true), ..) => Effect::SaidToRead,
        (_, Some(true), _) => Effect::Destroys,
        (None, _, Some(true)) => Effect::NamedToRead,
        (Some(false), _, _) | (_, _, Some(false)) => Effect::Writes,
        (None, _, None) => Effect::Unknown,
    }
}

/// How far the body of the program is indented.
const BODY: usize = 2;

impl Call {
    fn new(
        package: &Package,
        signature: &Signature,
        tool: &Tool,
        arguments: Option<String>,
    ) -> Self {
        let text = tool.description.as_ref().or(tool.title.as_ref());
        Self {
            server: function(&package.server),
            function: function(&signature.name),
            said: text.map_or_else(String::new, |text| doc::first_sentence(text)),
            arguments,
            answer: match signature.result {
                Some(Shape::Json) => Answer::Json,
                Some(_) => Answer::Typed,
                None => Answer::Content,
            },
        }
    }

    /// What the program needs for the call.
    pub(super) fn uses(&self) -> String {
        let content = match self.answer {
            Answer::Content => "use ampoule::guest::values::Content;\n",
            Answer::Typed | Answer::Json => "",
        };
        format!("{content}use mcp::{0}::{0};\n\n", self.server)
    }

    /// The statements: the call, and the program's result.
    pub(super) fn body(&self) -> String {
        let mut body = String::new();
        if !self.said.is_empty() {
            body += &format!("        // {}.\n", self.said);
        }
        if let Some(arguments) = &self.arguments {
            body += &format!("        let arguments = {arguments};\n");
        }
        let passed = if self.arguments.is_some() {
            "arguments"
        } else {
            ""
        };
        body += &format!(
            "        let answered = {}::{}({passed}).await;\n        let answer = answered.map_err(|error| error.message)?;\n",
            self.server, self.function
        );
        body += match self.answer {
            Answer::Json => "        Ok(answer)\n",
            Answer::Typed => WRITE_ANSWER,
            Answer::Content => WRITE_TEXTS,
        };
        body
    }
}

const WRITE_ANSWER: &str =
    "        serde_json::to_string(&answer).map_err(|error| error.to_string())
";

const WRITE_TEXTS: &str = "        // The answer's text, without pictures and other parts.
        let mut text = String::new();
        for part in answer {
            if let Content::Text(part) = part {
                text += &part;
            }
        }
        serde_json::to_string(&text).map_err(|error| error.to_string())
";
