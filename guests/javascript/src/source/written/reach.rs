//! What the source comes to: what is behind conditions, in turns of loops and in functions, and what
//! may end them early.

use oxc_ast::ast::*;

use super::walk::Walk;

/// Stands for the name of a function where there is none around.
pub(super) const PROGRAM: &str = "";

impl<'a> Walk<'a> {
    /// Visits what the source may not come to.
    pub(super) fn conditionally(&mut self, visit: impl FnOnce(&mut Self)) {
        self.conditions += 1;
        self.unread += 1;
        visit(self);
        self.unread -= 1;
        self.conditions -= 1;
    }

    /// Visits what something else takes the errors of.
    pub(super) fn caught(&mut self, visit: impl FnOnce(&mut Self)) {
        self.caught += 1;
        self.conditionally(visit);
        self.caught -= 1;
    }

    /// Visits what is done, or not, as a condition says. Where that is settled, it may be never.
    pub(super) fn branch(&mut self, condition: &Expression<'a>, visit: impl FnOnce(&mut Self)) {
        let never = u32::from(self.is_settled(condition));
        self.caught += never;
        self.conditionally(visit);
        self.caught -= never;
    }

    /// Whether a condition is always true, or never.
    #[inline(never)]
    fn is_settled(&self, condition: &Expression<'a>) -> bool {
        match condition.get_inner_expression() {
            Expression::BooleanLiteral(_) => true,
            Expression::Identifier(it) => self.literals.contains_key(&it.name),
            Expression::UnaryExpression(it) => self.is_settled(&it.argument),
            _ => false,
        }
    }

    /// Visits a loop.
    pub(super) fn in_turns(&mut self, visit: impl FnOnce(&mut Self)) {
        let left = self.may_have_left;
        self.conditionally(visit);
        self.may_have_left = left;
    }

    /// The source, or the function around, ends here.
    #[inline(never)]
    pub(super) fn end(&mut self) {
        self.may_have_ended = true;
        // Nothing comes to what is behind it.
        self.caught += u32::from(self.conditions == 0);
    }

    /// Visits a function. One that nothing is known to call may have any calls.
    pub(super) fn function(&mut self, visit: impl FnOnce(&mut Self)) {
        let (ended, left) = (self.may_have_ended, self.may_have_left);
        let (function, caught) = (self.function, self.caught);
        match self.next_function.take() {
            Some(name) => self.function = name,
            None => self.caught += 1,
        }
        self.functions += 1;
        self.conditionally(visit);
        self.functions -= 1;
        (self.function, self.caught) = (function, caught);
        (self.may_have_ended, self.may_have_left) = (ended, left);
    }

    /// Notes that something is called: a function that is written there, or one that has a name.
    #[inline(never)]
    pub(super) fn calls_function(&mut self, it: &Expression<'a>) {
        match it.get_inner_expression() {
            Expression::Identifier(it) if self.caught == 0 => {
                self.reached.push((self.function, it.name.as_str()));
            }
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => {
                self.next_function = Some(self.function);
            }
            _ => {}
        }
    }

    /// Gives a function a name, if it has that alone.
    #[inline(never)]
    pub(super) fn name_function(&mut self, it: &Expression<'a>, name: Ident<'a>) {
        if matches!(
            it,
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_)
        ) {
            self.next_function = self.names.is_constant(name).then(|| name.as_str());
        }
    }
}

/// The functions that calls are come to in, by their names.
pub(super) fn all_reached<'r>(main: Option<&'r str>, calls: &[(&'r str, &'r str)]) -> Vec<&'r str> {
    let mut reached = vec![PROGRAM];
    reached.extend(main);
    let mut place = 0;
    while let Some(&function) = reached.get(place) {
        for (_, called) in calls.iter().filter(|(by, _)| *by == function) {
            if !reached.contains(called) {
                reached.push(called);
            }
        }
        place += 1;
    }
    reached
}
