//! Statements: what they bind, what they decide, and what they catch.

use super::super::facts::{Bound, Decision, ScopeFacts, TOP};
use super::super::names::{ITEM, Name};
use super::super::tree::{
    Expression, ExpressionKind, Items, Parameters, Statement, StatementKind, WithItem,
};
use super::{Goes, Leaves, Walk};

/// The name of the function that a script becomes if it returns: `shape.FUNCTION`.
const SCRIPT: &str = "__script__";

/// What of `asyncio`, and which functions, make contexts that let errors through.
const CONTEXTS: [&str; 6] = [
    "TaskGroup",
    "timeout",
    "timeout_at",
    "Semaphore",
    "BoundedSemaphore",
    "Lock",
];

impl Walk<'_> {
    /// A block of statements. What stands behind a statement that may leave it is conditional.
    pub(super) fn block(&mut self, body: Items<'_, Statement<'_>>) -> Leaves {
        let before = self.site.frame;
        let mut leaves = Leaves::default();
        for statement in body.iter() {
            let left = self.deeper(|walk| walk.statement(statement));
            if left.any() {
                leaves = leaves.or(left);
                self.site.frame = self.frame(Decision::Condition);
            }
        }
        self.site.frame = before;
        leaves
    }

    fn conditional(&mut self, body: Items<'_, Statement<'_>>) -> Leaves {
        self.within(Decision::Condition, |walk| walk.block(body))
    }

    fn statement(&mut self, statement: Statement<'_>) -> Leaves {
        match statement.kind() {
            StatementKind::Assign(targets, Some(value)) => self.assign(targets, value),
            StatementKind::Value(value) => self.maybe(value, Goes::Nowhere),
            kind => return self.seldom_statement(kind),
        }
        Leaves::default()
    }

    #[inline(never)]
    fn seldom_statement(&mut self, kind: StatementKind<'_>) -> Leaves {
        let mut leaves = Leaves::default();
        match kind {
            StatementKind::Function {
                name,
                parameters,
                body,
                decorators,
                returns,
                type_parameters,
                is_async,
            } => {
                self.each(decorators, Goes::Away);
                self.defaults(parameters);
                self.maybe(returns, Goes::Nowhere);
                for parameter in type_parameters.iter() {
                    self.bind_object(parameter.name(), Bound::Other);
                }
                if name.text() == SCRIPT && self.site.scope == TOP {
                    self.block(body);
                    return leaves;
                }
                let name = self.name(name);
                let facts = ScopeFacts {
                    parent: Some(self.site.scope),
                    function: decorators.is_empty().then_some(name),
                    is_async,
                    is_class: false,
                };
                self.function(name, facts, parameters, body);
            }
            StatementKind::Class {
                name,
                bases,
                keywords,
                body,
                decorators,
            } => {
                self.each(decorators, Goes::Away);
                self.each(bases, Goes::Away);
                for keyword in keywords.iter() {
                    self.maybe(keyword.value(), Goes::Away);
                }
                let facts = ScopeFacts {
                    parent: Some(self.site.scope),
                    function: None,
                    is_async: false,
                    is_class: true,
                };
                self.in_scope(facts, true, |walk| {
                    walk.block(body);
                });
                self.bind_object(name, Bound::Other);
            }
            StatementKind::Return(value) => {
                let goes = if self.site.scope == TOP {
                    Goes::Nowhere
                } else {
                    Goes::Away
                };
                self.result(value, goes);
                leaves.scope = true;
            }
            StatementKind::Raise(values) => {
                values
                    .into_iter()
                    .for_each(|value| self.maybe(value, Goes::Away));
                leaves.scope = true;
            }
            StatementKind::LeavesLoop => leaves.iteration = true,
            StatementKind::Delete(targets) => {
                targets
                    .iter()
                    .for_each(|target| self.target(target, Bound::Other));
            }
            StatementKind::Annotated(Some(target), Some(value)) => self.assign_one(target, value),
            StatementKind::Augment(target, value) => {
                self.maybe(value, Goes::Away);
                if let Some(target) = target {
                    let flow = self.visit(target);
                    self.escape(flow, Goes::Away);
                    self.target(target, Bound::Other);
                }
            }
            StatementKind::For {
                target,
                iterable,
                body,
                otherwise,
                is_async,
            } => {
                let flow = self.maybe_flow(iterable);
                let each = flow.and_then(|flow| flow.then(ITEM)).filter(|_| !is_async);
                let left = self.within(Decision::Loop, |walk| {
                    if let Some(target) = target {
                        walk.target_of_flow(target, each);
                    }
                    walk.block(body)
                });
                leaves.scope = left.scope;
                leaves = leaves.or(self.conditional(otherwise));
            }
            StatementKind::While(test, [body, otherwise]) => {
                self.maybe(test, Goes::Nowhere);
                leaves.scope = self.conditional(body).scope;
                leaves = leaves.or(self.conditional(otherwise));
            }
            StatementKind::If(Some(test), [body, otherwise]) if is_main(test) => {
                leaves = self.block(body);
                self.conditional(otherwise);
            }
            StatementKind::If(test, branches) => {
                self.maybe(test, Goes::Nowhere);
                for branch in branches {
                    leaves = leaves.or(self.conditional(branch));
                }
            }
            StatementKind::With(items, body) => {
                let mut is_caught = false;
                for item in items.iter() {
                    is_caught |= !self.lets_through(item);
                    self.maybe(item.context(), Goes::Away);
                    if let Some(target) = item.target() {
                        self.target(target, Bound::Other);
                    }
                }
                leaves = self.caught(is_caught, |walk| walk.block(body));
            }
            StatementKind::Match(subject, cases) => {
                self.maybe(subject, Goes::Away);
                for case in cases.iter() {
                    let left = self.within(Decision::Condition, |walk| {
                        if let Some(pattern) = case.pattern() {
                            walk.pattern(pattern);
                        }
                        walk.maybe(case.guard(), Goes::Nowhere);
                        walk.block(case.body())
                    });
                    leaves = leaves.or(left);
                }
            }
            StatementKind::Try {
                body,
                handlers,
                otherwise,
                finally,
            } => {
                let before = self.facts.extent();
                let is_caught = !handlers.is_empty();
                leaves = self.caught(is_caught, |walk| walk.block(body));
                for handler in handlers.iter() {
                    let left = self.within(Decision::Condition, |walk| {
                        walk.maybe(handler.error(), Goes::Nowhere);
                        if let Some(name) = handler.name() {
                            walk.bind_object(name, Bound::Other);
                        }
                        walk.block(handler.body())
                    });
                    leaves = leaves.or(left);
                }
                leaves = leaves.or(self.conditional(otherwise));
                let after = self.facts.extent();
                let left = self.block(finally);
                if left.any() {
                    // Errors end there.
                    self.facts.catch(before, after);
                }
                leaves = leaves.or(left);
            }
            StatementKind::Assert(test, message) => {
                self.maybe(test, Goes::Nowhere);
                self.within(Decision::Condition, |walk| {
                    walk.maybe(message, Goes::Nowhere)
                });
            }
            StatementKind::Import(names) => names.iter().for_each(|alias| self.import(alias)),
            StatementKind::ImportFrom(module, names) => {
                names
                    .iter()
                    .for_each(|alias| self.import_from(module, alias));
            }
            StatementKind::Declared(names) => {
                for name in names.iter() {
                    let name = self.name(name);
                    if self.site.scope != TOP {
                        self.facts.declared.insert(name);
                    }
                }
            }
            StatementKind::Annotated(..)
            | StatementKind::Assign(..)
            | StatementKind::Value(_)
            | StatementKind::Pass => {}
            StatementKind::Unknown => self.facts.is_opaque = true,
        }
        leaves
    }

    fn each(&mut self, values: Items<'_, Expression<'_>>, goes: Goes) {
        values.iter().for_each(|value| self.consume(value, goes));
    }

    fn defaults(&mut self, parameters: Option<Parameters<'_>>) {
        for default in parameters.into_iter().flat_map(Parameters::defaults) {
            self.consume(default, Goes::Away);
        }
    }

    fn function(
        &mut self,
        name: Name,
        facts: ScopeFacts,
        parameters: Option<Parameters<'_>>,
        body: Items<'_, Statement<'_>>,
    ) {
        let scope = self.in_scope(facts, false, |walk| {
            for parameter in parameters.into_iter().flat_map(Parameters::each) {
                walk.bind_object(parameter.name(), Bound::Other);
            }
            let inner = std::mem::take(&mut walk.inner);
            walk.block(body);
            walk.inner = inner;
        });
        self.bind(name, Bound::Function(scope));
    }

    /// Whether a context lets errors of its body through.
    fn lets_through(&mut self, item: WithItem<'_>) -> bool {
        let Some(ExpressionKind::Call {
            function: Some(function),
            ..
        }) = item.context().map(Expression::kind)
        else {
            return false;
        };
        match function.kind() {
            ExpressionKind::Name(name) => self.is_built_in(name, |name| name == "open"),
            ExpressionKind::Attribute(Some(of), name) if CONTEXTS.contains(&name.text()) => {
                matches!(of.kind(), ExpressionKind::Name(of) if self.is_asyncio(of))
            }
            _ => false,
        }
    }
}

/// `__name__ == "__main__"`, which holds.
fn is_main(test: Expression<'_>) -> bool {
    let ExpressionKind::Compare {
        left: Some(left),
        others,
        is_equality: true,
    } = test.kind()
    else {
        return false;
    };
    let is_name = matches!(left.kind(), ExpressionKind::Name(name) if name.text() == "__name__");
    let is_text = |other: Expression<'_>| match other.kind() {
        ExpressionKind::Constant(text) => text.as_text() == Some("__main__"),
        _ => false,
    };
    is_name && others.len() == 1 && others.iter().all(is_text)
}
