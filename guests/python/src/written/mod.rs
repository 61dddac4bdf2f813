//! What a script writes, before anything of it runs: the calls of tools that its text proves, for
//! the host to judge.
//!
//! CPython makes its tree while it compiles; this keeps it, and looks at it where the script may call
//! tools. A source that is compiled in parts is one script.
//!
//! - [`kept`]: the trees, until they are looked at
//! - [`tree`]: CPython's tree in memory
//! - [`walk`]: the walk through it, which notes [`facts`] of [`names`]
//! - [`check`]: a script by which the tree is recognised
//! - [`judge`]: what of these is proved; [`reaching`]: by functions; [`arguments`]: of a call's
//!   arguments

mod arguments;
mod check;
mod facts;
mod judge;
mod kept;
mod names;
mod reaching;
mod tree;
mod walk;

use std::cell::RefCell;
use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::bindings::ampoule::guest::checks::{MistakeKind, WrittenCall};
use crate::brief;
use crate::host;
use facts::{Facts, ReadKind, TOP};
use judge::{Judge, Proved, Root};
use walk::Walk;

thread_local! {
    /// What is noted of the script that was compiled.
    static FACTS: RefCell<Option<Box<Facts>>> = const { RefCell::new(None) };
}

/// Keeps the trees of what is compiled from now on, as one script.
pub(crate) fn begin() {
    kept::begin();
    FACTS.take();
}

/// Forgets what was noted.
pub(crate) fn end() {
    kept::end();
    FACTS.take();
}

/// Keeps a tree that is compiled, if somebody asked for it.
///
/// # Safety
///
/// It is CPython's tree of a whole module.
pub(crate) unsafe fn keep(tree: *const ()) {
    kept::keep(tree);
}

/// What the trees say that were kept; nothing if one of them was not.
fn look() -> Option<Box<Facts>> {
    let mut facts = None;
    let are_all = kept::each(|tree| {
        let facts = facts.get_or_insert_with(|| Box::new(Facts::new()));
        // SAFETY: whoever gave it to be kept said so, and its arena is there.
        let body = unsafe { tree::module(tree) };
        Walk::new(facts).module(body);
    });
    facts.filter(|_| are_all)
}

/// Whether CPython's tree is what this module was written for: a script that has most kinds of
/// nodes is compiled, and what is noted of it compared.
pub(crate) fn check(py: Python<'_>) {
    begin();
    let compiled = crate::globals::compiled(|| {
        let builtins = py.import("builtins")?;
        builtins.call_method1("compile", (check::SCRIPT, "check", "exec", check::FLAGS))
    });
    compiled.expect("it is code");
    let facts = look().expect("it was compiled, and its tree was kept");
    let roots = BTreeMap::from([("tools".to_owned(), Root::Tools)]);
    let mut proved = Judge::new(&facts, &roots).proved();
    let noted: Vec<String> = proved
        .iter_mut()
        .map(|of| format!("{:?}", written(of)))
        .collect();
    assert_eq!(
        check::shown(&facts, &noted),
        check::NOTED,
        "CPython's tree is another one"
    );
}

/// The names that a script calls something of, and does not bind itself. None where nothing is to
/// be judged.
pub(crate) fn roots() -> Vec<String> {
    let _brief = brief::begin();
    let facts = look();
    let facts = facts.filter(|it| !it.is_opaque && !it.calls.is_empty() && !it.hides_built_in());
    let roots = facts.as_ref().map(|facts| facts.free_roots());
    FACTS.set(facts);
    roots.unwrap_or_default()
}

/// What is wrong with a call, for the Python half to tell.
#[derive(IntoPyObject)]
pub(crate) struct Mistake {
    /// `name`, `arguments`, `answer` or `early`: the call is read, and was not awaited.
    kind: &'static str,
    message: String,
    server: String,
    tool: String,
    /// The tool's names in the catalog.
    found: Option<(String, String)>,
    line: u32,
    offset: u32,
    /// The line of the call.
    call_line: u32,
    /// The keys of the one dict that the arguments are.
    keys: Option<Vec<String>>,
    /// The name that is read, whether as an attribute, and where what it is read of ends: its line
    /// and the byte in it.
    read: Option<(String, bool, u32, u32)>,
}

