//! Where answers go, and what is read of them.

use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

use super::callee::Meaning;
use super::walk::{Position, Walk};
use super::{PromiseRead, Read};

/// Methods of lists that give a list of the same items, or one of these.
pub(super) const GIVING_LIST: [&str; 6] = [
    "filter",
    "slice",
    "sort",
    "toSorted",
    "reverse",
    "toReversed",
];
pub(super) const GIVING_ITEM: [&str; 5] = ["find", "findLast", "at", "pop", "shift"];

/// Whether a method of lists calls a function with each item, and does so whatever the other items
/// are.
fn calls_with_items(method: &str) -> bool {
    matches!(
        method,
        "map" | "filter" | "forEach" | "find" | "findLast" | "some" | "every" | "flatMap"
    )
}

/// What all objects have.
const COMMON: [&str; 8] = [
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
    "then",
];

/// What promises have, and what is asked of any object.
const OF_PROMISES: [&str; 9] = [
    "then",
    "catch",
    "finally",
    "inspect",
    "nodeType",
    "asymmetricMatch",
    "$$typeof",
    "__esModule",
    "default",
];

/// What a name means that means one thing everywhere.
pub(super) struct Variable<'a> {
    pub(super) meaning: Meaning<'a>,
    /// The read that gave it: its value may be looked at before it is used.
    read: Option<PendingRead>,
}

/// A read whose value was given a name.
#[derive(Clone, Copy)]
pub(super) struct PendingRead {
    /// What it is read of.
    subject: Span,
    at: u32,
}

/// A member of an expression, where it is written.
pub(super) struct Member<'m, 'a> {
    pub(super) object: &'m Expression<'a>,
    pub(super) name: &'a str,
    pub(super) whole: Span,
    /// The offset of its name.
    pub(super) at: u32,
}

impl<'a> Variable<'a> {
    /// A name that holds nothing that was read.
    pub(super) fn of(meaning: Meaning<'a>) -> Self {
        Self {
            meaning,
            read: None,
        }
    }
}

impl<'a> Walk<'a> {
    /// Gives names what they mean. The text is that of what is bound.
    pub(super) fn bind(
        &mut self,
        pattern: &BindingPattern<'a>,
        meaning: Option<Meaning<'a>>,
        of: Span,
    ) {
        let read = match (&meaning, pattern) {
            // `const x = r.x`
            (Some(Meaning::Answer(_, pointer)), BindingPattern::BindingIdentifier(_))
                if !pointer.is_empty() =>
            {
                self.last_read.filter(|(span, _)| *span == of)
            }
            _ => None,
        };
        self.bind_read(pattern, meaning, of, read.map(|(_, read)| read));
    }

    fn bind_read(
        &mut self,
        pattern: &BindingPattern<'a>,
        meaning: Option<Meaning<'a>>,
        of: Span,
        read: Option<PendingRead>,
    ) {
        let Some(meaning) = meaning else { return };
        match pattern {
            BindingPattern::BindingIdentifier(id) => {
                let name = id.name;
                // Lists of answers may get another order.
                let is_list = matches!(meaning, Meaning::List(_) | Meaning::Promises(_));
                if self.names.is_constant(name) && !is_list {
                    self.variables.insert(name, Variable { meaning, read });
                }
            }
            BindingPattern::ObjectPattern(it) => {
                for property in &it.properties {
                    self.bind_property(property, &meaning, of);
                }
            }
            BindingPattern::ArrayPattern(it) => {
                for (index, element) in it.elements.iter().enumerate() {
                    if let Some(element) = element {
                        let item = meaning.clone().item(Some(index));
                        self.bind_read(element, item, of, None);
                    }
                }
            }
            // What has a default may be missing.
            BindingPattern::AssignmentPattern(_) => {}
        }
    }

    #[inline(never)]
    fn bind_property(&mut self, property: &BindingProperty<'a>, meaning: &Meaning<'a>, of: Span) {
        let key = match &property.key {
            PropertyKey::StaticIdentifier(key) => key.name.as_str(),
            PropertyKey::StringLiteral(key) => key.value.as_str(),
            _ => return,
        };
        let member = meaning.clone().member(key);
        let read = PendingRead {
            subject: of,
            at: property.key.span().start,
        };
        match &property.value {
            // What is in it is looked for.
            BindingPattern::ObjectPattern(_) | BindingPattern::ArrayPattern(_) => {
                if let Some(Meaning::Answer(call, pointer)) = &member {
                    self.note(*call, pointer.clone(), read, Position::Strict);
                }
                self.bind_read(&property.value, member, of, None);
            }
            value => self.bind_read(value, member, of, Some(read)),
        }
    }

