//! The visit that finds the operations of a source, and knows what QuickJS has noted when it comes
//! to each.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

use super::{FEWEST_ROUNDED_DIGITS, Found, Kind, Site, Told};

pub(super) struct Survey<'s> {
    text: &'s str,
    pub(super) told: Told,
    pub(super) found: Found,
    /// The call that `await` was seen before last.
    awaited: Option<Span>,
}

/// What an operation is about.
#[derive(Clone, Copy)]
pub(super) struct Subject {
    pub(super) span: Span,
    /// Where a reader looks for it: at its last name.
    pub(super) at: u32,
}

impl Subject {
    fn of(expression: &Expression<'_>) -> Self {
        let span = expression.span();
        let at = match expression {
            Expression::StaticMemberExpression(it) => it.property.span.start,
            _ => span.start,
        };
        Self { span, at }
    }

    pub(super) fn key(key: &PropertyKey<'_>) -> Self {
        let span = key.span();
        Self {
            span,
            at: span.start,
        }
    }
}

impl<'s> Survey<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        Self {
            text,
            told: Told::Function(0),
            found: Found::default(),
            awaited: None,
        }
    }

    /// QuickJS notes a token. It counts its columns from the last name or space before.
    pub(super) fn note(&mut self, token: u32) {
        let bytes = self.text.as_bytes();
        let is_name = |at: usize| {
            matches!(bytes[at], b'_' | b'$' | 0x80..) || bytes[at].is_ascii_alphanumeric()
        };
        let mut at = token as usize;
        let mut begin = at;
        if at < bytes.len() && !is_name(at) {
            while at > 0 && !bytes[at - 1].is_ascii_whitespace() && !bytes[..at].ends_with(b"*/") {
                at -= 1;
                begin = at;
                let starts = is_name(at) && (at == 0 || !is_name(at - 1));
                if starts && !bytes[at].is_ascii_digit() {
                    break;
                }
            }
        }
        self.told = Told::At(begin as u32);
    }

    pub(super) fn push(&mut self, kind: Kind, at: u32, subject: Option<Span>) {
        self.found.sites.push(Site {
            told: self.told,
            kind,
            at,
            name: None,
            subject,
            of_this: false,
            awaited: false,
        });
    }

    pub(super) fn push_access(
        &mut self,
        kind: Kind,
        object: &Expression<'_>,
        at: u32,
        name: Option<Span>,
    ) {
        self.found.sites.push(Site {
            told: self.told,
            kind,
            at,
            name,
            subject: Some(object.span()),
            of_this: matches!(object, Expression::ThisExpression(_)),
            awaited: false,
        });
    }

    /// Visits what has a function of its own.
    fn within(&mut self, told: Told, visit: impl FnOnce(&mut Self)) {
        let around = std::mem::replace(&mut self.told, told);
        visit(self);
        self.told = around;
    }

    fn arguments<'a>(&mut self, arguments: &[Argument<'a>]) {
        for argument in arguments {
            self.visit_argument(argument);
        }
    }

    fn fields<'a>(&mut self, elements: &[ClassElement<'a>], is_static: bool) {
        for element in elements {
            match element {
                ClassElement::PropertyDefinition(it) if it.r#static == is_static => {
                    if let Some(value) = &it.value {
                        self.visit_expression(value);
                    }
                }
                ClassElement::StaticBlock(it) if is_static => self.visit_static_block(it),
                _ => {}
            }
        }
    }
}

/// The text that a literal key stands for.
pub(super) fn literal(key: &Expression<'_>) -> Option<Span> {
    match key {
        Expression::StringLiteral(it) => Some(it.span.shrink(1)),
        Expression::NumericLiteral(it) => Some(it.span),
        _ => None,
    }
}

