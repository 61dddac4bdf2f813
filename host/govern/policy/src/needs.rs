//! What policies read of a call.

use std::collections::BTreeMap;

use cedar_policy::pst::{BinaryOp, Clause, Expr, Literal, Template, Var};

use crate::cedar::ACTION;

/// The parts of a value that are read: a tree of names. A name that is there is at least asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Needs {
    whole: bool,
    parts: BTreeMap<String, Needs>,
}

impl Needs {
    /// All of it.
    pub(crate) fn whole() -> Self {
        Self {
            whole: true,
            parts: BTreeMap::new(),
        }
    }

    /// Whether all of it is read.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// What is read of a part.
    pub(crate) fn of(&self, name: &str) -> Option<&Self> {
        match self.whole {
            true => Some(self),
            false => self.parts.get(name),
        }
    }

    /// The named parts, with what is read of each.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&str, &Self)> {
        self.parts.iter().map(|(name, part)| (name.as_str(), part))
    }

    /// Reads this too.
    pub(crate) fn and(&mut self, other: &Self) {
        self.whole |= other.whole;
        for (name, part) in &other.parts {
            self.parts.entry(name.clone()).or_default().and(part);
        }
    }

    fn at(&mut self, path: &[&str]) -> &mut Self {
        path.iter().fold(self, |needs, name| {
            needs.parts.entry((*name).to_owned()).or_default()
        })
    }
}

/// What one policy's conditions read.
#[derive(Debug, Clone, Default)]
pub(crate) struct PolicyInputs {
    /// Of the context.
    pub(crate) context: Needs,
    /// Whether it asks if the context has arguments or labels at all, or reads it as one value:
    /// without them, it would not fail but decide otherwise.
    pub(crate) asks_for_parts: bool,
    /// Whether it asks what the principal is in.
    pub(crate) principals: bool,
    /// The actions that are named.
    pub(crate) actions: Vec<String>,
    /// The labels that are looked for.
    pub(crate) labels: Vec<String>,
}

impl PolicyInputs {
    /// What a policy reads.
    pub(crate) fn of(policy: &Template) -> Self {
        let mut read = Self::default();
        for clause in policy.clauses() {
            let (Clause::When(condition) | Clause::Unless(condition)) = clause;
            read.expression(condition);
        }
        read
    }

    fn expression(&mut self, expression: &Expr) {
        if let Some(path) = path(expression) {
            self.asks_for_parts |= path.is_empty();
            self.context.at(&path).whole = true;
            return;
        }
        match expression {
            Expr::Literal(literal) => self.literal(literal),
            Expr::Var(_) | Expr::Slot(_) => {}
            Expr::HasAttr { expr, attrs } => match path(expr) {
                Some(mut path) => {
                    self.asks_for_parts |= path.is_empty();
                    path.extend(attrs.iter().map(|attr| attr.as_str()));
                    self.context.at(&path);
                }
                None => self.expression(expr),
            },
            Expr::GetAttr { expr, .. } | Expr::UnaryOp { expr, .. } | Expr::Like { expr, .. } => {
                self.expression(expr);
            }
            Expr::BinaryOp { op, left, right } => {
                let looks = matches!(
                    op,
                    BinaryOp::Contains | BinaryOp::ContainsAny | BinaryOp::ContainsAll
                );
                if looks && path(left).is_some_and(|path| path == ["labels"]) {
                    self.labels_in(right);
                }
                self.expression(left);
                self.expression(right);
            }
            Expr::Is { expr, in_expr, .. } => {
                self.expression(expr);
                in_expr.iter().for_each(|within| self.expression(within));
            }
            Expr::IfThenElse {
                cond,
                then_expr,
                else_expr,
            } => {
                for part in [cond, then_expr, else_expr] {
                    self.expression(part);
                }
            }
            Expr::Set(items) => items.iter().for_each(|item| self.expression(item)),
            Expr::Record(parts) => parts.values().for_each(|part| self.expression(part)),
            // Of what a later Cedar may have, nothing is known.
            _ => {
                self.context.whole = true;
                self.asks_for_parts = true;
            }
        }
    }

    fn literal(&mut self, literal: &Literal) {
        if let Literal::EntityUID(uid) = literal {
            match uid.ty.to_string().as_str() {
                ACTION => self.actions.push(uid.eid.to_string()),
                _ => self.principals = true,
            }
        }
    }

    fn labels_in(&mut self, expression: &Expr) {
        match expression {
            Expr::Literal(Literal::String(label)) => self.labels.push(label.to_string()),
            Expr::Set(items) => items.iter().for_each(|item| self.labels_in(item)),
            _ => {}
        }
    }
}

/// The names that lead from the context to what an expression stands for.
fn path(expression: &Expr) -> Option<Vec<&str>> {
    match expression {
        Expr::Var(Var::Context) => Some(Vec::new()),
        Expr::GetAttr { expr, attr } => {
            let mut path = path(expr)?;
            path.push(attr.as_str());
            Some(path)
        }
        _ => None,
    }
}
