//! The walk through a script's tree. Each node is looked at once.
//!
//! - [`statements`], [`imports`], [`targets`], [`expressions`], [`calls`]: what is noted of each
//! - [`values`]: arguments that are written in the script

mod calls;
mod expressions;
mod imports;
mod statements;
mod targets;
mod values;

use pyo3::ffi;

pub(super) use values::quote;

use super::facts::{
    Base, Bound, Decision, Escape, Facts, Flow, Frame, Scope, ScopeFacts, Site, TOP,
};
use super::names::{ATTRIBUTE, KEY, Name, Roles, VARIABLE};
use super::tree::{Items, Object, Statement};

/// How deep a tree may nest, and how many values of literals are noted. More is left alone.
const DEPTH: u32 = 300;
const VALUES: usize = 4_000;

/// How many names are found by their addresses.
const RECENT: usize = 64;

/// Whether others can be reached or changed by a name, so that what the script writes proves
/// nothing.
#[inline(never)]
fn is_opaque(name: &str) -> bool {
    matches!(
        name,
        "__main__"
            | "gc"
            | "inspect"
            | "runpy"
            | "globals"
            | "locals"
            | "vars"
            | "exec"
            | "eval"
            | "compile"
            | "setattr"
            | "delattr"
            | "builtins"
            | "unittest"
            | "__builtins__"
            | "__import__"
            | "__import_all__"
    )
}

/// The same of an attribute.
#[inline(never)]
fn is_opaque_attribute(name: &str) -> bool {
    matches!(
        name,
        "__builtins__"
            | "__dict__"
            | "__globals__"
            | "__code__"
            | "__closure__"
            | "__setattr__"
            | "__delattr__"
            | "_getframe"
            | "f_back"
            | "f_builtins"
            | "f_globals"
            | "f_locals"
            | "cell_contents"
            | "import_module"
            | "modules"
            | "currentframe"
            | "settrace"
            | "setprofile"
    )
}

/// Whether a name is that of what ends a script well.
#[inline(never)]
fn is_exit(name: &str) -> bool {
    matches!(
        name,
        "exit" | "quit" | "_exit" | "SystemExit" | "KeyboardInterrupt" | "abort"
    )
}

/// Where a value goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goes {
    /// Nowhere: it is looked at.
    Nowhere,
    /// Somewhere, where it may be changed.
    Away,
    /// To what is called, by the call's place: a tool changes nothing.
    To(usize),
}

/// How a block of statements may be left before its end.
#[derive(Clone, Copy, Default)]
struct Leaves {
    scope: bool,
    iteration: bool,
}

impl Leaves {
    fn or(self, other: Self) -> Self {
        Self {
            scope: self.scope || other.scope,
            iteration: self.iteration || other.iteration,
        }
    }

    fn any(self) -> bool {
        self.scope || self.iteration
    }
}

/// A walk through one tree.
pub(super) struct Walk<'f> {
    facts: &'f mut Facts,
    site: Site,
    depth: u32,
    /// How many values of literals may still be noted.
    room: usize,
    /// Names that were numbered lately, by the addresses of their strings: the tree holds these.
    recent: [(usize, Name); RECENT],
    /// The names of comprehensions around, with what they hold.
    inner: Vec<(Name, Option<Flow>)>,
}

impl<'f> Walk<'f> {
    pub(super) fn new(facts: &'f mut Facts) -> Self {
        Self {
            facts,
            site: Site {
                scope: TOP,
                frame: TOP,
                is_caught: false,
            },
            depth: 0,
            room: VALUES,
            recent: [(0, 0); RECENT],
            inner: Vec::new(),
        }
    }

    /// Walks through a script's statements.
    pub(super) fn module(&mut self, body: Items<'_, Statement<'_>>) {
        self.block(body);
    }

