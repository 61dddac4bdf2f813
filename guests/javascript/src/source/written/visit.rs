//! The nodes of the tree: what is done with the values of which, and what the source may not come
//! to.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;

use super::callee::Meaning;
use super::flow::Member;
use super::walk::{Position, Walk};

impl<'a> Walk<'a> {
    /// Visits an expression, with whose value that is done. Gives whether it begins with an answer, or
    /// a promise of one.
    ///
    /// A function costs as much fuel as it is long, whatever it does: so what is seldom is elsewhere.
    pub(super) fn expression(&mut self, it: &Expression<'a>, position: Position) -> bool {
        match it {
            Expression::Identifier(it) => self.use_variable(it.name, position),
            Expression::StaticMemberExpression(it) => {
                let is_of_answer = self.expression(&it.object, of_object(it.optional));
                if is_of_answer {
                    self.read_member(it, position);
                }
                is_of_answer
            }
            Expression::CallExpression(it) => self.call(it, position),
            Expression::AwaitExpression(it) => self.expression(&it.argument, Position::Awaited),
            Expression::StringLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_) => false,
            _ => self.other_expression(it, position),
        }
    }

    #[inline(never)]
    fn read_member(&mut self, it: &StaticMemberExpression<'a>, position: Position) {
        let member = Member {
            object: &it.object,
            name: it.property.name.as_str(),
            whole: it.span,
            at: it.property.span.start,
        };
        self.read(&member, position);
    }

    #[inline(never)]
    fn visit_properties(&mut self, it: &ObjectExpression<'a>, position: Position) {
        for property in &it.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(it) => {
                    if it.computed {
                        self.visit_property_key(&it.key);
                    }
                    self.expression(&it.value, position);
                }
                // What is nothing has nothing in it.
                ObjectPropertyKind::SpreadProperty(it) => {
                    self.expression(&it.argument, Position::Tested);
                }
            }
        }
    }

    #[inline(never)]
    fn other_statement(&mut self, it: &Statement<'a>) {
        walk::walk_statement(self, it);
    }

    #[inline(never)]
    fn other_expression(&mut self, it: &Expression<'a>, position: Position) -> bool {
        match it {
            Expression::ParenthesizedExpression(it) => {
                return self.expression(&it.expression, position);
            }
            it if it.is_typescript_syntax() => {
                let position = match position {
                    Position::Awaited => position,
                    _ => Position::Tested,
                };
                self.expression(it.get_inner_expression(), position);
            }
            Expression::ComputedMemberExpression(it) => {
                let is_of_answer = self.expression(&it.object, of_object(it.optional));
                self.expression(&it.expression, Position::Value);
                if let Expression::StringLiteral(name) = &it.expression
                    && is_of_answer
                {
                    let member = Member {
                        object: &it.object,
                        name: name.value.as_str(),
                        whole: it.span,
                        at: name.span.start,
                    };
                    self.read(&member, position);
                }
                return is_of_answer;
            }
            Expression::ArrayExpression(it) => {
                let of_items = of_parts(position);
                for element in &it.elements {
                    match (element, element.as_expression()) {
                        (_, Some(item)) => {
                            self.expression(item, of_items);
                        }
                        (ArrayExpressionElement::SpreadElement(it), _) => {
                            self.expression(&it.argument, Position::Strict);
                        }
                        _ => {}
                    }
                }
            }
            Expression::ObjectExpression(it) => self.visit_properties(it, of_parts(position)),
            Expression::TemplateLiteral(it) => {
                // What is looked for in a text may be in none.
                let of_parts = match position {
                    Position::Strict => Position::Tested,
                    _ => Position::Value,
                };
                for value in &it.expressions {
                    self.expression(value, of_parts);
                }
            }
            Expression::BinaryExpression(it) => self.binary(it, of_parts(position)),
            Expression::ConditionalExpression(it) => {
                self.expression(&it.test, Position::Tested);
                self.branch(&it.test, |walk| {
                    walk.expression(&it.consequent, Position::Bound);
                    walk.expression(&it.alternate, Position::Bound);
                });
            }
            Expression::LogicalExpression(it) => {
                self.expression(&it.left, Position::Tested);
                self.branch(&it.left, |walk| {
                    walk.expression(&it.right, Position::Tested);
                });
            }
            // All of it may be nothing.
            Expression::ChainExpression(_) => {
                self.conditionally(|walk| walk::walk_expression(walk, it));
            }
            Expression::ArrowFunctionExpression(it) => self.arrow_function(it, None),
            _ => walk::walk_expression(self, it),
        }
        false
    }

    /// Long sums of texts are deep on their left side: that side is followed in a loop.
    #[inline(never)]
    fn binary(&mut self, it: &BinaryExpression<'a>, of_sides: Position) {
        let position = |operator: BinaryOperator| match operator.is_arithmetic() {
            true => of_sides,
            false => Position::Tested,
        };
        if !matches!(it.left, Expression::BinaryExpression(_)) && it.operator != BinaryOperator::In
        {
            let position = position(it.operator);
            self.expression(&it.left, position);
            self.expression(&it.right, position);
            return;
        }
        let mut right_sides = vec![(it.operator, &it.right)];
        let (mut operator, mut left) = (it.operator, &it.left);
        while let Expression::BinaryExpression(inner) = left {
            right_sides.push((inner.operator, &inner.right));
            (operator, left) = (inner.operator, &inner.left);
        }
        self.expression(left, position(operator));
        for (operator, side) in right_sides.into_iter().rev() {
            if operator == BinaryOperator::In
                && let Some(Meaning::Answer(call, _)) = self.meaning(side)
            {
                self.looked_through.push(call);
            }
            self.expression(side, position(operator));
        }
    }
}

