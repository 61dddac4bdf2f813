//! TypeScript to JavaScript, in place: types become blanks, and the few things that do something
//! (enums, namespaces, parameter properties) become the code that does it, on the lines where they
//! are.
//!
//! [`Strip`] is one visit of the tree. What it finds on its way (names that are free, imports,
//! whether there is a `return` outside of functions) is what [`super`] needs to decide how the
//! source runs.

mod classes;
mod enums;
mod functions;
mod modules;
mod namespaces;
mod types;

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::{ScopeFlags, ScopeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

pub(crate) use enums::quoted;
pub(super) use modules::DEFAULT_EXPORT;
pub(super) use types::is_type_only;

use self::classes::Constructing;
use super::edits::Edits;
use super::names::{Names, Use};
use super::{Fault, Role};

/// How deep expressions and statements may nest. What is deeper was written by no one, and would
/// use up the stack.
const DEPTH_LIMIT: u32 = 3_000;

/// A visit of one source.
pub(super) struct Strip<'a, 's> {
    pub(super) source: &'s str,
    pub(super) role: Role,
    /// It is a program of a session.
    pub(super) lasting: bool,
    pub(super) edits: Edits,
    pub(super) names: Names<'a>,
    pub(super) found: Found<'a>,
    /// Names that stand for types alone: interfaces, aliases, what is declared only.
    type_names: FxHashSet<&'a str>,
    /// Names of functions and classes that a namespace may add to.
    extendable: FxHashSet<&'a str>,
    /// The enums and namespaces so far, with the names that may be used bare in another part of
    /// them.
    members: FxHashMap<&'a str, FxHashSet<&'a str>>,
    /// Names that a module exports already.
    exported: FxHashSet<&'a str>,
    /// The class around.
    constructing: Constructing<'a>,
    /// There was a `this` in the field or function at hand.
    this: bool,
    function_depth: u32,
    depth: u32,
    /// The pattern at hand is one of `var`.
    is_var: bool,
    /// Where the name is that is called next.
    callee: Option<u32>,
}

/// Functions that make a content block, which other code modes show where nothing takes it.
const BLOCKS: [&str; 2] = ["image", "audio"];

/// What a visit finds besides types.
#[derive(Default)]
pub(super) struct Found<'a> {
    /// What `import()` is called with, where that is a literal, and where.
    pub(super) dynamic_imports: Vec<(&'a str, u32)>,
    /// There is a `return` outside of functions.
    pub(super) returns: bool,
    /// There is an `await` outside of functions.
    pub(super) awaits: bool,
    /// There is an `import.meta`.
    pub(super) import_meta: bool,
    /// There is a statement that only makes a content block.
    pub(super) shows: bool,
    /// The functions of a program that does nothing but declare them.
    pub(super) idle: Vec<&'a str>,
    /// What can't run, and where.
    pub(super) fault: Option<Fault>,
}

impl<'a, 's> Strip<'a, 's> {
    pub(super) fn new(source: &'s str, role: Role, lasting: bool) -> Self {
        Self {
            source,
            role,
            lasting,
            edits: Edits::default(),
            names: Names::default(),
            found: Found::default(),
            type_names: FxHashSet::default(),
            extendable: FxHashSet::default(),
            members: FxHashMap::default(),
            exported: FxHashSet::default(),
            constructing: Constructing::default(),
            this: false,
            function_depth: 0,
            depth: 0,
            is_var: false,
            callee: None,
        }
    }

    fn use_name(&mut self, it: &IdentifierReference<'a>, shorthand: bool) {
        let used = Use {
            at: it.span.start,
            shorthand,
            in_function: self.function_depth > 0,
            called: self.callee == Some(it.span.start),
        };
        self.names.use_name(it.name.as_str(), used);
    }

    pub(super) fn fault(&mut self, span: Span, message: impl Into<String>) {
        self.found.fault.get_or_insert_with(|| Fault {
            message: message.into(),
            offset: span.start as usize,
        });
    }

    fn blank(&mut self, span: Span) {
        self.edits.blank(span.start, span.end);
    }

    fn blank_statement(&mut self, span: Span) {
        self.edits.blank_statement(span.start, span.end);
    }

    pub(super) fn text(&self, start: u32, end: u32) -> &'s str {
        &self.source[start as usize..end as usize]
    }

    fn has_line_end(&self, start: u32, end: u32) -> bool {
        self.text(start, end).contains(['\n', '\r'])
    }

    /// The offset of the next thing that is neither space nor comment.
    fn skip_trivia(&self, from: u32) -> u32 {
        let mut at = from as usize;
        loop {
            let rest = &self.source[at..];
            let trimmed = rest.trim_start();
            at += rest.len() - trimmed.len();
            let comment = match trimmed.as_bytes() {
                [b'/', b'/', ..] => trimmed.find('\n'),
                [b'/', b'*', ..] => trimmed.find("*/").map(|end| end + 2),
                _ => return at as u32,
            };
            at += comment.unwrap_or(trimmed.len());
        }
    }

    /// Blanks the mark (`?`, `!`, a comma) that comes next after an offset, if it does. Gives the
    /// offset after it.
    fn blank_mark(&mut self, mark: u8, from: u32) -> Option<u32> {
        let at = self.skip_trivia(from);
        (self.source.as_bytes().get(at as usize) == Some(&mark)).then(|| {
            self.edits.blank(at, at + 1);
            at + 1
        })
    }

    /// Puts a semicolon where a statement ends in a type that is now blank.
    fn close(&mut self, span: Span) {
        if self.source.as_bytes().get(span.end as usize - 1) != Some(&b';') {
            self.edits.close_statement(span.end);
        }
    }

    /// Goes one level deeper, unless that is too deep.
    fn deeper(&mut self, span: Span, visit: impl FnOnce(&mut Self)) {
        if self.depth >= DEPTH_LIMIT {
            return self.fault(span, "The code is nested too deeply.");
        }
        self.depth += 1;
        visit(self);
        self.depth -= 1;
    }
}

