//! Enums. Each becomes a variable and a function that fills it, with members on the lines where
//! they were written:
//!
//! `enum E { A, B = f() }` → `var E;(function(E){ E[E["A"]=0]="A";
//! typeof(E["B"]=f())=="string"||(E[E["B"]]="B"); })(E||(E={}));`

use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;
use oxc_syntax::operator::{BinaryOperator, UnaryOperator};

use super::Strip;

impl<'a> Strip<'a, '_> {
    /// `start` is where the declaration begins, `export` included.
    pub(super) fn enumeration(&mut self, it: &TSEnumDeclaration<'a>, start: u32) {
        let name = it.id.name.as_str();
        self.names.declare(name, true);
        let prefix = self.declaration_of(name, start != it.span.start);
        self.edits.replace(
            start,
            it.body.span.start + 1,
            format!("{prefix}(function({name}){{"),
        );
        self.names.enter(true);
        let mut previous = None;
        for member in &it.body.members {
            self.enum_member(name, member, previous);
            previous = Some(member);
        }
        let members = it.body.members.iter().filter_map(|it| member_name(&it.id));
        self.members.entry(name).or_default().extend(members);
        self.reach_members(name);
        self.names.leave();
        let end = it.span.end;
        self.edits
            .replace(end - 1, end, format!("}})({name}||({name}={{}}));"));
    }

    fn enum_member(
        &mut self,
        name: &'a str,
        it: &TSEnumMember<'a>,
        previous: Option<&TSEnumMember<'a>>,
    ) {
        let Some(key) = member_name(&it.id) else {
            return self.fault(
                it.span,
                "The name of an enum's member must be a plain text.",
            );
        };
        let quoted = quoted(key);
        let (start, end) = (it.span.start, it.span.end);
        if let Some(value) = &it.initializer {
            let member = format!("{name}[{quoted}]");
            let (open, close) = match kind_of(value) {
                Kind::Text => (format!("{member}="), String::new()),
                Kind::Number => (format!("{name}[{member}="), format!("]={quoted}")),
                Kind::Unknown => (
                    format!("typeof({member}="),
                    format!(")==\"string\"||({name}[{member}]={quoted})"),
                ),
            };
            self.edits.replace(start, value.span().start, open);
            self.visit_expression(value);
            self.edits.insert(end, close);
        } else {
            let value = match previous.and_then(|previous| member_name(&previous.id)) {
                Some(before) => format!("{name}[{}]+1", self::quoted(before)),
                None => "0".to_owned(),
            };
            self.edits.replace(
                start,
                end,
                format!("{name}[{name}[{quoted}]={value}]={quoted}"),
            );
        }
        let comma = self.skip_trivia(end);
        if self.source.as_bytes().get(comma as usize) == Some(&b',') {
            self.edits.replace(comma, comma + 1, ";");
        } else {
            self.edits.insert(end, ";");
        }
    }

    /// Makes the bare names of an enum's or namespace's members, in the scope at hand, what they
    /// mean: its properties.
    pub(super) fn reach_members(&mut self, name: &'a str) {
        let Some(members) = self.members.get(name) else {
            return;
        };
        for (member, used) in self.names.take_uses(members) {
            let key = if used.shorthand {
                format!("{member}:")
            } else {
                String::new()
            };
            self.edits.insert(used.at, format!("{key}{name}."));
        }
    }

    /// The variable that an enum or namespace needs before its function, unless a class or function
    /// of that name is there.
    pub(super) fn declaration_of(&mut self, name: &'a str, exported: bool) -> String {
        if self.extendable.contains(name) {
            return ";".to_owned();
        }
        let export = exported && self.role == super::Role::Module && self.exported.insert(name);
        format!("{}var {name};", if export { "export " } else { "" })
    }
}

fn member_name<'a>(id: &TSEnumMemberName<'a>) -> Option<&'a str> {
    match id {
        TSEnumMemberName::Identifier(id) => Some(id.name.as_str()),
        TSEnumMemberName::String(text) | TSEnumMemberName::ComputedString(text) => {
            Some(text.value.as_str())
        }
        TSEnumMemberName::ComputedTemplateString(text) => {
            text.single_quasi().map(|text| text.as_str())
        }
    }
}

/// What a member's value is known to be. From a number there is a way back to the name, from a text
/// none.
enum Kind {
    Text,
    Number,
    /// It shows when it is there.
    Unknown,
}

fn kind_of(value: &Expression<'_>) -> Kind {
    match value.get_inner_expression() {
        Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => Kind::Text,
        Expression::NumericLiteral(_) => Kind::Number,
        Expression::UnaryExpression(it) if it.operator != UnaryOperator::Typeof => Kind::Number,
        Expression::BinaryExpression(it) if it.operator != BinaryOperator::Addition => Kind::Number,
        _ => Kind::Unknown,
    }
}

/// A text as a JavaScript literal.
pub(crate) fn quoted(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => literal.extend(['\\', character]),
            ' '..='~' => literal.push(character),
            _ => literal.extend(
                character
                    .encode_utf16(&mut [0; 2])
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}")),
            ),
        }
    }
    literal.push('"');
    literal
}
