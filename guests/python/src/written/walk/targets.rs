//! What values are bound to: names, and parts of other values.

use super::super::facts::{Bound, Flow, TOP};
use super::super::tree::{Expression, ExpressionKind, Items, Object, Pattern};
use super::{Goes, Walk};

/// The name under which a script leaves its result: `shape.RESULT`.
const RESULT: &str = "__result__";

impl Walk<'_> {
    /// The value that a script ends with, or a function returns. The host waits for a script's.
    pub(super) fn result(&mut self, value: Option<Expression<'_>>, goes: Goes) {
        let Some(value) = value else { return };
        if self.site.scope == TOP && matches!(value.kind(), ExpressionKind::Call { .. }) {
            self.call(value, true, value.place());
        } else {
            self.consume(value, goes);
        }
    }

    pub(super) fn assign(&mut self, targets: Items<'_, Expression<'_>>, value: Expression<'_>) {
        if targets.len() == 1
            && let Some(target) = targets.get(0)
        {
            return self.assign_one(target, value);
        }
        self.consume(value, Goes::Away);
        targets
            .iter()
            .for_each(|target| self.target(target, Bound::Other));
    }

    pub(super) fn assign_one(&mut self, target: Expression<'_>, value: Expression<'_>) {
        match target.kind() {
            ExpressionKind::Name(name) => self.assign_name(name, value),
            kind => self.assign_parts(target, kind, value),
        }
    }

    fn assign_name(&mut self, name: Object<'_>, value: Expression<'_>) {
        if name.text() == RESULT {
            return self.result(Some(value), Goes::Nowhere);
        }
        let bound = match value.kind() {
            ExpressionKind::Constant(_) | ExpressionKind::Minus(_) => {
                Bound::Value(self.value(value))
            }
            ExpressionKind::Dict(..) | ExpressionKind::List(_) | ExpressionKind::Tuple(_) => {
                let made = self.value(value);
                self.consume(value, Goes::Away);
                Bound::Value(made)
            }
            _ => self.visit(value).map_or(Bound::Other, Bound::Flow),
        };
        self.bind_object(name, bound);
    }

    #[inline(never)]
    fn assign_parts(
        &mut self,
        target: Expression<'_>,
        kind: ExpressionKind<'_>,
        value: Expression<'_>,
    ) {
        match (kind, value.kind()) {
            (
                ExpressionKind::Tuple(targets) | ExpressionKind::List(targets),
                ExpressionKind::Tuple(values) | ExpressionKind::List(values),
            ) if targets.len() == values.len() && !values.iter().any(is_starred) => {
                // All are made before the first is bound, which one binding of each can't tell.
                for (target, value) in targets.iter().zip(values.iter()) {
                    self.assign_one(target, value);
                }
            }
            (ExpressionKind::Tuple(targets) | ExpressionKind::List(targets), _) => {
                let gathered = self.gathered(value).unwrap_or_else(|| {
                    self.consume(value, Goes::Away);
                    Vec::new()
                });
                for (at, target) in targets.iter().enumerate() {
                    let flow = (gathered.len() == targets.len()).then(|| gathered[at]);
                    self.target_of_flow(target, flow.flatten());
                }
            }
            _ => {
                self.consume(value, Goes::Away);
                self.target(target, Bound::Other);
            }
        }
    }

    /// Binds a target to what a value gives.
    pub(super) fn target_of_flow(&mut self, target: Expression<'_>, flow: Option<Flow>) {
        let Some(flow) = flow else {
            return self.target(target, Bound::Other);
        };
        match target.kind() {
            ExpressionKind::Name(_) => self.target(target, Bound::Flow(flow)),
            _ => {
                self.escape(Some(flow), Goes::Away);
                self.target(target, Bound::Other);
            }
        }
    }

    /// Binds what a target names, and changes what it is a part of.
    pub(super) fn target(&mut self, target: Expression<'_>, bound: Bound) {
        match target.kind() {
            ExpressionKind::Name(name) => self.bind_object(name, bound),
            ExpressionKind::Tuple(targets) | ExpressionKind::List(targets) => {
                targets
                    .iter()
                    .for_each(|target| self.target(target, Bound::Other));
            }
            ExpressionKind::Starred(Some(target)) => self.target(target, Bound::Other),
            ExpressionKind::Attribute(Some(value), name) => {
                self.attribute(name);
                if let ExpressionKind::Name(module) = value.kind() {
                    self.facts.is_opaque |= self.is_asyncio(module);
                }
                self.consume(value, Goes::Away);
            }
            ExpressionKind::Subscript(Some(value), key) => {
                self.consume(value, Goes::Away);
                self.maybe(key, Goes::Away);
            }
            _ => self.facts.is_opaque = true,
        }
    }

    pub(super) fn pattern(&mut self, pattern: Pattern<'_>) {
        if let Some(name) = pattern.name() {
            self.bind_object(name, Bound::Other);
        }
        for inner in pattern.inner() {
            self.deeper(|walk| walk.pattern(inner));
        }
    }
}

/// `*values`
fn is_starred(value: Expression<'_>) -> bool {
    matches!(value.kind(), ExpressionKind::Starred(_))
}
