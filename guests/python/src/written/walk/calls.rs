//! Calls: of tools, of functions that the script declares, and of what gathers calls.

use super::super::facts::{Base, Bound, Call, Flow, Member, NameUse, Path, Place, ReadKind, Role};
use super::super::names::{ITEM, Name};
use super::super::tree::{Expression, ExpressionKind, Items, Keyword, Object};
use super::{Goes, Walk};

/// Whether a built-in function changes nothing, and gives nothing of what it is given.
#[inline(never)]
fn is_observer(name: &str) -> bool {
    matches!(
        name,
        "print"
            | "len"
            | "str"
            | "repr"
            | "int"
            | "float"
            | "bool"
            | "isinstance"
            | "type"
            | "any"
            | "all"
            | "abs"
            | "round"
            | "hasattr"
    )
}
/// Whether one goes through what it is given at once.
#[inline(never)]
fn is_eager(name: &str) -> bool {
    matches!(
        name,
        "list" | "tuple" | "set" | "sorted" | "sum" | "min" | "max" | "dict" | "frozenset"
    )
}
/// Whether a method changes nothing, and gives nothing of what it is called on.
#[inline(never)]
fn is_pure(name: &str) -> bool {
    matches!(
        name,
        "keys"
            | "count"
            | "index"
            | "strip"
            | "lstrip"
            | "rstrip"
            | "split"
            | "splitlines"
            | "lower"
            | "upper"
            | "title"
            | "startswith"
            | "endswith"
            | "replace"
            | "join"
            | "format"
            | "encode"
            | "isdigit"
            | "find"
            | "removeprefix"
            | "removesuffix"
            | "partition"
            | "ljust"
            | "rjust"
    )
}
/// Those that give a part.
const PARTS: [&str; 3] = ["items", "values", "copy"];

/// The function of a server that gives an account of it.
const ACCOUNT: &str = "as_";

/// A call, taken apart.
#[derive(Clone, Copy)]
struct Written<'t> {
    function: Expression<'t>,
    arguments: Items<'t, Expression<'t>>,
    keywords: Items<'t, Keyword<'t>>,
    is_awaited: bool,
    place: Place,
    at: Place,
}

