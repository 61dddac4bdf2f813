//! What an expression's value is, as far as the text proves it.

use std::borrow::Cow;

use oxc_ast::ast::*;

use super::json::Json;
use super::names::identifier;
use super::walk::Walk;

/// How deep values are looked at.
const DEPTH: u32 = 32;

impl<'a> Walk<'a> {
    /// The value of an expression.
    pub(super) fn value(&mut self, it: &Expression<'a>) -> Json<'a> {
        self.value_at(it, DEPTH)
    }

    fn value_at(&mut self, it: &Expression<'a>, depth: u32) -> Json<'a> {
        if depth == 0 {
            return Json::Unknown;
        }
        match it.get_inner_expression() {
            Expression::NullLiteral(_) => Json::Null,
            Expression::BooleanLiteral(it) => Json::Bool(it.value),
            Expression::NumericLiteral(it) => Json::number(it.value),
            Expression::UnaryExpression(it) if it.operator == UnaryOperator::UnaryNegation => {
                match it.argument.get_inner_expression() {
                    Expression::NumericLiteral(it) => Json::number(-it.value),
                    _ => Json::Unknown,
                }
            }
            Expression::StringLiteral(it) if !it.lone_surrogates => {
                Json::Text(it.value.as_str().into())
            }
            Expression::TemplateLiteral(it) => text(it).map_or(Json::Unknown, Json::Text),
            Expression::ArrayExpression(it) => self.list(it, depth - 1),
            Expression::ObjectExpression(it) => self.object(it, depth - 1),
            Expression::Identifier(it) => self.constant(it.name),
            _ => Json::Unknown,
        }
    }

    #[inline(never)]
    fn list(&mut self, it: &ArrayExpression<'a>, depth: u32) -> Json<'a> {
        let mut items = Vec::with_capacity(it.elements.len());
        let mut open = false;
        for element in &it.elements {
            match (element, element.as_expression()) {
                (_, Some(item)) if !open => items.push(self.value_at(item, depth)),
                // Behind what may be any number of items, nothing has a place.
                (_, Some(_)) => {}
                (ArrayExpressionElement::SpreadElement(spread), _) if !open => {
                    match self.spread(&spread.argument, depth) {
                        Json::List {
                            items: more,
                            open: is_open,
                        } => {
                            items.extend(more);
                            open = is_open;
                        }
                        _ => open = true,
                    }
                }
                (ArrayExpressionElement::SpreadElement(_), _) => {}
                _ => return Json::Unknown,
            }
        }
        Json::List { items, open }
    }

    #[inline(never)]
    fn object(&mut self, it: &ObjectExpression<'a>, depth: u32) -> Json<'a> {
        let mut members: Vec<(Cow<'a, str>, Json<'a>)> = Vec::with_capacity(it.properties.len());
        let mut open = false;
        for property in &it.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(it) => match key(it) {
                    Some(name) if it.kind == PropertyKind::Init && !it.method => {
                        let value = self.value_at(&it.value, depth);
                        Json::set(&mut members, name, value);
                    }
                    Some(name) => Json::set(&mut members, name, Json::Unknown),
                    None => {
                        forget(&mut members);
                        open = true;
                    }
                },
                ObjectPropertyKind::SpreadProperty(it) => match self.spread(&it.argument, depth) {
                    Json::Object {
                        members: more,
                        open: is_open,
                    } => {
                        if is_open {
                            forget(&mut members);
                        }
                        for (name, value) in more {
                            Json::set(&mut members, name, value);
                        }
                        open |= is_open;
                    }
                    _ => {
                        forget(&mut members);
                        open = true;
                    }
                },
            }
        }
        Json::Object { members, open }
    }

    /// The value of what is spread: what is in it is copied.
    #[inline(never)]
    fn spread(&mut self, it: &Expression<'a>, depth: u32) -> Json<'a> {
        let name = identifier(it).filter(|name| self.literals.contains_key(name));
        match name {
            Some(name) if self.literals[&name].value.is_flat() => self.taken(name),
            _ => self.value_at(it, depth),
        }
    }

    /// The value of a name that means one thing everywhere. What shares a list or an object with
    /// another name may be changed by that.
    #[inline(never)]
    fn constant(&mut self, name: Ident<'a>) -> Json<'a> {
        match self.literals.get(&name) {
            Some(known) if !(self.is_naming && known.value.is_shared()) => self.taken(name),
            _ => Json::Unknown,
        }
    }

    #[inline(never)]
    fn taken(&mut self, name: Ident<'a>) -> Json<'a> {
        let Some(known) = self.literals.get_mut(&name) else {
            return Json::Unknown;
        };
        known.uses += 1;
        self.has_names = true;
        known.value.clone()
    }
}

/// Members that something behind them may have replaced.
fn forget(members: &mut [(Cow<'_, str>, Json<'_>)]) {
    for (_, value) in members {
        *value = Json::Unknown;
    }
}

/// The text of a template without expressions.
fn text<'a>(it: &TemplateLiteral<'a>) -> Option<Cow<'a, str>> {
    match (it.quasis.as_slice(), it.expressions.is_empty()) {
        ([only], true) if !only.lone_surrogates => {
            only.value.cooked.map(|text| text.as_str().into())
        }
        _ => None,
    }
}

/// The name of a property, if the text says it.
fn key<'a>(it: &ObjectProperty<'a>) -> Option<Cow<'a, str>> {
    match &it.key {
        PropertyKey::StaticIdentifier(name) => Some(name.name.as_str().into()),
        PropertyKey::StringLiteral(name) if !name.lone_surrogates => {
            Some(name.value.as_str().into())
        }
        PropertyKey::NumericLiteral(name) if name.value.fract() == 0.0 && name.value >= 0.0 => {
            Some(format!("{}", name.value).into())
        }
        _ => None,
    }
}
