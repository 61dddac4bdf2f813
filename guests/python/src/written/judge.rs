//! From what a script writes to what of it is proved: which calls are of tools, with which
//! arguments, and what is read of their answers.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::arguments::{Arguments, push_token};
use super::facts::{
    Base, Bound, Call, Decision, Facts, Flow, Frame, Path, ReadKind, Scope, TOP, Value,
};
use super::names::{AWAITED, ITEM, Name};
use super::reaching::Reaching;

/// How many names stand for each other at most, one behind the other.
const DEPTH: u32 = 8;

/// How many reads are looked at. More are left alone.
const READS: usize = 4_000;

/// How many values of arguments are looked at.
const VALUES: usize = 20_000;

/// A value of which nothing is known.
pub(super) static UNKNOWN: Value = Value::Unknown;

/// What a name stands for that a script does not bind.
pub(super) enum Root {
    Tools,
    Server(String),
    /// A server whose answers can also be read otherwise.
    Proxy(String),
}

/// A tool, as the script names it, and whether properties of its answers are those of its schema.
struct Target<'f> {
    server: &'f str,
    tool: &'f str,
    is_plain: bool,
    is_imported: bool,
}

/// A call that is to be judged.
pub(super) struct Proved<'f> {
    /// Its place among the facts.
    pub(super) call: usize,
    pub(super) server: &'f str,
    pub(super) tool: &'f str,
    pub(super) arguments: Option<Arguments<'f>>,
    pub(super) is_conditional: bool,
    /// Whether an import names it, which fails first where there is no such tool.
    pub(super) is_imported: bool,
    is_plain: bool,
    /// What is read of its answer: JSON Pointers, and places among the facts.
    pub(super) reads: Vec<(String, usize)>,
    /// What is read of the call itself, before it was awaited: places among the facts.
    pub(super) too_early: Vec<usize>,
}

/// Where a value comes from at last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Call(usize),
    Name(Name, Scope),
}

pub(super) struct Judge<'f> {
    facts: &'f Facts,
    roots: &'f BTreeMap<String, Root>,
    /// The origins of what may have been changed, each with the path to it.
    changed: BTreeMap<Origin, Vec<Path>>,
    targets: Vec<Option<Target<'f>>>,
    /// How many values of arguments may still be looked at: names may stand for each other without
    /// end.
    room: Cell<usize>,
    /// Whether more names stand for each other than are followed.
    is_lost: Cell<bool>,
}

impl<'f> Judge<'f> {
    pub(super) fn new(facts: &'f Facts, roots: &'f BTreeMap<String, Root>) -> Self {
        let mut judge = Self {
            facts,
            roots,
            changed: BTreeMap::new(),
            targets: Vec::new(),
            room: Cell::new(VALUES),
            is_lost: Cell::new(false),
        };
        let mut parts = Vec::new();
        let targets = facts.calls.iter().map(|call| {
            parts.clear();
            judge.target(call, &mut parts)
        });
        judge.targets = targets.collect();
        for escape in &facts.escapes {
            let to_tool = |call: usize| judge.targets[call].is_some();
            if !escape.through.is_some_and(to_tool) {
                judge.may_change(&escape.flow);
            }
        }
        // A name that is bound elsewhere, too, is not followed any more.
        for ((name, _), binding) in &facts.bindings {
            if let Bound::Flow(flow) = &binding.bound
                && facts.declared.contains(name)
            {
                judge.may_change(flow);
            }
        }
        judge
    }

    fn may_change(&mut self, flow: &Flow) {
        if let Some((origin, path)) = self.origin(flow, 0) {
            self.changed.entry(origin).or_default().push(path);
        }
    }

    /// Whether any call is one of a tool.
    pub(super) fn has_tools(&self) -> bool {
        self.targets.iter().any(Option::is_some)
    }

