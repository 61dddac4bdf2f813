//! Expressions: what they read, and where their values go.

use pyo3::ffi;

use super::super::facts::{
    Base, Bound, Decision, Flow, NameUse, Place, Read, ReadKind, Role, ScopeFacts,
};
use super::super::names::{AWAITED, ITEM};
use super::super::tree::{Comprehension, Expression, ExpressionKind, Items, Object, Parameters};
use super::{Goes, Walk};

/// Whether a name is one of methods of objects and lists: an object's hide its keys of the same names,
/// and under another name they may change what they are of.
#[inline(never)]
fn is_method(name: &str) -> bool {
    matches!(
        name,
        "append"
            | "extend"
            | "insert"
            | "remove"
            | "reverse"
            | "sort"
            | "clear"
            | "copy"
            | "fromkeys"
            | "get"
            | "items"
            | "keys"
            | "pop"
            | "popitem"
            | "setdefault"
            | "update"
            | "values"
    )
}

/// What the calls are that a comprehension makes: whether they are awaited, and where.
pub(super) type Made = Option<(bool, Place)>;

/// What a key is that is written in the script.
enum Key<'t> {
    Text(Object<'t>),
    Index,
    Slice,
    Other,
}

impl Walk<'_> {
    pub(super) fn maybe(&mut self, value: Option<Expression<'_>>, goes: Goes) {
        if let Some(value) = value {
            self.consume(value, goes);
        }
    }

    pub(super) fn maybe_flow(&mut self, value: Option<Expression<'_>>) -> Option<Flow> {
        value.and_then(|value| self.visit(value))
    }

    /// Looks at a value that goes somewhere.
    ///
    /// A function costs as much fuel as it is long, whatever it does: so what is seldom is elsewhere.
    pub(super) fn consume(&mut self, value: Expression<'_>, goes: Goes) {
        self.deeper(|walk| {
            let kind = value.kind();
            if kind.passes_parts_on() {
                walk.consume_parts(kind, goes);
            } else {
                let flow = walk.visit_kind(value, kind);
                walk.escape(flow, goes);
            }
        });
    }

    /// Looks at the parts of a value, which go where it goes.
    #[inline(never)]
    fn consume_parts(&mut self, kind: ExpressionKind<'_>, goes: Goes) {
        match kind {
            ExpressionKind::Dict(keys, values) => {
                for (key, value) in keys.gaps().zip(values.iter()) {
                    if key.is_some() {
                        self.maybe(key, Goes::Nowhere);
                        self.consume(value, goes);
                    } else {
                        // Its members go there, and not the value itself.
                        let flow = self.visit(value);
                        self.escape(flow.and_then(|flow| flow.then(ITEM)), goes);
                    }
                }
            }
            ExpressionKind::Set(items)
            | ExpressionKind::List(items)
            | ExpressionKind::Tuple(items) => {
                items.iter().for_each(|item| self.consume(item, goes));
            }
            ExpressionKind::Starred(value) => self.maybe(value, goes),
            ExpressionKind::Either(values) => {
                let mut values = values.iter();
                self.maybe(values.next(), goes);
                values.for_each(|value| {
                    self.within(Decision::Condition, |walk| walk.consume(value, goes));
                });
            }
            ExpressionKind::Conditional { test, branches } => {
                self.maybe(test, Goes::Nowhere);
                for branch in branches {
                    self.within(Decision::Condition, |walk| walk.maybe(branch, goes));
                }
            }
            // It has no such parts.
            _ => {}
        }
    }

    /// Looks at a value, and tells where it comes from.
    pub(super) fn visit(&mut self, value: Expression<'_>) -> Option<Flow> {
        self.deeper(|walk| walk.visit_kind(value, value.kind()))
    }

    fn visit_kind(&mut self, value: Expression<'_>, kind: ExpressionKind<'_>) -> Option<Flow> {
        match kind {
            ExpressionKind::Name(name) => self.visit_name(name),
            ExpressionKind::Constant(_) => None,
            ExpressionKind::Attribute(Some(of), name) => self.visit_attribute(value, of, name),
            ExpressionKind::Subscript(Some(of), Some(key)) => self.visit_subscript(value, of, key),
            ExpressionKind::Await(Some(awaited)) => self.visit_await(value, awaited),
            ExpressionKind::Call { .. } => self.call(value, false, value.place()),
            kind => self.visit_seldom(value, kind),
        }
    }

    #[inline(never)]
    fn visit_attribute(
        &mut self,
        value: Expression<'_>,
        of: Expression<'_>,
        name: Object<'_>,
    ) -> Option<Flow> {
        let flow = self.visit(of);
        let token = self.attribute(name);
        if is_method(name.text()) || name.text().starts_with("__") {
            self.escape(flow, Goes::Away);
            return None;
        }
        let span = (value.place(), of.end());
        self.read(flow?.then(token)?, span, ReadKind::Attribute)
    }

    #[inline(never)]
    fn visit_subscript(
        &mut self,
        value: Expression<'_>,
        of: Expression<'_>,
        key: Expression<'_>,
    ) -> Option<Flow> {
        let flow = self.visit(of);
        match key_of(key) {
            Key::Text(text) => {
                let token = self.key(text);
                let span = (value.place(), of.end());
                self.read(flow?.then(token)?, span, ReadKind::Key)
            }
            Key::Index => flow?.then(ITEM),
            Key::Slice => {
                self.consume(key, Goes::Nowhere);
                flow
            }
            Key::Other => {
                self.consume(key, Goes::Nowhere);
                self.escape(flow.and_then(|flow| flow.then(ITEM)), Goes::Away);
                None
            }
        }
    }

    #[inline(never)]
    fn visit_await(&mut self, value: Expression<'_>, awaited: Expression<'_>) -> Option<Flow> {
        if matches!(awaited.kind(), ExpressionKind::Call { .. }) {
            return self.call(awaited, true, value.place());
        }
        self.visit(awaited)?.then(AWAITED)
    }

    #[inline(never)]
    fn visit_seldom(&mut self, value: Expression<'_>, kind: ExpressionKind<'_>) -> Option<Flow> {
        match kind {
            ExpressionKind::Named(Some(target), given) => {
                let flow = self.maybe_flow(given);
                self.target_of_flow(target, flow);
                return flow;
            }
            ExpressionKind::Binary(left, right) => {
                self.maybe(left, Goes::Away);
                self.maybe(right, Goes::Away);
            }
            ExpressionKind::Minus(of) | ExpressionKind::Unary(of) => self.maybe(of, Goes::Nowhere),
            ExpressionKind::Lambda(parameters, body) => self.lambda(parameters, body),
            ExpressionKind::Comprehension { makes, of, is_lazy } => {
                self.caught(is_lazy, |walk| walk.comprehension(makes, of, None))
            }
            ExpressionKind::Yield(of) => {
                // Its body does not run when it is called.
                self.facts.scopes[self.site.scope as usize].function = None;
                self.maybe(of, Goes::Away);
            }
            ExpressionKind::Compare { left, others, .. } => {
                self.maybe(left, Goes::Nowhere);
                let mut others = others.iter();
                self.maybe(others.next(), Goes::Nowhere);
                for other in others {
                    self.within(Decision::Condition, |walk| {
                        walk.consume(other, Goes::Nowhere)
                    });
                }
            }
            ExpressionKind::Formatted(of, written) => {
                self.maybe(of, Goes::Nowhere);
                self.maybe(written, Goes::Nowhere);
            }
            ExpressionKind::Joined(parts) => {
                parts
                    .iter()
                    .for_each(|part| self.consume(part, Goes::Nowhere));
            }
            ExpressionKind::Slice(parts) => {
                parts
                    .into_iter()
                    .for_each(|part| self.maybe(part, Goes::Nowhere));
            }
            kind if kind.passes_parts_on() => self.consume(value, Goes::Away),
            _ => self.facts.is_opaque = true,
        }
        None
    }

    #[inline(never)]
    fn visit_name(&mut self, name: Object<'_>) -> Option<Flow> {
        let name = self.name(name);
        if let Some((_, flow)) = self.inner.iter().rev().find(|(inner, _)| *inner == name) {
            return *flow;
        }
        if self.facts.is_other(name, self.site.scope) {
            return None;
        }
        self.facts.uses.push(NameUse {
            name,
            site: self.site,
            role: Role::Mentioned,
        });
        Some(Flow::of(Base::Name(name, self.site.scope)))
    }

    /// Notes that a property is read, if it may be one of an answer.
    pub(super) fn read(
        &mut self,
        flow: Flow,
        (place, end): (Place, Place),
        kind: ReadKind,
    ) -> Option<Flow> {
        let may_be = match flow.base {
            Base::Call(_) => true,
            Base::Name(name, scope) => {
                matches!(self.facts.bound(name, scope), Some((_, Bound::Flow(_))))
            }
        };
        if may_be {
            self.facts.reads.push(Read {
                flow,
                site: self.site,
                place,
                end,
                kind,
            });
        }
        Some(flow)
    }

    fn lambda(&mut self, parameters: Option<Parameters<'_>>, body: Option<Expression<'_>>) {
        for default in parameters.into_iter().flat_map(Parameters::defaults) {
            self.consume(default, Goes::Away);
        }
        let facts = ScopeFacts {
            parent: Some(self.site.scope),
            function: None,
            is_async: false,
            is_class: false,
        };
        let inner = self.inner.len();
        self.in_scope(facts, true, |walk| {
            for parameter in parameters.into_iter().flat_map(Parameters::each) {
                let name = walk.name(parameter.name());
                walk.bind(name, Bound::Other);
                walk.inner.push((name, None));
            }
            walk.maybe(body, Goes::Away);
        });
        self.inner.truncate(inner);
    }

    /// A comprehension. Its names are its own.
    pub(super) fn comprehension(
        &mut self,
        makes: [Option<Expression<'_>>; 2],
        of: Items<'_, Comprehension<'_>>,
        made: Made,
    ) {
        let frame = self.site.frame;
        let inner = self.inner.len();
        for part in of.iter() {
            let flow = self.maybe_flow(part.iterable());
            self.site.frame = self.frame(Decision::Loop);
            if let Some(target) = part.target() {
                self.inner_target(target, flow.and_then(|flow| flow.then(ITEM)));
            }
            for condition in part.conditions().iter() {
                self.consume(condition, Goes::Nowhere);
                self.site.frame = self.frame(Decision::Condition);
            }
        }
        for value in makes.into_iter().flatten() {
            match (made, value.kind()) {
                (Some((is_awaited, place)), ExpressionKind::Call { .. }) => {
                    self.call(value, is_awaited, place);
                }
                _ => self.consume(value, Goes::Away),
            }
        }
        self.inner.truncate(inner);
        self.site.frame = frame;
    }

    fn inner_target(&mut self, target: Expression<'_>, flow: Option<Flow>) {
        match target.kind() {
            ExpressionKind::Name(name) => {
                let name = self.name(name);
                self.inner.push((name, flow));
            }
            ExpressionKind::Tuple(targets) | ExpressionKind::List(targets) => {
                self.escape(flow, Goes::Away);
                targets
                    .iter()
                    .for_each(|target| self.inner_target(target, None));
            }
            ExpressionKind::Starred(Some(target)) => self.inner_target(target, None),
            _ => self.facts.is_opaque = true,
        }
    }
}

fn key_of(key: Expression<'_>) -> Key<'_> {
    let is_index = |of: Expression<'_>| match of.kind() {
        // SAFETY: a constant is one of Python's objects.
        ExpressionKind::Constant(of) => unsafe { ffi::PyLong_CheckExact(of.pointer()) != 0 },
        _ => false,
    };
    match key.kind() {
        ExpressionKind::Constant(text) if text.as_text().is_some() => Key::Text(text),
        ExpressionKind::Constant(_) if is_index(key) => Key::Index,
        ExpressionKind::Slice(_) => Key::Slice,
        ExpressionKind::Minus(Some(of)) if is_index(of) => Key::Index,
        _ => Key::Other,
    }
}
