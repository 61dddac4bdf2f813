//! Functions: optional parameters, `this` parameters, and types across the lines of an arrow
//! function.

use oxc_ast::ast::*;
use oxc_ast_visit::walk;
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use super::Strip;

impl<'a> Strip<'a, '_> {
    pub(super) fn function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if let (FunctionType::FunctionDeclaration, Some(id)) = (it.r#type, &it.id) {
            self.names.declare(id.name.as_str(), false);
            self.extendable.insert(id.name.as_str());
        }
        let this = self.this;
        self.function_depth += 1;
        walk::walk_function(self, it, flags);
        self.function_depth -= 1;
        self.this = this;
    }

    /// An arrow function may not have a line end between `async` or the types before its brackets
    /// and those, nor between its brackets and `=>`. Where blanking types would leave one, the
    /// bracket moves to the other side of it.
    pub(super) fn arrow_function(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.function_depth += 1;
        walk::walk_arrow_function_expression(self, it);
        self.function_depth -= 1;
        let brackets = it.params.span;
        if let Some(types) = &it.type_parameters
            && self.has_line_end(types.span.start, brackets.start)
        {
            self.edits
                .blank_after(b'(', types.span.start, brackets.start + 1);
        }
        if let Some(result) = &it.return_type
            && self.has_line_end(brackets.end, result.span.end)
        {
            self.edits
                .blank_before(b')', brackets.end - 1, result.span.end);
        }
    }

    pub(super) fn parameter(&mut self, it: &FormalParameter<'a>) {
        let start = it.pattern.span().start;
        if it.accessibility.is_some() || it.readonly || it.r#override {
            let modifiers = self.skip_trivia(
                it.decorators
                    .last()
                    .map_or(it.span.start, |last| last.span.end),
            );
            self.edits.blank(modifiers, start);
            if let BindingPattern::BindingIdentifier(id) = &it.pattern {
                self.constructing.parameters.push(id.name.as_str());
            }
        }
        if it.optional {
            self.blank_mark(b'?', it.pattern.span().end);
        }
        walk::walk_formal_parameter(self, it);
    }
}