/// What is done with what a property is read of.
fn of_object(is_optional: bool) -> Position {
    match is_optional {
        true => Position::Tested,
        false => Position::Strict,
    }
}

/// What is done with the parts of a list or an object, or with the sides of a sum.
fn of_parts(whole: Position) -> Position {
    match whole {
        Position::Awaited | Position::Value | Position::Sent => whole,
        _ => Position::Tested,
    }
}

impl<'a> Visit<'a> for Walk<'a> {
    fn visit_expression(&mut self, it: &Expression<'a>) {
        self.expression(it, Position::Tested);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        self.binary(it, Position::Tested);
    }

    /// What a name gets where it has nothing may not be needed.
    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        self.visit_assignment_target(&it.left);
        if it.operator.is_logical() {
            self.conditionally(|walk| {
                walk.expression(&it.right, Position::Bound);
            });
        } else {
            self.expression(&it.right, Position::Bound);
        }
    }

    fn visit_assignment_pattern(&mut self, it: &AssignmentPattern<'a>) {
        self.visit_binding_pattern(&it.left);
        self.conditionally(|walk| walk.visit_expression(&it.right));
    }

    fn visit_assignment_target_maybe_default(&mut self, it: &AssignmentTargetMaybeDefault<'a>) {
        self.conditionally(|walk| walk::walk_assignment_target_maybe_default(walk, it));
    }

    fn visit_assignment_target_property(&mut self, it: &AssignmentTargetProperty<'a>) {
        self.conditionally(|walk| walk::walk_assignment_target_property(walk, it));
    }

    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'a>) {
        match it {
            SimpleAssignmentTarget::StaticMemberExpression(it) => {
                self.expression(&it.object, Position::Strict);
            }
            SimpleAssignmentTarget::ComputedMemberExpression(it) => {
                self.expression(&it.object, Position::Strict);
                self.expression(&it.expression, Position::Value);
            }
            _ => walk::walk_simple_assignment_target(self, it),
        }
    }

    // Types say nothing of values.

    fn visit_ts_type(&mut self, _: &TSType<'a>) {}

    fn visit_ts_interface_declaration(&mut self, _: &TSInterfaceDeclaration<'a>) {}

    fn visit_ts_type_alias_declaration(&mut self, _: &TSTypeAliasDeclaration<'a>) {}

    // Statements.

    fn visit_statement(&mut self, it: &Statement<'a>) {
        match it {
            Statement::VariableDeclaration(it) => self.visit_variable_declaration(it),
            Statement::ExpressionStatement(it) => {
                self.expression(&it.expression, Position::Bound);
            }
            _ => self.other_statement(it),
        }
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        if let Some(value) = &it.argument {
            self.expression(value, self.returned);
        }
        self.end();
    }

    fn visit_throw_statement(&mut self, it: &ThrowStatement<'a>) {
        self.expression(&it.argument, Position::Tested);
        self.end();
    }

    fn visit_break_statement(&mut self, it: &BreakStatement<'a>) {
        self.may_have_left = true;
        self.may_have_ended |= it.label.is_some();
    }

    fn visit_continue_statement(&mut self, it: &ContinueStatement<'a>) {
        self.may_have_left = true;
        self.may_have_ended |= it.label.is_some();
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        for declarator in &it.declarations {
            if !matches!(declarator.id, BindingPattern::BindingIdentifier(_)) {
                self.visit_binding_pattern(&declarator.id);
            }
            self.declare(declarator, it.kind);
        }
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        self.expression(&it.test, Position::Tested);
        self.branch(&it.test, |walk| {
            walk.visit_statement(&it.consequent);
            if let Some(alternate) = &it.alternate {
                walk.visit_statement(alternate);
            }
        });
    }

    /// What is in it may be left early.
    fn visit_labeled_statement(&mut self, it: &LabeledStatement<'a>) {
        self.conditionally(|walk| walk.visit_statement(&it.body));
    }

    fn visit_switch_statement(&mut self, it: &SwitchStatement<'a>) {
        self.expression(&it.discriminant, Position::Tested);
        self.conditionally(|walk| walk.visit_switch_cases(&it.cases));
    }

    fn visit_while_statement(&mut self, it: &WhileStatement<'a>) {
        self.in_turns(|walk| walk::walk_while_statement(walk, it));
    }

    fn visit_do_while_statement(&mut self, it: &DoWhileStatement<'a>) {
        self.in_turns(|walk| walk::walk_do_while_statement(walk, it));
    }

    fn visit_for_statement(&mut self, it: &ForStatement<'a>) {
        self.in_turns(|walk| walk::walk_for_statement(walk, it));
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'a>) {
        if let Some(Meaning::Answer(call, _)) = self.meaning(&it.right) {
            self.looked_through.push(call);
        }
        self.in_turns(|walk| walk::walk_for_in_statement(walk, it));
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.expression(&it.right, Position::Strict);
        let list = self.meaning(&it.right);
        let is_answer = matches!(list, Some(Meaning::Answer(..)));
        if let ForStatementLeft::VariableDeclaration(left) = &it.left
            && let [declarator] = left.declarations.as_slice()
            && is_answer
        {
            let item = list.and_then(|list| list.item(None));
            self.bind(&declarator.id, item, declarator.span);
        }
        let before = self.unread;
        self.in_turns(|walk| {
            if is_answer {
                walk.unread = before;
            }
            walk.visit_statement(&it.body);
            walk.unread = before + 1;
        });
    }

    fn visit_try_statement(&mut self, it: &TryStatement<'a>) {
        self.caught(|walk| walk.visit_block_statement(&it.block));
        self.conditionally(|walk| {
            if let Some(handler) = &it.handler {
                walk.visit_catch_clause(handler);
            }
            if let Some(finalizer) = &it.finalizer {
                walk.visit_block_statement(finalizer);
            }
        });
    }

    // Functions.

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if let (true, Some(id)) = (it.is_function_declaration(), &it.id) {
            let is_constant = self.names.is_constant(id.name);
            self.next_function = is_constant.then(|| id.name.as_str());
        }
        // Whoever calls a generator may ask it for nothing.
        if it.generator {
            self.next_function = None;
        }
        self.function(|walk| walk::walk_function(walk, it, flags));
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.next_function = None;
        self.function(|walk| walk::walk_class(walk, it));
    }
}