impl<'a> Visit<'a> for Strip<'a, '_> {
    fn enter_scope(&mut self, flags: ScopeFlags, _: &Cell<Option<ScopeId>>) {
        if flags.contains(ScopeFlags::Top) {
            return;
        }
        let function = flags.intersects(ScopeFlags::Function | ScopeFlags::ClassStaticBlock);
        self.names.enter(function);
    }

    fn leave_scope(&mut self) {
        self.names.leave();
    }

    fn visit_program(&mut self, it: &Program<'a>) {
        if let Some(hashbang) = &it.hashbang {
            self.blank(hashbang.span);
        }
        self.visit_statements(&it.body);
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        if is_type_only(it) {
            self.note_type_names(it);
            return self.blank_statement(it.span());
        }
        self.deeper(it.span(), |strip| match it {
            Statement::ImportDeclaration(_) => {}
            Statement::ExportDeclaration(it) => strip.export_declaration(it),
            Statement::ExportNamedDeclaration(it) => strip.export_named(it),
            Statement::ExportFromDeclaration(it) => strip.export_from(it),
            Statement::ExportAllDeclaration(it) => strip.export_all(it),
            Statement::ExportDefaultDeclaration(it) => strip.export_default(it),
            Statement::TSExportAssignment(it) => strip.export_assignment(it),
            Statement::TSImportEqualsDeclaration(it) => strip.import_equals(it),
            Statement::TSEnumDeclaration(it) => strip.enumeration(it, it.span.start),
            Statement::TSNamespaceDeclaration(it) => strip.namespace(it, it.span.start),
            _ => walk::walk_statement(strip, it),
        });
        if let Statement::ExpressionStatement(_)
        | Statement::VariableDeclaration(_)
        | Statement::ReturnStatement(_)
        | Statement::ThrowStatement(_) = it
        {
            self.close(it.span());
        }
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        self.found.returns |= self.function_depth == 0;
        walk::walk_return_statement(self, it);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.found.awaits |= self.function_depth == 0;
        walk::walk_await_expression(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.found.awaits |= it.r#await && self.function_depth == 0;
        walk::walk_for_of_statement(self, it);
    }

    fn visit_expression(&mut self, it: &Expression<'a>) {
        self.deeper(it.span(), |strip| walk::walk_expression(strip, it));
    }

    /// Long sums of texts are deep on their left side: that side is followed in a loop.
    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        let mut right_sides = vec![&it.right];
        let mut left = &it.left;
        while let Expression::BinaryExpression(inner) = left {
            right_sides.push(&inner.right);
            left = &inner.left;
        }
        self.visit_expression(left);
        for side in right_sides.into_iter().rev() {
            self.visit_expression(side);
        }
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        if let Expression::StringLiteral(literal) = &it.source {
            self.found
                .dynamic_imports
                .push((literal.value.as_str(), literal.span.start));
        }
        walk::walk_import_expression(self, it);
    }

