//! The visit of a whole source that finds how often each name is declared, and what the source
//! changes.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;

use super::names::{Names, identifier};
use super::words;

/// The visit of a source that finds them.
pub(super) struct Survey<'n, 'a> {
    names: &'n mut Names<'a>,
    /// The names of what is given properties that the text does not name.
    changed: Vec<Ident<'a>>,
    /// The names of what is given items.
    filled: Vec<Ident<'a>>,
    /// How many functions are around.
    functions: u32,
    /// How many classes are around.
    classes: u32,
}

impl<'n, 'a> Survey<'n, 'a> {
    /// Finds what is known of names. Gives those of what is given properties that the text does not
    /// name, and those of what is given items.
    pub(super) fn of(
        names: &'n mut Names<'a>,
        program: &Program<'a>,
    ) -> (Vec<Ident<'a>>, Vec<Ident<'a>>) {
        let mut survey = Self {
            names,
            changed: Vec::new(),
            filled: Vec::new(),
            functions: 0,
            classes: 0,
        };
        survey.visit_program(program);
        (survey.changed, survey.filled)
    }

    /// Notes a name, of whatever it is.
    fn word(&mut self, word: &str) {
        if words::may_be_one(word) {
            self.likely_word(word);
        }
    }

    #[inline(never)]
    fn likely_word(&mut self, word: &str) {
        self.names.hides |= words::HIDING.contains(&word);
        self.names.may_catch |= words::CATCHING.contains(&word);
        self.names.assigns_any |= words::GIVING.contains(&word);
        self.names.may_end |= words::ENDING.contains(&word);
    }

    /// What is not among the usual ones. A function costs as much fuel as it is long, whatever it
    /// does: so the seldom ones have their own.
    #[inline(never)]
    fn other(&mut self, it: &Expression<'a>) {
        walk::walk_expression(self, it);
    }

    #[inline(never)]
    fn other_statement(&mut self, it: &Statement<'a>) {
        walk::walk_statement(self, it);
    }

    #[inline(never)]
    fn call(&mut self, it: &CallExpression<'a>) {
        match &it.callee {
            Expression::StaticMemberExpression(member) => self.method(it, member),
            callee => self.visit_expression(callee),
        }
        for argument in &it.arguments {
            match argument.as_expression() {
                Some(argument) => self.visit_expression(argument),
                None => self.visit_argument(argument),
            }
        }
    }

    /// Methods of which it is known what they change.
    #[inline(never)]
    fn method(&mut self, it: &CallExpression<'a>, member: &StaticMemberExpression<'a>) {
        let (of, name) = (identifier(&member.object), member.property.name.as_str());
        let of_text = of.map(|of| of.as_str());
        match (of_text, name) {
            (Some("Object"), "assign") => match it.arguments.first().map(Argument::as_expression) {
                Some(Some(first)) if Self::is_made_here(first) => {}
                Some(Some(Expression::Identifier(first))) => {
                    self.changed.push(first.name);
                }
                _ => self.names.assigns_any = true,
            },
            // With one function, errors are only passed on.
            (_, "then") if matches!(it.arguments.as_slice(), [only] if only.is_expression()) => {}
            (_, name) if words::fills(name) => match of {
                Some(of) => self.filled.push(of),
                None => self.names.fills = true,
            },
            (_, name) => self.word(name),
        }
        if !matches!(of_text, Some("Object" | "Promise")) {
            self.visit_expression(&member.object);
        }
    }

    #[inline(never)]
    fn object(&mut self, it: &ObjectExpression<'a>) {
        for property in &it.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(property) => {
                    match &property.key {
                        PropertyKey::StaticIdentifier(key) => self.word(key.name.as_str()),
                        key => self.visit_property_key(key),
                    }
                    self.visit_expression(&property.value);
                }
                ObjectPropertyKind::SpreadProperty(it) => self.visit_expression(&it.argument),
            }
        }
    }

    #[inline(never)]
    fn reference(&mut self, name: Ident<'a>) {
        self.names.name(name).uses += 1;
        self.word(name.as_str());
    }

    fn is_made_here(init: &Expression<'a>) -> bool {
        matches!(
            init.get_inner_expression(),
            Expression::ObjectExpression(_)
                | Expression::ArrayExpression(_)
                | Expression::NewExpression(_)
        )
    }
}

