//! Enums. Each becomes a variable and a function that fills it, with members on the lines where they were written:
//!
//! `enum E { A, B = f() }` → `var E;(function(E){ E[E["A"]=0]="A"; E[E["B"]= f()]="B" })(E||(E={}));`

use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;
use oxc_syntax::operator::BinaryOperator;
use rustc_hash::FxHashSet;

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
        self.in_reach
            .push((name, self.members.get(name).cloned().unwrap_or_default()));
        let mut texts = FxHashSet::default();
        let mut previous = None;
        for member in &it.body.members {
            self.enum_member(name, member, previous, &mut texts);
            previous = Some(member);
        }
        if let Some((_, members)) = self.in_reach.pop() {
            self.members.insert(name, members);
        }
        let end = it.span.end;
        self.edits
            .replace(end - 1, end, format!("}})({name}||({name}={{}}));"));
    }

    fn enum_member(
        &mut self,
        name: &'a str,
        it: &TSEnumMember<'a>,
        previous: Option<&TSEnumMember<'a>>,
        texts: &mut FxHashSet<&'a str>,
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
            let text = is_text(value, texts);
            let open = if text {
                format!("{name}[{quoted}]=")
            } else {
                format!("{name}[{name}[{quoted}]=")
            };
            self.edits.replace(start, value.span().start, open);
            self.visit_expression(value);
            if text {
                texts.insert(key);
            } else {
                self.edits.insert(end, format!("]={quoted}"));
            }
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
        if let Some((_, members)) = self.in_reach.last_mut() {
            members.insert(key);
        }
    }

    /// The variable that an enum or namespace needs before its function, unless a class or function of that name is there.
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

/// Whether a member's value is a text, so that there is no way back from it to the name.
fn is_text(value: &Expression<'_>, texts: &FxHashSet<&str>) -> bool {
    match value.get_inner_expression() {
        Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => true,
        Expression::Identifier(id) => texts.contains(id.name.as_str()),
        Expression::StaticMemberExpression(it) => texts.contains(it.property.name.as_str()),
        Expression::BinaryExpression(it) => {
            it.operator == BinaryOperator::Addition
                && (is_text(&it.left, texts) || is_text(&it.right, texts))
        }
        _ => false,
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