/// Judges the script that was compiled. `roots` says what its names stand for, each with a server
/// unless it is all of them, and whether it is a bridge's; `held` has the names that it finds.
pub(crate) fn judge(
    roots: Vec<(String, Option<String>, bool)>,
    held: &Bound<'_, PyDict>,
) -> Vec<Mistake> {
    let _brief = brief::begin();
    let Some(mut facts) = FACTS.take() else {
        return Vec::new();
    };
    // What an earlier script of the session left under a name may be what it stands for.
    let tops: Vec<_> = facts
        .bindings
        .keys()
        .filter(|(_, scope)| *scope == TOP)
        .map(|(name, _)| *name)
        .collect();
    for name in tops {
        if held.contains(facts.text(name)).unwrap_or(true) {
            facts.declared.insert(name);
        }
    }
    let root = |(name, server, is_proxy): (String, Option<String>, bool)| {
        let root = match server {
            None => Root::Tools,
            Some(server) if is_proxy => Root::Proxy(server),
            Some(server) => Root::Server(server),
        };
        (name, root)
    };
    let roots: BTreeMap<_, _> = roots.into_iter().map(root).collect();
    let judge = Judge::new(&facts, &roots);
    if !judge.has_tools() {
        return Vec::new();
    }
    let mut proved = judge.proved();
    if proved.is_empty() {
        return Vec::new();
    }
    let calls: Vec<WrittenCall> = proved.iter_mut().map(written).collect();
    let judged = host::check(&calls);
    let mut mistakes: Vec<Mistake> = Vec::new();
    for mistake in judged {
        let of = &proved[mistake.call as usize];
        if of.is_imported && mistake.kind == MistakeKind::Name {
            continue;
        }
        let call = &facts.calls[of.call];
        let read = mistake.read.map(|read| of.reads[read as usize].1);
        let (kind, place) = match mistake.kind {
            MistakeKind::Name => ("name", call.at),
            MistakeKind::Arguments => ("arguments", call.place),
            MistakeKind::Answer => ("answer", call.at),
        };
        mistakes.push(Mistake {
            message: mistake.message,
            found: mistake.tool.map(|tool| (tool.server, tool.tool)),
            ..Mistake::of(kind, &facts, of, read, place)
        });
    }
    for of in proved.iter().filter(|of| !of.is_conditional) {
        let place = facts.calls[of.call].at;
        let early = of.too_early.iter();
        mistakes.extend(early.map(|read| Mistake::of("early", &facts, of, Some(*read), place)));
    }
    mistakes.sort_by_key(|mistake| (mistake.line, mistake.offset));
    mistakes
}

impl Mistake {
    /// A mistake of a call, or of what is read of it.
    fn of(
        kind: &'static str,
        facts: &Facts,
        of: &Proved<'_>,
        read: Option<usize>,
        place: facts::Place,
    ) -> Self {
        let read = read.map(|read| &facts.reads[read]);
        let (line, offset) = read.map_or(place, |read| read.place);
        let name = |read: &facts::Read| {
            let last = read.flow.path.tokens().last();
            last.map_or_else(String::new, |last| facts.text(*last).to_owned())
        };
        let keys = of.arguments.as_ref().and_then(|known| known.keys.as_ref());
        let keys = keys.map(|keys| keys.iter().map(|key| (*key).to_owned()).collect());
        Self {
            kind,
            message: String::new(),
            server: of.server.to_owned(),
            tool: of.tool.to_owned(),
            found: None,
            line,
            offset,
            call_line: facts.calls[of.call].at.0,
            keys,
            read: read.map(|read| {
                let (line, offset) = read.end;
                (name(read), read.kind != ReadKind::Key, line, offset)
            }),
        }
    }
}

fn written(of: &mut Proved<'_>) -> WrittenCall {
    let mut call = WrittenCall {
        server: Some(of.server.to_owned()),
        tool: of.tool.to_owned(),
        arguments: None,
        positional: 0,
        unknown: Vec::new(),
        open: Vec::new(),
        conditional: of.is_conditional,
        reads: of
            .reads
            .iter()
            .map(|(pointer, _)| pointer.clone())
            .collect(),
    };
    if let Some(arguments) = &mut of.arguments {
        let document = std::mem::take(&mut arguments.document);
        call.arguments = Some(document.json);
        call.unknown = document.unknown;
        call.open = document.open;
        call.positional = arguments.positional;
    }
    call
}