    /// The calls that are to be judged.
    pub(super) fn proved(&self) -> Vec<Proved<'f>> {
        let mut reaching = Reaching::new(self.facts);
        let mut proved = Vec::new();
        for (at, call) in self.facts.calls.iter().enumerate() {
            let Some(target) = &self.targets[at] else {
                continue;
            };
            // The host is told of all: what one does may bring tools that another one calls.
            let is_told = !call.site.is_caught && reaching.lets_through(call.site.scope);
            let arguments = (is_told && call.propagates)
                .then(|| self.arguments(call.positional.as_deref()?, &call.named));
            let is_certain = is_told
                && self.facts.is_certain(call.site.frame)
                && reaching.is_certain(call.site.scope);
            proved.push(Proved {
                call: at,
                server: target.server,
                tool: target.tool,
                arguments: arguments.flatten(),
                is_conditional: !is_certain || self.facts.may_exit,
                is_imported: target.is_imported,
                is_plain: is_told && target.is_plain,
                reads: Vec::new(),
                too_early: Vec::new(),
            });
        }
        self.add_reads(&mut proved);
        proved
    }

    fn add_reads(&self, proved: &mut [Proved<'f>]) {
        let is_much = self.facts.reads.len() > READS || self.facts.escapes.len() > READS;
        if is_much || self.facts.may_exit || self.is_lost.get() {
            return;
        }
        let places = proved.iter().enumerate();
        let places: BTreeMap<usize, usize> = places.map(|(at, of)| (of.call, at)).collect();
        for (at, read) in self.facts.reads.iter().enumerate() {
            let Some((Origin::Call(call), path)) = self.origin(&read.flow, 0) else {
                continue;
            };
            let Some(found) = places.get(&call).map(|place| &mut proved[*place]) else {
                continue;
            };
            let made = &self.facts.calls[call];
            let is_proved = !read.site.is_caught
                && read.site.scope == made.site.scope
                && self.is_straight(read.site.frame, made.site.frame)
                && !self.is_changed(Origin::Call(call), path.tokens());
            if !is_proved {
                continue;
            }
            let path = path.tokens();
            let is_awaited = path.first() == Some(&AWAITED);
            let answered = &path[usize::from(is_awaited)..];
            if answered.contains(&AWAITED) {
                continue;
            }
            if made.propagates != is_awaited {
                if found.is_plain && read.kind != ReadKind::Method {
                    let mut pointer = String::new();
                    for token in answered {
                        push_token(&mut pointer, self.facts.text(*token));
                    }
                    found.reads.push((pointer, at));
                }
            } else if !made.propagates && answered.len() == 1 && self.may_await(made.site.scope) {
                found.too_early.push(at);
            }
        }
    }

    /// Whether code of a scope can wait for a call.
    fn may_await(&self, scope: Scope) -> bool {
        scope == TOP || self.facts.scopes[scope as usize].is_async
    }

    /// Whether what is in a frame runs whenever what is in another one has, but for loops that have
    /// nothing to go through.
    fn is_straight(&self, later: Frame, earlier: Frame) -> bool {
        let mut at = later;
        while !self.facts.is_around(at, earlier) {
            match self.facts.frames[at as usize] {
                (Some(outer), Decision::Loop) => at = outer,
                _ => return false,
            }
        }
        true
    }

    /// Whether something that a value is a part of may have been changed.
    fn is_changed(&self, origin: Origin, path: &[Name]) -> bool {
        let is_within = |changed: &Path| {
            let changed = changed.tokens();
            let mut pairs = changed.iter().zip(path);
            changed.len() < path.len()
                && pairs.all(|(one, other)| one == other || *one == ITEM || *other == ITEM)
        };
        let changed = self.changed.get(&origin);
        changed.is_some_and(|changed| changed.iter().any(is_within))
    }

    /// Where a value comes from at last, and what is read of that.
    fn origin(&self, flow: &Flow, depth: u32) -> Option<(Origin, Path)> {
        match flow.base {
            Base::Call(call) => Some((Origin::Call(call as usize), flow.path)),
            Base::Name(name, seen_in) => {
                let (home, bound) = self.facts.bound(name, seen_in)?;
                match bound {
                    Bound::Flow(_) if depth >= DEPTH => {
                        self.is_lost.set(true);
                        None
                    }
                    Bound::Flow(of) => {
                        let (origin, path) = self.origin(of, depth + 1)?;
                        Some((origin, path.join(&flow.path)?))
                    }
                    Bound::Value(_) => Some((Origin::Name(name, home), flow.path)),
                    _ => None,
                }
            }
        }
    }

    /// The value that a name stands for, if that is one that the script writes and nothing changes.
    pub(super) fn known(&self, value: &'f Value) -> &'f Value {
        if self.room.get() == 0 {
            return &UNKNOWN;
        }
        self.room.set(self.room.get() - 1);
        let Value::Name(name, seen_in) = *value else {
            return value;
        };
        let flow = Flow::of(Base::Name(name, seen_in));
        let Some((origin @ Origin::Name(name, home), path)) = self.origin(&flow, 0) else {
            return &UNKNOWN;
        };
        if self.is_lost.get() {
            return &UNKNOWN;
        }
        let binding = self.facts.bindings.get(&(name, home));
        let Some(Bound::Value(value)) = binding.map(|binding| &binding.bound) else {
            return &UNKNOWN;
        };
        let is_whole = |changed: &Path| changed.tokens().is_empty();
        let changed = self.changed.get(&origin);
        let is_changed = changed.is_some_and(|changed| match value {
            Value::List(..) | Value::Object(_) => {
                value.has_others() || changed.iter().any(is_whole)
            }
            _ => false,
        });
        let is_other = is_changed || !is_whole(&path) || matches!(value, Value::Name(..));
        if is_other { &UNKNOWN } else { value }
    }

    /// The tool that is called. `parts` is room for names.
    fn target(&self, call: &'f Call, parts: &mut Vec<&'f str>) -> Option<Target<'f>> {
        self.push(&call.parts, parts);
        let root = self.resolved(call.root, call.site.scope, parts, 0)?;
        let (server, is_plain) = match root {
            Some(Root::Server(server)) => (&**server, true),
            Some(Root::Proxy(server)) => (&**server, false),
            Some(Root::Tools) => (parts.pop()?, true),
            // The servers' packages; those of the bridges are in another one.
            None => match parts.pop()? {
                "servers" | "tools" => (parts.pop()?, true),
                "mcp" if parts.pop()? == "servers" => (parts.pop()?, false),
                _ => return None,
            },
        };
        let tool = parts.pop()?;
        parts.is_empty().then_some(Target {
            server,
            tool,
            is_plain,
            is_imported: root.is_none(),
        })
    }

    /// Puts the names of a path before others, of which the first is the last.
    fn push(&self, path: &Path, parts: &mut Vec<&'f str>) {
        let names = path.tokens().iter().rev();
        parts.extend(names.map(|token| self.facts.text(*token)));
    }

    /// What a name stands for; the names of a module come before what is read of it then.
    fn resolved(
        &self,
        name: Name,
        seen_in: Scope,
        parts: &mut Vec<&'f str>,
        depth: u32,
    ) -> Option<Option<&'f Root>> {
        if self.facts.home(name, seen_in).is_none() {
            // A function may bind it for all.
            let is_free = !self.facts.declared.contains(&name);
            let root = is_free.then(|| self.roots.get(self.facts.text(name)))??;
            return Some(Some(root));
        }
        match self.facts.bound(name, seen_in)?.1 {
            Bound::Module(module) => {
                parts.extend(module.rsplit('.'));
                Some(None)
            }
            Bound::Member(module, member) => {
                parts.push(member);
                parts.extend(module.rsplit('.'));
                Some(None)
            }
            Bound::Flow(Flow {
                base: Base::Name(name, seen_in),
                path,
            }) if depth < DEPTH => {
                self.push(path, parts);
                self.resolved(*name, *seen_in, parts, depth + 1)
            }
            _ => None,
        }
    }
}