    /// Notes that a member of an expression is read.
    pub(super) fn read(&mut self, member: &Member<'_, 'a>, position: Position) {
        let &Member {
            object,
            name,
            whole,
            at,
        } = member;
        let is_of_promises = || OF_PROMISES.contains(&name) || COMMON.contains(&name);
        match self.meaning(object) {
            Some(Meaning::Promise(call))
                if !is_of_promises()
                    && !self.heard.contains(&call)
                    && position != Position::Tested
                    && self.is_certain()
                    && !self.names.may_have_given(name) =>
            {
                let name = name.to_owned();
                self.calls[call].of_promise.push(PromiseRead { name, at });
            }
            Some(of @ Meaning::Answer(..)) => {
                let read = PendingRead {
                    subject: object.span(),
                    at,
                };
                if let Some(Meaning::Answer(call, pointer)) = of.member(name) {
                    self.last_read = Some((whole, read));
                    self.note(call, pointer, read, position);
                }
            }
            _ => {}
        }
    }

    /// Notes that a name is used. Gives whether it means something.
    #[inline(never)]
    pub(super) fn use_variable(&mut self, name: Ident<'a>, position: Position) -> bool {
        let Some(variable) = self.variables.get(&name) else {
            return false;
        };
        match variable {
            Variable {
                meaning: Meaning::Promise(call),
                ..
            } if position != Position::Strict => self.heard.push(*call),
            // It may hold what was read of an answer.
            Variable {
                meaning: Meaning::Answer(call, pointer),
                read: Some(read),
            } => {
                let (call, pointer, read) = (*call, pointer.clone(), *read);
                self.note(call, pointer, read, position);
            }
            _ => {}
        }
        true
    }

    /// Whether what is read here is read for certain, once the calls before have answered.
    #[inline(never)]
    fn is_certain(&self) -> bool {
        self.unread == 0
            && !self.may_have_ended
            && !self.may_have_left
            && (self.functions == 0 || !self.names.may_catch)
    }

    #[inline(never)]
    fn note(&mut self, call: usize, pointer: String, read: PendingRead, position: Position) {
        match position {
            Position::Tested | Position::Sent => self.tested.push((call, pointer)),
            Position::Value | Position::Strict if self.is_certain() => {
                let name = pointer.rsplit('/').next().unwrap_or_default();
                let is_sure = !COMMON.contains(&name) && !self.names.may_have_given(&pointer);
                let reads = &mut self.calls[call].reads;
                if is_sure && !reads.iter().any(|known| known.pointer == pointer) {
                    reads.push(Read {
                        pointer,
                        subject: read.subject,
                        at: read.at,
                    });
                }
            }
            _ => {}
        }
    }

    /// Visits the function that a method of a list calls with each of the answer's items.
    #[inline(never)]
    pub(super) fn callback(&mut self, it: &CallExpression<'a>, position: Position) -> bool {
        let Expression::StaticMemberExpression(callee) = it.callee.get_inner_expression() else {
            return false;
        };
        let method = callee.property.name.as_str();
        let calls = calls_with_items(method);
        let Some(Argument::ArrowFunctionExpression(function)) = it.arguments.first() else {
            return false;
        };
        if !calls {
            return false;
        }
        let Some(list @ Meaning::Answer(..)) = self.meaning(&callee.object) else {
            return false;
        };
        if let Some(item) = function
            .params
            .items
            .first()
            .filter(|item| item.initializer.is_none())
        {
            self.bind(&item.pattern, list.item(None), item.span);
        }
        let returned = match method {
            "map" | "flatMap" if position == Position::Value => Position::Value,
            "forEach" => Position::Bound,
            _ => Position::Tested,
        };
        self.next_function = Some(self.function);
        self.arrow_function(function, Some(returned));
        for argument in it.arguments.iter().skip(1) {
            self.argument(argument, Position::Tested);
        }
        true
    }
}

/// Whether a call is of a method that calls the functions that it is given.
#[inline(never)]
pub(super) fn calls_arguments(it: &CallExpression<'_>) -> bool {
    let Expression::StaticMemberExpression(callee) = &it.callee else {
        return false;
    };
    let name = callee.property.name.as_str();
    calls_with_items(name) || matches!(name, "reduce" | "then")
}