impl<'a> Visit<'a> for Survey<'_> {
    // What QuickJS notes.

    fn visit_numeric_literal(&mut self, it: &NumericLiteral<'a>) {
        let digits = it.span.source_text(self.text).replace('_', "");
        let is_integer = digits.bytes().all(|digit| digit.is_ascii_digit());
        if digits.len() >= FEWEST_ROUNDED_DIGITS
            && is_integer
            && format!("{:.0}", it.value) != digits
        {
            self.found.rounded.push(it.span);
        }
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.told = Told::At(it.span.start);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        self.note(it.span.start);
        walk::walk_expression_statement(self, it);
    }

    fn visit_throw_statement(&mut self, it: &ThrowStatement<'a>) {
        self.note(it.argument.span().start);
        walk::walk_throw_statement(self, it);
    }

    /// Long sums of texts are deep on their left side: that side is followed in a loop.
    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        let mut right_sides = vec![(it.operator, &it.right)];
        let mut left = &it.left;
        while let Expression::BinaryExpression(inner) = left {
            right_sides.push((inner.operator, &inner.right));
            left = &inner.left;
        }
        self.visit_expression(left);
        for (operator, side) in right_sides.into_iter().rev() {
            if operator != BinaryOperator::Exponential {
                self.note(side.span().start);
            }
            self.visit_expression(side);
        }
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if it.shorthand {
            return;
        }
        if it.computed {
            self.visit_property_key(&it.key);
        }
        self.visit_expression(&it.value);
    }

    // Operations.

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        self.visit_expression(&it.object);
        let name = it.property.span;
        self.push_access(Kind::Read, &it.object, name.start, Some(name));
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        self.visit_expression(&it.object);
        self.visit_expression(&it.expression);
        let at = it.expression.span().start;
        self.push_access(Kind::Read, &it.object, at, literal(&it.expression));
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        let awaited = self.awaited == Some(it.span);
        self.visit_expression(&it.callee);
        if !matches!(it.callee, Expression::Super(_)) {
            let first = it.arguments.first();
            self.note(first.map_or(it.span.end - 1, |argument| argument.span().start));
        }
        self.arguments(&it.arguments);
        let kind = match it.callee {
            Expression::Super(_) => Kind::Super,
            _ => Kind::Call,
        };
        let callee = Subject::of(&it.callee);
        let first = it.arguments.first().and_then(Argument::as_expression);
        self.found.sites.push(Site {
            told: self.told,
            kind,
            at: callee.at,
            name: first.and_then(literal),
            subject: Some(callee.span),
            of_this: false,
            awaited,
        });
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        if let Expression::CallExpression(call) = it.argument.without_parentheses() {
            self.awaited = Some(call.span);
        }
        walk::walk_await_expression(self, it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        self.note(it.callee.span().start);
        self.visit_expression(&it.callee);
        self.arguments(&it.arguments);
        self.push(Kind::Construct, it.span.start, Some(it.callee.span()));
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        self.visit_expression(&it.tag);
        self.note(it.quasi.span.start);
        self.visit_template_literal(&it.quasi);
        let tag = Subject::of(&it.tag);
        self.push(Kind::Call, tag.at, Some(tag.span));
    }

    fn visit_spread_element(&mut self, it: &SpreadElement<'a>) {
        self.visit_expression(&it.argument);
        self.iterate(it.span, Some(Subject::of(&it.argument)));
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if let AssignmentTarget::AssignmentTargetIdentifier(name) = &it.left {
            self.bind(name.span, None, &it.right);
        }
        self.target(&it.left, Some(Subject::of(&it.right)));
        self.visit_expression(&it.right);
        self.write(&it.left);
    }

    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'a>) {
        match it {
            SimpleAssignmentTarget::StaticMemberExpression(it) => self.visit_expression(&it.object),
            SimpleAssignmentTarget::ComputedMemberExpression(it) => {
                self.visit_expression(&it.object);
                self.visit_expression(&it.expression);
            }
            _ => walk::walk_simple_assignment_target(self, it),
        }
    }

    fn visit_binding_pattern(&mut self, it: &BindingPattern<'a>) {
        self.pattern(it, None);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let Some(init) = &it.init {
            self.bind_pattern(&it.id, init);
        }
        self.pattern(&it.id, it.init.as_ref().map(Subject::of));
        if let Some(init) = &it.init {
            self.visit_expression(init);
        }
    }

    /// QuickJS moves the assignment of each value behind what gives the values.
    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.visit_expression(&it.right);
        self.iterate(it.span, Some(Subject::of(&it.right)));
        self.visit_for_statement_left(&it.left);
        self.visit_statement(&it.body);
        self.note(it.span.start);
    }

    // Functions.

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.within(Told::Function(it.span.start), |survey| {
            walk::walk_function(survey, it, flags)
        });
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.within(Told::Function(it.span.start), |survey| {
            walk::walk_arrow_function_expression(survey, it)
        });
    }

    /// QuickJS makes one function of all fields, and one of all that is static.
    fn visit_class(&mut self, it: &Class<'a>) {
        if let Some(heritage) = &it.heritage {
            self.visit_expression(&heritage.expression);
        }
        let elements = &it.body.body;
        for element in elements {
            match element {
                ClassElement::PropertyDefinition(_) | ClassElement::StaticBlock(_) => {}
                _ => self.visit_class_element(element),
            }
        }
        for is_static in [false, true] {
            self.within(Told::Fields, |survey| {
                survey.fields(elements, is_static);
            });
        }
    }

    fn visit_static_block(&mut self, it: &StaticBlock<'a>) {
        self.within(Told::Function(it.span.start), |survey| {
            walk::walk_static_block(survey, it);
        });
    }
}