    fn visit_import_meta(&mut self, it: &ImportMeta) {
        if self.lasting {
            // A script has none.
            self.edits
                .replace(it.span.start, it.span.end, "Object({main:true})");
        }
        self.found.import_meta = true;
    }

    // Names.

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if let Expression::Identifier(callee) = it.callee.get_inner_expression() {
            self.callee = Some(callee.span.start);
        }
        walk::walk_call_expression(self, it);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        let shown = match it.expression.get_inner_expression() {
            Expression::AwaitExpression(awaits) => awaits.argument.get_inner_expression(),
            other => other,
        };
        self.found.shows |= matches!(shown, Expression::CallExpression(call)
            if matches!(&call.callee, Expression::Identifier(id) if BLOCKS.contains(&id.name.as_str())));
        walk::walk_expression_statement(self, it);
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        let name = it.name.as_str();
        if self.is_var {
            self.names.declare_var(name);
        } else {
            self.names.declare(name, false);
        }
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.use_name(it, false);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        match &it.value {
            Expression::Identifier(id) if it.shorthand => {
                self.use_name(id, true);
            }
            _ => walk::walk_object_property(self, it),
        }
    }

    fn visit_assignment_target_property_identifier(
        &mut self,
        it: &AssignmentTargetPropertyIdentifier<'a>,
    ) {
        self.use_name(&it.binding, true);
        if let Some(default) = &it.init {
            self.visit_expression(default);
        }
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        for declarator in &it.declarations {
            self.is_var = it.kind.is_var();
            self.visit_binding_pattern(&declarator.id);
            self.is_var = false;
            if declarator.definite {
                self.blank_mark(b'!', declarator.id.span().end);
            }
            if let Some(annotation) = &declarator.type_annotation {
                self.visit_ts_type_annotation(annotation);
            }
            if let Some(init) = &declarator.init {
                self.visit_expression(init);
            }
        }
    }

    // Types.

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.blank(it.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.blank(it.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.blank(it.span);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.edits.blank(it.expression.span().end, it.span.end);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.edits.blank(it.expression.span().end, it.span.end);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.edits.blank(it.expression.span().end, it.span.end);
    }

    fn visit_ts_instantiation_expression(&mut self, it: &TSInstantiationExpression<'a>) {
        self.visit_expression(&it.expression);
        self.edits.blank(it.expression.span().end, it.span.end);
    }

    /// `<T>value`. A line end in the type would end a `return` before it, so brackets hold the
    /// value then.
    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        self.visit_expression(&it.expression);
        let start = it.expression.span().start;
        if self.has_line_end(it.span.start, start) {
            self.edits.blank_after(b'(', it.span.start, start);
            self.edits.insert(it.span.end, ")");
        } else {
            self.edits.blank(it.span.start, start);
        }
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.fault(
            it.span,
            "Decorators are not supported; call the function on the class instead.",
        );
    }

    // Functions and classes.

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.function(it, flags);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.arrow_function(it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        self.parameter(it);
    }

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        self.blank(it.span);
        self.blank_mark(b',', it.span.end);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.class(it);
    }

    fn visit_this_expression(&mut self, _: &ThisExpression) {
        self.this = true;
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        self.class_element(it);
    }
}
