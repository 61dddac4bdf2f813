//! Classes: modifiers, members that only declare, `implements`.

use oxc_ast::ast::*;
use oxc_ast_visit::walk;
use oxc_span::GetSpan;

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
        let parameter_properties = std::mem::take(&mut self.parameter_properties);
        walk::walk_class(self, it);
        self.parameter_properties = parameter_properties;
    }

    pub(super) fn class_element(&mut self, it: &ClassElement<'a>) {
        match it {
            ClassElement::MethodDefinition(method) => self.method(method),
            ClassElement::PropertyDefinition(property) => self.property(property),
            ClassElement::TSIndexSignature(signature) => self.blank_statement(signature.span),
            _ => walk::walk_class_element(self, it),
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
            self.constructor(it);
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
        walk::walk_property_definition(self, it);
        self.close(it.span);
    }

    fn blank_mark_after_key(&mut self, mark: u8, key: &PropertyKey<'a>, computed: bool) {
        let mut from = key.span().end;
        if computed {
            from = self.skip_trivia(from) + 1;
        }
        self.blank_mark(mark, from);
    }

    /// Blanks a member's modifiers. A field before it that ends without a semicolon would go on in `[` or `*`.
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

    /// Blanks the modifiers between two offsets, with a semicolon for the first if it is the first word and `close` is set.
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