impl Walk<'_> {
    /// A call, whether its failure is that of what makes it, and where it then fails.
    pub(super) fn call(
        &mut self,
        call: Expression<'_>,
        is_awaited: bool,
        place: Place,
    ) -> Option<Flow> {
        let ExpressionKind::Call {
            function: Some(function),
            arguments,
            keywords,
        } = call.kind()
        else {
            return None;
        };
        let written = Written {
            function,
            arguments,
            keywords,
            is_awaited,
            place,
            at: call.place(),
        };
        self.deeper(|walk| walk.written(written))
    }

    fn written(&mut self, written: Written<'_>) -> Option<Flow> {
        match written.function.kind() {
            ExpressionKind::Name(name) => self.by_name(name, written),
            ExpressionKind::Attribute(Some(of), name) => {
                let token = self.attribute(name);
                self.by_attribute(of, (name.text(), token), written)
            }
            ExpressionKind::Subscript(Some(of), _) => {
                let call = self.candidate(written);
                let flow = self.visit(of);
                self.escape(flow, call.map_or(Goes::Away, Goes::To));
                self.arguments(written, call.map_or(Goes::Away, Goes::To));
                call.map(|call| Flow::of(Base::Call(call as u32)))
            }
            _ => {
                self.consume(written.function, Goes::Nowhere);
                self.arguments(written, Goes::Away);
                None
            }
        }
    }

    fn by_name(&mut self, name: Object<'_>, written: Written<'_>) -> Option<Flow> {
        let text = name.text();
        let name = self.name(name);
        if self.inner.iter().any(|(inner, _)| *inner == name) {
            self.arguments(written, Goes::Away);
            return None;
        }
        self.facts.uses.push(NameUse {
            name,
            site: self.site,
            role: Role::Called {
                is_awaited: written.is_awaited,
            },
        });
        let is_free = self.facts.home(name, self.site.scope).is_none();
        if is_free && is_observer(text) {
            self.facts.take_for_built_in(name);
            self.arguments(written, Goes::Nowhere);
            return None;
        }
        let call = (!is_free).then(|| self.candidate(written)).flatten();
        self.arguments(written, call.map_or(Goes::Away, Goes::To));
        call.map(|call| Flow::of(Base::Call(call as u32)))
    }

    fn by_attribute(
        &mut self,
        of: Expression<'_>,
        (name, token): (&str, Name),
        written: Written<'_>,
    ) -> Option<Flow> {
        if let ExpressionKind::Name(module) = of.kind()
            && self.is_asyncio(module)
        {
            match name {
                "gather" => {
                    self.gather(written);
                    return None;
                }
                "run" | "wait_for" | "create_task" | "ensure_future" => {
                    let is_awaited = written.is_awaited || name == "run";
                    return self.passed_on(Written {
                        is_awaited,
                        ..written
                    });
                }
                _ => {}
            }
        }
        if name == "result"
            && written.arguments.is_empty()
            && matches!(of.kind(), ExpressionKind::Call { .. })
        {
            return self.call(of, true, written.place);
        }
        let call = self.candidate(written);
        let flow = self.visit(of);
        let goes = call.map_or(Goes::Away, Goes::To);
        if let Some(read) = flow.and_then(|flow| flow.then(token)) {
            let span = (written.function.place(), of.end());
            self.read(read, span, ReadKind::Method);
        }
        match flow {
            Some(flow) if name == "get" => {
                let key = written.arguments.get(0).map(Expression::kind);
                let key = match key {
                    Some(ExpressionKind::Constant(key)) if key.as_text().is_some() => self.key(key),
                    _ => ITEM,
                };
                self.escape(flow.then(key), goes);
            }
            Some(flow) if PARTS.contains(&name) => self.escape(flow.then(ITEM), goes),
            flow if !is_pure(name) => self.escape(flow, goes),
            _ => {}
        }
        let goes = match is_join(written) {
            true => Goes::Nowhere,
            false => goes,
        };
        self.arguments(written, goes);
        call.map(|call| Flow::of(Base::Call(call as u32)))
    }

    fn arguments(&mut self, written: Written<'_>, goes: Goes) {
        let is_eager = match written.function.kind() {
            ExpressionKind::Name(name) => {
                self.is_built_in(name, is_observer) || self.is_built_in(name, is_eager)
            }
            _ => is_join(written),
        };
        for argument in written.arguments.iter() {
            match argument.kind() {
                ExpressionKind::Comprehension { makes, of, .. } if is_eager => {
                    self.deeper(|walk| walk.comprehension(makes, of, None));
                }
                _ => self.consume(argument, goes),
            }
        }
        for keyword in written.keywords.iter() {
            self.maybe(keyword.value(), goes);
        }
    }

    /// `asyncio.gather(...)`: a call in it that fails makes it fail, unless that is not wanted. Gives
    /// what each of its arguments gives.
    fn gather(&mut self, written: Written<'_>) -> Vec<Option<Flow>> {
        let is_caught = !written.keywords.is_empty();
        let made = (written.is_awaited && !is_caught, written.place);
        for keyword in written.keywords.iter() {
            self.maybe(keyword.value(), Goes::Away);
        }
        let gathered = self.caught(is_caught, |walk| {
            let mut gathered = Vec::new();
            for argument in written.arguments.iter() {
                let flow = match argument.kind() {
                    ExpressionKind::Call { .. } => {
                        walk.call(argument, made.0, made.1).filter(|_| made.0)
                    }
                    ExpressionKind::Starred(Some(calls)) => {
                        walk.gather_each(calls, made);
                        // How many these are can't be told.
                        gathered.push(None);
                        None
                    }
                    _ => {
                        walk.consume(argument, Goes::Away);
                        None
                    }
                };
                gathered.push(flow);
            }
            gathered
        });
        if gathered.len() == written.arguments.len() {
            gathered
        } else {
            Vec::new()
        }
    }

    /// What `await asyncio.gather(...)` gives, each by itself; none if the value is something else.
    pub(super) fn gathered(&mut self, value: Expression<'_>) -> Option<Vec<Option<Flow>>> {
        let ExpressionKind::Await(Some(awaited)) = value.kind() else {
            return None;
        };
        let ExpressionKind::Call {
            function: Some(function),
            arguments,
            keywords,
        } = awaited.kind()
        else {
            return None;
        };
        let ExpressionKind::Attribute(Some(of), name) = function.kind() else {
            return None;
        };
        let is_gather = name.text() == "gather"
            && matches!(of.kind(), ExpressionKind::Name(module) if self.is_asyncio(module));
        let written = Written {
            function,
            arguments,
            keywords,
            is_awaited: true,
            place: value.place(),
            at: awaited.place(),
        };
        is_gather.then(|| self.deeper(|walk| walk.gather(written)))
    }

    fn gather_each(&mut self, calls: Expression<'_>, made: (bool, Place)) {
        self.deeper(|walk| match calls.kind() {
            ExpressionKind::Comprehension { makes, of, .. } => {
                walk.comprehension(makes, of, Some(made));
            }
            ExpressionKind::List(items) | ExpressionKind::Tuple(items) => {
                for item in items.iter() {
                    match item.kind() {
                        ExpressionKind::Call { .. } => {
                            walk.call(item, made.0, made.1);
                        }
                        _ => walk.consume(item, Goes::Away),
                    }
                }
            }
            _ => walk.consume(calls, Goes::Away),
        });
    }

    /// What gives the value of the call that it is given.
    fn passed_on(&mut self, written: Written<'_>) -> Option<Flow> {
        for keyword in written.keywords.iter() {
            self.maybe(keyword.value(), Goes::Away);
        }
        let mut arguments = written.arguments.iter();
        let first = arguments.next();
        arguments.for_each(|argument| self.consume(argument, Goes::Away));
        let first = first?;
        if matches!(first.kind(), ExpressionKind::Call { .. }) {
            let flow = self.call(first, written.is_awaited, written.place);
            return flow.filter(|_| written.is_awaited);
        }
        self.consume(first, Goes::Away);
        None
    }

    /// Notes a call of what may be a tool. Gives its place.
    fn candidate(&mut self, written: Written<'_>) -> Option<usize> {
        let (root, parts) = self.chain(written.function)?;
        let may_be = match self.facts.home(root, self.site.scope) {
            None => !parts.tokens().is_empty(),
            Some(_) => match self.facts.bound(root, self.site.scope) {
                Some((_, Bound::Module(of) | Bound::Member(of, _))) => !of.starts_with("asyncio"),
                Some((_, Bound::Flow(flow))) => matches!(flow.base, Base::Name(..)),
                _ => false,
            },
        };
        let last = parts.tokens().last();
        // Named arguments make it a tool's call.
        let is_account = last.is_some_and(|last| self.facts.text(*last) == ACCOUNT)
            && written.keywords.is_empty();
        if is_account {
            return None;
        }
        if !may_be || last.is_some_and(|last| self.facts.text(*last).starts_with('_')) {
            return None;
        }
        let is_told = written
            .arguments
            .iter()
            .all(|argument| !matches!(argument.kind(), ExpressionKind::Starred(_)));
        let positional = is_told.then(|| {
            written
                .arguments
                .iter()
                .map(|argument| self.value(argument))
                .collect()
        });
        let named = written.keywords.iter().map(|keyword| {
            let value = keyword
                .value()
                .map_or(super::super::facts::Value::Unknown, |value| {
                    self.value(value)
                });
            match keyword.name() {
                Some(name) => Member::Pair(name.text().to_owned(), value),
                None => Member::Spread(value),
            }
        });
        let named = named.collect();
        self.facts.calls.push(Call {
            root,
            parts,
            site: self.site,
            propagates: written.is_awaited,
            place: written.place,
            at: written.at,
            positional,
            named,
        });
        Some(self.facts.calls.len() - 1)
    }

    /// A name and what is read of it: attributes, and keys that are texts.
    fn chain(&mut self, function: Expression<'_>) -> Option<(Name, Path)> {
        match function.kind() {
            ExpressionKind::Name(name) => {
                let name = self.name(name);
                let is_inner = self.inner.iter().any(|(inner, _)| *inner == name);
                (!is_inner).then(|| (name, Path::default()))
            }
            ExpressionKind::Attribute(Some(of), name) => {
                let (root, path) = self.deeper(|walk| walk.chain(of))?;
                let token = self.attribute(name);
                Some((root, path.then(token)?))
            }
            ExpressionKind::Subscript(Some(of), Some(key)) => {
                let ExpressionKind::Constant(key) = key.kind() else {
                    return None;
                };
                key.as_text()?;
                let (root, path) = self.deeper(|walk| walk.chain(of))?;
                let token = self.key(key);
                Some((root, path.then(token)?))
            }
            ExpressionKind::Call {
                function: Some(function),
                arguments,
                keywords,
            } if keywords.is_empty() && arguments.len() == 1 => {
                let ExpressionKind::Attribute(Some(of), name) = function.kind() else {
                    return None;
                };
                let ExpressionKind::Constant(account) = arguments.get(0)?.kind() else {
                    return None;
                };
                let account = account.as_text().filter(|_| name.text() == ACCOUNT)?;
                let (root, path) = self.deeper(|walk| walk.chain(of))?;
                let server = self.facts.text(*path.tokens().last()?);
                let account = format!("{}@{account}", without_account(server));
                let token = self.name_of_text(&account);
                Some((root, path.with_last(token)?))
            }
            _ => None,
        }
    }
}

/// `jira` of `jira@work`.
fn without_account(server: &str) -> &str {
    match server.rsplit_once('@') {
        Some((server, _)) if !server.is_empty() => server,
        _ => server,
    }
}

/// `", ".join(...)`
fn is_join(written: Written<'_>) -> bool {
    let ExpressionKind::Attribute(Some(of), name) = written.function.kind() else {
        return false;
    };
    let is_text = |of: Expression<'_>| match of.kind() {
        ExpressionKind::Constant(text) => text.as_text().is_some(),
        _ => false,
    };
    name.text() == "join" && is_text(of)
}
