//! Classes: modifiers, members that only declare, `implements`, and parameter properties.
//!
//! TypeScript sets parameter properties before fields, JavaScript fields before the constructor's
//! body. So the fields that may read them get their values from methods, which the constructor
//! calls when it has set the properties:
//!
//! `constructor(private a) {} b = this.a` → `constructor(a) {;this.a=a;this.b=this.#$0();}
//! b;#$0(){return this.a}`

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

use super::Strip;

/// The words before a member that are TypeScript's alone.
const MODIFIERS: [&str; 7] = [
    "public",
    "private",
    "protected",
    "readonly",
    "override",
    "abstract",
    "declare",
];

/// What a class's constructor has to set.
#[derive(Default)]
pub(super) struct Constructing<'a> {
    /// Its parameter properties.
    pub(super) parameters: Vec<&'a str>,
    /// Where they are set.
    at: Option<u32>,
    /// The fields with a `this` in their value: the ends of their keys, and where their values are.
    fields: Vec<(Span, Span)>,
}

impl<'a> Strip<'a, '_> {
    pub(super) fn class(&mut self, it: &Class<'a>) {
        if let Some(id) = &it.id {
            self.extendable.insert(id.name.as_str());
        }
        if it.r#abstract {
            let start = it
                .decorators
                .last()
                .map_or(it.span.start, |last| last.span.end);
            self.blank_modifiers(
                start,
                it.id
                    .as_ref()
                    .map_or(it.body.span.start, |id| id.span.start),
                false,
            );
        }
        if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
            let before = &self.source[it.span.start as usize..first.span.start as usize];
            if let Some(keyword) = before.rfind("implements") {
                self.edits
                    .blank(it.span.start + keyword as u32, last.span.end);
            }
        }
        let (around, this) = (std::mem::take(&mut self.constructing), self.this);
        walk::walk_class(self, it);
        let own = std::mem::replace(&mut self.constructing, around);
        self.this = this;
        self.set_properties(&own);
    }

    /// Sets parameter properties where the constructor begins, and then the fields that may read
    /// them.
    fn set_properties(&mut self, of: &Constructing<'a>) {
        let (Some(at), false) = (of.at, of.parameters.is_empty()) else {
            return;
        };
        let mut sets = String::from(";");
        for name in &of.parameters {
            sets += &format!("this.{name}={name};");
        }
        for (number, (key, value)) in of.fields.iter().enumerate() {
            let written = self.text(key.start, key.end);
            sets += &match written.as_bytes() {
                [b'"' | b'\'' | b'0'..=b'9' | b'.', ..] => format!("this[{written}]"),
                _ => format!("this.{written}"),
            };
            sets += &format!("=this.#${number}();");
            self.edits
                .replace(key.end, value.start, format!(";#${number}(){{return "));
            self.edits.insert(value.end, "}");
        }
        self.edits.insert(at, sets);
    }

    pub(super) fn class_element(&mut self, it: &ClassElement<'a>) {
        match it {
            ClassElement::MethodDefinition(method) => self.method(method),
            ClassElement::PropertyDefinition(property) => self.property(property),
            ClassElement::TSIndexSignature(signature) => self.blank_statement(signature.span),
            ClassElement::AccessorProperty(accessor) => self.fault(
                accessor.span,
                "`accessor` fields are not supported; leave the word out, or write a `get` and a `set` method.",
            ),
            ClassElement::StaticBlock(_) => walk::walk_class_element(self, it),
        }
    }

    fn method(&mut self, it: &MethodDefinition<'a>) {
        if it.value.body.is_none() {
            return self.blank_statement(it.span);
        }
        self.member_modifiers(
            it.span.start,
            &it.decorators,
            &it.key,
            it.computed,
            it.value.generator,
        );
        if it.optional {
            self.blank_mark_after_key(b'?', &it.key, it.computed);
        }
        if it.kind.is_constructor() {
            self.visit_function(&it.value, ScopeFlags::Function | ScopeFlags::Constructor);
            self.constructing.at = it.value.body.as_ref().map(|body| start_of(body));
        } else {
            walk::walk_method_definition(self, it);
        }
    }

    fn property(&mut self, it: &PropertyDefinition<'a>) {
        if it.declare || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition {
            return self.blank_statement(it.span);
        }
        self.member_modifiers(it.span.start, &it.decorators, &it.key, it.computed, false);
        if it.optional {
            self.blank_mark_after_key(b'?', &it.key, it.computed);
        }
        if it.definite {
            self.blank_mark_after_key(b'!', &it.key, it.computed);
        }
        let this = std::mem::replace(&mut self.this, false);
        walk::walk_property_definition(self, it);
        let reads = std::mem::replace(&mut self.this, this) && !it.r#static && !it.computed;
        if let Some(value) = &it.value
            && reads
            // An arrow function reads when it is called.
            && !matches!(value, Expression::ArrowFunctionExpression(_))
        {
            self.constructing.fields.push((it.key.span(), value.span()));
        }
        self.close(it.span);
    }

    fn blank_mark_after_key(&mut self, mark: u8, key: &PropertyKey<'a>, computed: bool) {
        let mut from = key.span().end;
        if computed {
            from = self.skip_trivia(from) + 1;
        }
        self.blank_mark(mark, from);
    }

    /// Blanks a member's modifiers. A field before it that ends without a semicolon would go on in
    /// `[` or `*`.
    fn member_modifiers(
        &mut self,
        start: u32,
        decorators: &[Decorator<'a>],
        key: &PropertyKey<'a>,
        computed: bool,
        generator: bool,
    ) {
        let start = self.skip_trivia(decorators.last().map_or(start, |last| last.span.end));
        self.blank_modifiers(start, key.span().start, computed || generator);
    }

    /// Blanks the modifiers between two offsets, with a semicolon for the first if it is the first
    /// word and `close` is set.
    fn blank_modifiers(&mut self, start: u32, end: u32, close: bool) {
        let mut at = start;
        loop {
            at = self.skip_trivia(at);
            let rest = &self.source[at as usize..];
            let length = rest
                .find(|character: char| !character.is_ascii_alphabetic())
                .unwrap_or(rest.len()) as u32;
            if at >= end || length == 0 {
                return;
            }
            if MODIFIERS.contains(&self.text(at, at + length)) {
                if close && at == start {
                    self.edits.blank_statement(at, at + length);
                } else {
                    self.edits.blank(at, at + length);
                }
            }
            at += length;
        }
    }
}

/// Where the constructor's own code begins: after its directives and the call of `super`, if there
/// is one.
fn start_of(body: &FunctionBody<'_>) -> u32 {
    let after_super = body
        .statements
        .iter()
        .find(|statement| calls_super(statement));
    let after_directives = body.directives.last().map(|directive| directive.span.end);
    after_super
        .map(|call| call.span().end)
        .or(after_directives)
        .unwrap_or(body.span.start + 1)
}

fn calls_super(statement: &Statement<'_>) -> bool {
    matches!(statement, Statement::ExpressionStatement(it)
        if matches!(&it.expression, Expression::CallExpression(call) if call.callee.is_super()))
}
