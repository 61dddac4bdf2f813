//! How often each name of a source is declared, and what the source changes: what is proved of a
//! value holds only where nothing can have changed it.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// How many names there is room for at first.
const NAMES: usize = 56;

/// Names by which a source changes what all objects have, or what names mean.
const HIDING: [&str; 7] = [
    "__defineGetter__",
    "__proto__",
    "defineProperties",
    "defineProperty",
    "prototype",
    "setPrototypeOf",
    "toJSON",
];
const HIDING_GLOBALS: [&str; 5] = ["Function", "Proxy", "eval", "global", "globalThis"];

/// Methods that take what a promise is rejected with, or expect it.
const CATCHING: [&str; 10] = [
    "allSettled",
    "any",
    "catch",
    "doesNotReject",
    "finally",
    "race",
    "rejects",
    "then",
    "throws",
    "toThrow",
];

/// What is known of the names in a source.
#[derive(Default)]
pub(super) struct Names<'a> {
    names: FxHashMap<&'a str, Name>,
    /// The properties that are given another value somewhere.
    assigned: FxHashSet<&'a str>,
    /// Any property may be given another value.
    pub(super) assigns_any: bool,
    /// Something in the source may catch what a function of it throws.
    pub(super) may_catch: bool,
    /// The source may change what names and objects are: nothing is proved.
    pub(super) hides: bool,
}

#[derive(Default)]
struct Name {
    declared: u32,
    assigned: bool,
    /// It is made of a literal here: properties that are given to it are nobody else's.
    own: bool,
    uses: u32,
}

impl<'a> Names<'a> {
    pub(super) fn of(program: &Program<'a>) -> Self {
        let mut names = Self {
            names: FxHashMap::with_capacity_and_hasher(NAMES, FxBuildHasher),
            ..Self::default()
        };
        let mut changes = Vec::new();
        let mut look = Look {
            names: &mut names,
            changes: &mut changes,
        };
        look.visit_program(program);
        // What is put under a name that is not in the text.
        names.assigns_any |= changes.iter().any(|name| !names.is_own(name));
        names
    }

    fn is_own(&self, name: &str) -> bool {
        let name = self.names.get(name);
        name.is_some_and(|it| it.own && it.declared == 1 && !it.assigned)
    }

    /// Whether a name means one thing everywhere: what one declaration gave it.
    pub(super) fn is_constant(&self, name: &str) -> bool {
        let name = self.names.get(name);
        name.is_some_and(|it| it.declared == 1 && !it.assigned)
    }

    /// Whether a name is nowhere the source's own.
    pub(super) fn is_foreign(&self, name: &str) -> bool {
        let name = self.names.get(name);
        name.is_none_or(|it| it.declared == 0 && !it.assigned)
    }

    /// How often a name is used.
    pub(super) fn uses(&self, name: &str) -> u32 {
        self.names.get(name).map_or(0, |name| name.uses)
    }

    /// Whether the source may have given a property to what lacked it.
    pub(super) fn may_have_given(&self, property: &str) -> bool {
        self.assigns_any || self.assigned.contains(property)
    }

    fn name(&mut self, name: &'a str) -> &mut Name {
        self.names.entry(name).or_default()
    }
}

struct Look<'n, 'a> {
    names: &'n mut Names<'a>,
    /// The names of which something is changed that the text does not name.
    changes: &'n mut Vec<&'a str>,
}

impl<'a> Look<'_, 'a> {
    fn property(&mut self, name: &'a str) {
        if matches!(name.len(), 6 | 9 | 14 | 16) {
            self.hiding_property(name);
        }
    }

    #[inline(never)]
    fn hiding_property(&mut self, name: &str) {
        self.names.hides |= HIDING.contains(&name);
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
        if let Expression::StaticMemberExpression(member) = it.callee.get_inner_expression() {
            self.method(it, member);
        }
        self.visit_expression(&it.callee);
        for argument in &it.arguments {
            match argument.as_expression() {
                Some(argument) => self.visit_expression(argument),
                None => self.visit_argument(argument),
            }
        }
    }

    #[inline(never)]
    fn method(&mut self, it: &CallExpression<'a>, member: &StaticMemberExpression<'a>) {
        let name = member.property.name.as_str();
        if name.len() >= 3 && CATCHING.contains(&name) {
            self.names.may_catch |= it.arguments.len() > 1 || name != "then";
        }
        self.names.assigns_any |= matches!(name, "assign" | "set")
            && matches!(identifier(&member.object), Some("Object" | "Reflect"))
            && !matches!(it.arguments.first().and_then(Argument::as_expression), Some(first) if Self::is_made_here(first));
    }

    #[inline(never)]
    fn object(&mut self, it: &ObjectExpression<'a>) {
        for property in &it.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(property) => {
                    match &property.key {
                        PropertyKey::StaticIdentifier(key) => self.property(key.name.as_str()),
                        key => self.visit_property_key(key),
                    }
                    self.visit_expression(&property.value);
                }
                ObjectPropertyKind::SpreadProperty(it) => self.visit_expression(&it.argument),
            }
        }
    }

    #[inline(never)]
    fn reference(&mut self, name: &'a str) {
        self.names.name(name).uses += 1;
        if matches!(name.len(), 4..=6 | 8 | 10) {
            self.names.hides |= HIDING_GLOBALS.contains(&name);
        }
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

/// The name that an expression is, if it is one.
pub(super) fn identifier<'a>(expression: &Expression<'a>) -> Option<&'a str> {
    match expression.get_inner_expression() {
        Expression::Identifier(it) => Some(it.name.as_str()),
        _ => None,
    }
}

impl<'a> Visit<'a> for Look<'_, 'a> {
    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.names.name(it.name.as_str()).declared += 1;
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.reference(it.name.as_str());
    }

    fn visit_expression(&mut self, it: &Expression<'a>) {
        match it {
            Expression::Identifier(it) => self.reference(it.name.as_str()),
            Expression::StaticMemberExpression(it) => {
                self.property(it.property.name.as_str());
                self.visit_expression(&it.object);
            }
            Expression::CallExpression(it) => self.call(it),
            Expression::AwaitExpression(it) => self.visit_expression(&it.argument),
            Expression::ObjectExpression(it) => self.object(it),
            Expression::StringLiteral(it) => self.property(it.value.as_str()),
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
                let name = self.names.name(id.name.as_str());
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

    // What is changed.

    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'a>) {
        match it {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(id) => {
                self.names.name(id.name.as_str()).assigned = true;
            }
            SimpleAssignmentTarget::StaticMemberExpression(member) => {
                self.names.assigned.insert(member.property.name.as_str());
            }
            SimpleAssignmentTarget::ComputedMemberExpression(member) => {
                match (&member.expression, identifier(&member.object)) {
                    (Expression::StringLiteral(key), _) => {
                        self.names.assigned.insert(key.value.as_str());
                    }
                    (_, Some(name)) => self.changes.push(name),
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
        self.names.name(it.binding.name.as_str()).assigned = true;
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

    // Names that change what all objects have.

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        self.property(it.property.name.as_str());
        walk::walk_static_member_expression(self, it);
    }

    fn visit_property_key(&mut self, it: &PropertyKey<'a>) {
        if let PropertyKey::StaticIdentifier(key) = it {
            self.property(key.name.as_str());
        }
        walk::walk_property_key(self, it);
    }

    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        self.property(it.value.as_str());
    }
}
