//! The part of the visit for what is taken apart and assigned: patterns, and the targets of
//! assignments.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};

use super::survey::{Subject, Survey, literal};
use super::{Binding, Kind, Site};

impl Survey<'_> {
    /// A pattern that `subject` is taken apart by. QuickJS compiles it before what it is assigned.
    pub(super) fn pattern<'a>(&mut self, pattern: &BindingPattern<'a>, subject: Option<Subject>) {
        match pattern {
            BindingPattern::BindingIdentifier(_) => {}
            BindingPattern::ObjectPattern(it) => {
                let first = it.properties.first().map(|property| property.key.span());
                self.unpack(it.span, first, subject);
                for property in &it.properties {
                    if property.computed {
                        self.visit_property_key(&property.key);
                    }
                    self.pattern(&property.value, Some(Subject::key(&property.key)));
                }
            }
            BindingPattern::ArrayPattern(it) => {
                self.iterate(it.span, subject);
                for element in it.elements.iter().flatten() {
                    self.pattern(element, None);
                }
                if let Some(rest) = &it.rest {
                    self.pattern(&rest.argument, None);
                }
                self.note(it.span.start);
            }
            BindingPattern::AssignmentPattern(it) => {
                self.pattern(&it.left, subject);
                self.visit_expression(&it.right);
            }
        }
    }

    /// Notes the names that a declaration gives what an awaited call gives.
    pub(super) fn bind_pattern(&mut self, pattern: &BindingPattern<'_>, init: &Expression<'_>) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => self.bind(name.span, None, init),
            BindingPattern::ObjectPattern(it) => {
                for property in it.properties.iter().filter(|property| !property.computed) {
                    if let BindingPattern::BindingIdentifier(name) = &property.value {
                        self.bind(name.span, Some(property.key.span()), init);
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes that a name gets what an awaited call gives, if that is what stands there; or a
    /// property of that.
    pub(super) fn bind(&mut self, name: Span, property: Option<Span>, init: &Expression<'_>) {
        let (of, property) = match init.without_parentheses() {
            Expression::StaticMemberExpression(it) if property.is_none() => {
                (it.object.without_parentheses(), Some(it.property.span))
            }
            of => (of, property),
        };
        if let Expression::AwaitExpression(awaited) = of
            && let Expression::CallExpression(call) = awaited.argument.without_parentheses()
        {
            self.found.bindings.push(Binding {
                name,
                property,
                callee: call.callee.span(),
            });
        }
    }

    fn unpack(&mut self, span: Span, first: Option<Span>, subject: Option<Subject>) {
        self.found.sites.push(Site {
            told: self.told,
            kind: Kind::Unpack,
            at: first.unwrap_or(span).start,
            name: first,
            subject: subject.map(|subject| subject.span),
            of_this: false,
            awaited: false,
        });
    }

    pub(super) fn iterate(&mut self, span: Span, subject: Option<Subject>) {
        let at = subject.map_or(span.start, |subject| subject.at);
        self.push(Kind::Iterate, at, subject.map(|subject| subject.span));
    }

    pub(super) fn target<'a>(&mut self, target: &AssignmentTarget<'a>, subject: Option<Subject>) {
        match target {
            AssignmentTarget::ObjectAssignmentTarget(it) => {
                let first = it.properties.first().map(|property| match property {
                    AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(it) => {
                        it.binding.span
                    }
                    AssignmentTargetProperty::AssignmentTargetPropertyProperty(it) => {
                        it.name.span()
                    }
                });
                self.unpack(it.span, first, subject);
                for property in &it.properties {
                    match property {
                        AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(it) => {
                            if let Some(init) = &it.init {
                                self.visit_expression(init);
                            }
                        }
                        AssignmentTargetProperty::AssignmentTargetPropertyProperty(it) => {
                            if it.computed {
                                self.visit_property_key(&it.name);
                            }
                            self.target_or_default(&it.binding, Some(Subject::key(&it.name)));
                        }
                    }
                }
            }
            AssignmentTarget::ArrayAssignmentTarget(it) => {
                self.iterate(it.span, subject);
                for element in it.elements.iter().flatten() {
                    self.target_or_default(element, None);
                }
                self.note(it.span.start);
            }
            _ => walk::walk_assignment_target(self, target),
        }
    }

    fn target_or_default<'a>(
        &mut self,
        target: &AssignmentTargetMaybeDefault<'a>,
        subject: Option<Subject>,
    ) {
        match target {
            AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(it) => {
                self.target(&it.binding, subject);
                self.visit_expression(&it.init);
            }
            _ => self.target(target.to_assignment_target(), subject),
        }
    }

    /// The writing of a simple target, after what is written was visited.
    pub(super) fn write(&mut self, target: &AssignmentTarget<'_>) {
        match target {
            AssignmentTarget::StaticMemberExpression(it) => {
                let name = it.property.span;
                self.push_access(Kind::Write, &it.object, name.start, Some(name));
            }
            AssignmentTarget::ComputedMemberExpression(it) => {
                let at = it.expression.span().start;
                self.push_access(Kind::Write, &it.object, at, literal(&it.expression));
            }
            _ => {}
        }
    }
}