    /// The number of a name, and whether it has this role for the first time.
    fn number(&mut self, of: Object<'_>, role: Roles) -> (Name, bool) {
        let address = of.pointer() as usize;
        let place = address / size_of::<[usize; 4]>() % RECENT;
        let (known, name) = self.recent[place];
        if known == address {
            return (name, self.facts.names.is_first(name, role));
        }
        let (name, is_first) = self.facts.names.number(of.text(), of.hash(), role);
        self.facts.is_opaque |= self.facts.names.is_full();
        self.recent[place] = (address, name);
        (name, is_first)
    }

    fn name(&mut self, of: Object<'_>) -> Name {
        let (name, is_first) = self.number(of, VARIABLE);
        if is_first {
            let text = of.text();
            self.facts.is_opaque |= is_opaque(text);
            self.facts.may_exit |= is_exit(text);
        }
        name
    }

    /// The number of a name that is a part of another.
    fn name_of_text(&mut self, text: &str) -> Name {
        // SAFETY: the text is UTF-8; the string is let go of when its hash is known.
        let hash = unsafe {
            let string =
                ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len() as isize);
            let hash = ffi::PyObject_Hash(string);
            ffi::Py_DECREF(string);
            hash
        };
        self.facts.names.number(text, hash, VARIABLE).0
    }

    /// What is read by a key.
    fn key(&mut self, of: Object<'_>) -> Name {
        self.number(of, KEY).0
    }

    /// Looks at the name of an attribute.
    fn attribute(&mut self, of: Object<'_>) -> Name {
        let (name, is_first) = self.number(of, ATTRIBUTE);
        if is_first {
            let text = of.text();
            self.facts.is_opaque |= is_opaque_attribute(text);
            self.facts.may_exit |= is_exit(text);
        }
        name
    }

    fn bind(&mut self, name: Name, bound: Bound) {
        self.facts.bind(name, self.site.scope, bound);
    }

    fn bind_object(&mut self, of: Object<'_>, bound: Bound) {
        let name = self.name(of);
        self.bind(name, bound);
    }

    fn escape(&mut self, flow: Option<Flow>, goes: Goes) {
        let through = match goes {
            Goes::Nowhere => return,
            Goes::Away => None,
            Goes::To(call) => Some(call),
        };
        let Some(flow) = flow else { return };
        if let Base::Name(name, scope) = flow.base
            && self.facts.is_other(name, scope)
        {
            return;
        }
        self.facts.escapes.push(Escape { flow, through });
    }

    /// A frame within that of this place.
    fn frame(&mut self, decision: Decision) -> Frame {
        self.facts.frames.push((Some(self.site.frame), decision));
        (self.facts.frames.len() - 1) as Frame
    }

    /// Does something within a frame.
    fn within<T>(&mut self, decision: Decision, walk: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.site.frame;
        self.site.frame = self.frame(decision);
        let result = walk(self);
        self.site.frame = before;
        result
    }

    /// Does something whose errors something around may take.
    fn caught<T>(&mut self, is_caught: bool, walk: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.site.is_caught;
        self.site.is_caught |= is_caught;
        let result = walk(self);
        self.site.is_caught = before;
        result
    }

    /// Does something in a scope of its own.
    fn in_scope(
        &mut self,
        facts: ScopeFacts,
        is_caught: bool,
        walk: impl FnOnce(&mut Self),
    ) -> Scope {
        let scope = self.facts.scopes.len() as Scope;
        self.facts.scopes.push(facts);
        self.facts.frames.push((None, Decision::Scope));
        let frame = (self.facts.frames.len() - 1) as Frame;
        let site = Site {
            scope,
            frame,
            is_caught,
        };
        let before = std::mem::replace(&mut self.site, site);
        walk(self);
        self.site = before;
        scope
    }

    /// Goes one level deeper, unless that is too deep.
    fn deeper<T: Default>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEPTH {
            self.facts.is_opaque = true;
        }
        if self.facts.is_opaque {
            return T::default();
        }
        self.depth += 1;
        let result = walk(self);
        self.depth -= 1;
        result
    }
}