impl<'a> Visit<'a> for Survey<'_, 'a> {
    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.names.name(it.name).declared += 1;
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.reference(it.name);
    }

    fn visit_expression(&mut self, it: &Expression<'a>) {
        match it {
            Expression::Identifier(it) => self.reference(it.name),
            Expression::StaticMemberExpression(it) => {
                self.word(it.property.name.as_str());
                self.visit_expression(&it.object);
            }
            Expression::CallExpression(it) => self.call(it),
            Expression::AwaitExpression(it) => self.visit_expression(&it.argument),
            Expression::ObjectExpression(it) => self.object(it),
            Expression::StringLiteral(it) => self.word(it.value.as_str()),
            Expression::NumericLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_) => {}
            _ => self.other(it),
        }
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        match it {
            Statement::VariableDeclaration(it) => {
                for declarator in &it.declarations {
                    self.visit_variable_declarator(declarator);
                }
            }
            Statement::ExpressionStatement(it) => self.visit_expression(&it.expression),
            _ => self.other_statement(it),
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        match &it.id {
            BindingPattern::BindingIdentifier(id) => {
                let name = self.names.name(id.name);
                name.declared += 1;
                name.own |= it.init.as_ref().is_some_and(Self::is_made_here);
            }
            pattern => self.visit_binding_pattern(pattern),
        }
        if let Some(init) = &it.init {
            self.visit_expression(init);
        }
    }

    /// Long sums of texts are deep on their left side: that side is followed in a loop.
    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        self.visit_expression(&it.right);
        let mut left = &it.left;
        while let Expression::BinaryExpression(inner) = left {
            self.visit_expression(&inner.right);
            left = &inner.left;
        }
        self.visit_expression(left);
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        for specifier in it.specifiers.iter().flatten() {
            let name = self.names.name(specifier.local().name);
            name.declared += 1;
            name.is_imported = true;
        }
    }

    // What is changed.

    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'a>) {
        match it {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(id) => {
                self.names.name(id.name).assigned = true;
            }
            SimpleAssignmentTarget::StaticMemberExpression(member) => {
                self.names.assigned.insert(member.property.name.as_str());
            }
            SimpleAssignmentTarget::ComputedMemberExpression(member) => {
                match (&member.expression, identifier(&member.object)) {
                    (Expression::StringLiteral(key), _) => {
                        self.names.assigned.insert(key.value.as_str());
                    }
                    (_, Some(name)) => self.changed.push(name),
                    _ => self.names.assigns_any = true,
                }
            }
            _ => {}
        }
        walk::walk_simple_assignment_target(self, it);
    }

    fn visit_assignment_target_property_identifier(
        &mut self,
        it: &AssignmentTargetPropertyIdentifier<'a>,
    ) {
        self.names.name(it.binding.name).assigned = true;
        walk::walk_assignment_target_property_identifier(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.call(it);
    }

    fn visit_try_statement(&mut self, it: &TryStatement<'a>) {
        self.names.may_catch |= it.handler.is_some();
        // A `return` or `break` in it takes the place of an error.
        self.names.may_catch |= it.finalizer.is_some();
        walk::walk_try_statement(self, it);
    }

    fn visit_with_statement(&mut self, it: &WithStatement<'a>) {
        self.names.hides = true;
        walk::walk_with_statement(self, it);
    }

    // Types say nothing of values.

    fn visit_ts_type(&mut self, _: &TSType<'a>) {}

    fn visit_ts_interface_declaration(&mut self, _: &TSInterfaceDeclaration<'a>) {}

    fn visit_ts_type_alias_declaration(&mut self, _: &TSTypeAliasDeclaration<'a>) {}

    // What may end the source, or be the global object.

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.functions += 1;
        walk::walk_function(self, it, flags);
        self.functions -= 1;
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.functions += 1;
        walk::walk_arrow_function_expression(self, it);
        self.functions -= 1;
    }

    fn visit_throw_statement(&mut self, it: &ThrowStatement<'a>) {
        self.names.may_end |= self.functions > 0;
        walk::walk_throw_statement(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.classes += 1;
        walk::walk_class(self, it);
        self.classes -= 1;
    }

    fn visit_this_expression(&mut self, _: &ThisExpression) {
        self.names.hides |= self.classes == 0;
    }

    // Names of properties.

    fn visit_identifier_name(&mut self, it: &IdentifierName<'a>) {
        self.word(it.name.as_str());
    }

    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        self.word(it.value.as_str());
    }
}
