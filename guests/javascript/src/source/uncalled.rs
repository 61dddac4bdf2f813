//! A function that is the program, and that only the end of the program calls: nothing would give
//! its arguments.

use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

use super::strip::Strip;

/// How much of a parameter is shown that has no name, in bytes.
const SHOWN_BYTES: usize = 80;

pub(super) struct Uncalled<'a, 'p> {
    /// Empty where it has none.
    pub(super) name: &'a str,
    span: Span,
    awaits: bool,
    parameters: &'p FormalParameters<'a>,
}

impl<'a, 'p> Uncalled<'a, 'p> {
    fn new(function: &'p Function<'a>) -> Self {
        Self {
            name: function.id.as_ref().map_or("", |id| id.name.as_str()),
            span: function.span,
            awaits: function.r#async,
            parameters: &function.params,
        }
    }

    pub(super) fn declared(function: &'p Function<'a>) -> Option<Self> {
        Some(Self::new(function)).filter(|function| !function.name.is_empty())
    }

    pub(super) fn expressed(expression: &'p Expression<'a>) -> Option<Self> {
        match expression.get_inner_expression() {
            Expression::FunctionExpression(function) => Some(Self::new(function)),
            Expression::ArrowFunctionExpression(arrow) => Some(Self {
                name: "",
                span: arrow.span,
                awaits: arrow.r#async,
                parameters: &arrow.params,
            }),
            _ => None,
        }
    }

    /// `const name = () => …`
    pub(super) fn constant(declarator: &'p VariableDeclarator<'a>) -> Option<Self> {
        let BindingPattern::BindingIdentifier(id) = &declarator.id else {
            return None;
        };
        let function = Self::expressed(declarator.init.as_ref()?)?;
        let name = id.name.as_str();
        Some(Self { name, ..function })
    }

    /// What a program exports by default, where that is a function.
    pub(super) fn exported(statement: &'p Statement<'a>) -> Option<Self> {
        let Statement::ExportDefaultDeclaration(export) = statement else {
            return None;
        };
        match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                Some(Self::new(function))
            }
            other => other.as_expression().and_then(Self::expressed),
        }
    }

    /// Refuses the program where the function can't do without arguments.
    pub(super) fn ask_for_arguments(&self, strip: &mut Strip<'_, '_>) {
        let needed = self.parameters.items.iter();
        let needed = needed.filter(|it| it.initializer.is_none() && !it.optional);
        let needed: Vec<_> = needed
            .map(|it| match &it.pattern {
                BindingPattern::BindingIdentifier(id) => format!("`{}`", id.name),
                pattern => {
                    let span = pattern.span();
                    let text = strip.text(span.start, span.end);
                    let short = text.len() <= SHOWN_BYTES && !text.contains('\n');
                    format!("`{}`", if short { text } else { "{ … }" })
                }
            })
            .collect();
        if needed.is_empty() {
            return;
        }
        let needed = needed.join(", ");
        let call = if self.awaits {
            "return await"
        } else {
            "return"
        };
        let message = if self.name.is_empty() {
            format!(
                "The script is a function that nothing calls with {needed}: give it a name and end with a call that gives them, \
                 such as `{call} main(…)`, or write a function without parameters."
            )
        } else {
            format!(
                "The script declares `{name}` and calls nothing. End it with a call that gives {needed}, such as `{call} {name}(…)`.",
                name = self.name
            )
        };
        strip.fault(self.span, message);
    }
}
