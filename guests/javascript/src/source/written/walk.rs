//! What finds the calls of a source: in which order they stand, whether the source comes to each for
//! certain, and what may catch what they throw.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::callee::{Callee, Meaning, Server, last_name};
use super::flow::{self, PendingRead, Variable};
use super::json::{Arguments, Json};
use super::names::{Names, identifier};
use super::reach::{PROGRAM, all_reached};
use super::{CALLS, Call, WrittenCalls};

/// How many names and calls there is room for at first.
const ROOM: usize = 14;

/// What is done with an expression's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Position {
    /// It is looked at, and may be nothing.
    #[default]
    Tested,
    /// It is given a name, or dropped.
    Bound,
    /// It is awaited.
    Awaited,
    /// It is an argument of a tool, or in one, and may be missing there.
    Sent,
    /// It is taken as it is: returned, printed.
    Value,
    /// A property of it is read, it is called, or iterated.
    Strict,
}

/// A name's value, which a literal gave it.
pub(super) struct Constant<'a> {
    pub(super) value: Json<'a>,
    /// How often it was taken as a value.
    pub(super) uses: u32,
}

pub(super) struct Walk<'a> {
    pub(super) names: Names<'a>,
    pub(super) variables: FxHashMap<Ident<'a>, Variable<'a>>,
    pub(super) literals: FxHashMap<Ident<'a>, Constant<'a>>,
    pub(super) calls: Vec<Call>,
    /// The functions that the calls are in, each by its name; the program has none.
    pub(super) functions_of_calls: Vec<&'a str>,
    /// Which function calls which, by their names.
    pub(super) reached: Vec<(&'a str, &'a str)>,
    /// The function around.
    pub(super) function: &'a str,
    /// The name of the function that comes next, if something calls it by that.
    pub(super) next_function: Option<&'a str>,
    /// The calls by their places in the source.
    pub(super) called: FxHashMap<Span, usize>,
    /// What the source looks at before it uses it: calls, and places in their answers.
    pub(super) tested: Vec<(usize, String)>,
    /// The calls whose answers the source looks through.
    pub(super) looked_through: Vec<usize>,
    /// The calls whose promises something has listened to.
    pub(super) heard: Vec<usize>,
    /// What is done with what the function around returns.
    pub(super) returned: Position,
    /// A name was looked up for a value.
    pub(super) has_names: bool,
    /// The name at hand holds a literal, of which other names may hold parts.
    pub(super) is_naming: bool,
    /// The read that was noted last.
    pub(super) last_read: Option<(Span, PendingRead)>,
    /// How many things are around that may keep a read from happening.
    pub(super) unread: u32,
    pub(super) functions: u32,
    pub(super) conditions: u32,
    /// How many things are around that take errors, or that nothing comes to.
    pub(super) caught: u32,
    /// Where places in arguments are written, one after the other.
    place: String,
    /// The source, or the function around, may have ended by here.
    pub(super) may_have_ended: bool,
    /// The turn of the loop around may have ended by here.
    pub(super) may_have_left: bool,
}

/// A map with room for what most sources have.
fn room<K, V>() -> FxHashMap<K, V> {
    FxHashMap::with_capacity_and_hasher(ROOM, FxBuildHasher)
}

impl<'a> Walk<'a> {
    pub(super) fn of(names: Names<'a>) -> Self {
        Self {
            may_have_ended: names.may_end,
            names,
            variables: room(),
            literals: room(),
            calls: Vec::with_capacity(8),
            functions_of_calls: Vec::with_capacity(8),
            reached: Vec::new(),
            function: PROGRAM,
            next_function: None,
            called: room(),
            tested: Vec::new(),
            looked_through: Vec::new(),
            heard: Vec::new(),
            returned: Position::Value,
            has_names: false,
            is_naming: false,
            last_read: None,
            unread: 0,
            functions: 0,
            conditions: 0,
            caught: 0,
            place: String::new(),
            may_have_left: false,
        }
    }

    pub(super) fn program(&mut self, program: &Program<'a>) {
        for statement in &program.body {
            if let Statement::ImportDeclaration(it) = statement {
                self.import(it);
            }
        }
        // A program that is one function is called.
        if let [Statement::ExpressionStatement(it)] = program.body.as_slice() {
            self.calls_function(&it.expression);
        }
        self.visit_statements(&program.body);
    }

    /// What was found, without what the source looks at before it uses it.
    pub(super) fn written(self, main: Option<&str>) -> WrittenCalls {
        let Self {
            mut calls,
            functions_of_calls,
            reached,
            tested,
            looked_through,
            names,
            literals,
            ..
        } = self;
        for (place, call) in calls.iter_mut().enumerate() {
            if looked_through.contains(&place) {
                call.reads.clear();
            }
            let tested = || tested.iter().filter(|(call, _)| *call == place);
            call.reads.retain(|read| {
                let is_within = |pointer: &String| {
                    let rest = read.pointer.strip_prefix(pointer.as_str());
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                };
                !tested().any(|(_, pointer)| !pointer.is_empty() && is_within(pointer))
            });
        }
        // What a name holds may have been changed where it is more than a tool's argument.
        let is_changed = literals.iter().any(|(name, constant)| {
            constant.value.is_shared() && constant.uses > 0 && constant.uses != names.uses(*name)
        });
        if is_changed {
            for call in &mut calls {
                call.arguments = None;
            }
        }
        if functions_of_calls.iter().any(|name| *name != PROGRAM) {
            let reached = all_reached(main, &reached);
            let mut functions = functions_of_calls.iter();
            calls.retain(|_| functions.next().is_some_and(|name| reached.contains(name)));
        }
        WrittenCalls {
            calls,
            may_catch: names.may_catch,
        }
    }

    fn import(&mut self, it: &ImportDeclaration<'a>) {
        if it.import_kind.is_type() {
            return;
        }
        for specifier in it.specifiers.iter().flatten() {
            let (local, name) = match specifier {
                ImportDeclarationSpecifier::ImportDefaultSpecifier(it) => {
                    (&it.local, Some("default"))
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => (&it.local, None),
                ImportDeclarationSpecifier::ImportSpecifier(it) => {
                    (&it.local, Some(it.imported.name().as_str()))
                }
            };
            let specifier = it.source.value.as_str();
            let meaning = Meaning::Server(Server::Import { specifier, name });
            if self.names.is_constant(local.name) {
                self.variables.insert(local.name, Variable::of(meaning));
            }
        }
    }

    pub(super) fn argument(&mut self, it: &Argument<'a>, position: Position) {
        match it {
            Argument::SpreadElement(it) => {
                self.expression(&it.argument, Position::Strict);
            }
            _ => {
                if let Some(it) = it.as_expression() {
                    self.expression(it, position);
                }
            }
        }
    }

    /// Visits a function. One that is called with items of an answer reads them for certain, and it is
    /// said what is done with its value.
    #[inline(never)]
    pub(super) fn arrow_function(
        &mut self,
        it: &ArrowFunctionExpression<'a>,
        returned: Option<Position>,
    ) {
        let (before, around) = (self.unread, self.returned);
        self.function(|walk| {
            if let Some(returned) = returned {
                walk.unread = before;
                walk.returned = returned;
            }
            match it.get_expression() {
                Some(value) => {
                    walk.expression(value, walk.returned);
                }
                None => walk::walk_arrow_function_expression(walk, it),
            }
            walk.unread = before + 1;
        });
        self.returned = around;
    }

    /// Visits a call. Gives whether it begins with an answer, or a promise of one.
    #[inline(never)]
    pub(super) fn call(&mut self, it: &CallExpression<'a>, position: Position) -> bool {
        self.calls_function(&it.callee);
        let is_of_answer = self.expression(&it.callee, Position::Strict);
        let callee = match self.may_mean_tool(&it.callee) {
            true => self.callee(it),
            false => None,
        };
        if is_of_answer && callee.is_none() && self.callback(it, position) {
            return true;
        }
        let of_arguments = match callee {
            Some(_) => Position::Sent,
            None => self.position_of_arguments(it, position),
        };
        let calls_arguments = flow::calls_arguments(it);
        for argument in &it.arguments {
            if let Some(argument) = argument.as_expression()
                && calls_arguments
            {
                self.calls_function(argument);
            }
            self.argument(argument, of_arguments);
        }
        if let Some((callee, first)) = callee
            && self.caught == 0
            && self.calls.len() < CALLS
        {
            self.add_call(it, (callee, first), position);
            return true;
        }
        is_of_answer
    }

    /// Whether an expression begins with a name that may mean a server or a tool.
    #[inline(never)]
    fn may_mean_tool(&self, callee: &Expression<'a>) -> bool {
        let mut it = callee;
        loop {
            it = match it {
                Expression::StaticMemberExpression(it) => &it.object,
                Expression::ComputedMemberExpression(it) => &it.object,
                Expression::Identifier(it) => {
                    return self.names.is_foreign(it.name) || self.variables.contains_key(&it.name);
                }
                _ => return true,
            };
        }
    }

    #[inline(never)]
    fn position_of_arguments(&mut self, it: &CallExpression<'a>, position: Position) -> Position {
        let method = method(it).filter(|(of, _)| self.names.is_foreign(*of));
        match method.map(|(of, name)| (of.as_str(), name)) {
            Some(("console", _)) => Position::Value,
            Some(("Promise", "all")) => position,
            Some(("Object", _)) => {
                self.look_through(it);
                Position::Tested
            }
            _ => Position::Tested,
        }
    }

    #[inline(never)]
    fn add_call(
        &mut self,
        it: &CallExpression<'a>,
        (callee, first): (Callee<&'a str>, usize),
        position: Position,
    ) {
        self.has_names = false;
        let arguments = self.arguments(it, first);
        self.functions_of_calls.push(self.function);
        self.called.insert(it.span, self.calls.len());
        self.calls.push(Call {
            callee: callee.owned(),
            at: last_name(&it.callee),
            arguments,
            has_names: self.has_names,
            conditional: self.conditions > 0 || self.may_have_ended,
            indirect: self.functions > 0 || position != Position::Awaited,
            reads: Vec::new(),
            of_promise: Vec::new(),
            written: it.callee.span(),
        });
    }

    /// A function finds out what answers have.
    #[inline(never)]
    fn look_through(&mut self, it: &CallExpression<'a>) {
        for argument in it.arguments.iter().filter_map(Argument::as_expression) {
            if let Some(Meaning::Answer(call, _)) = self.meaning(argument) {
                self.looked_through.push(call);
            }
        }
    }

    /// The arguments of a tool, where they are one object, or nothing.
    #[inline(never)]
    fn arguments(&mut self, it: &CallExpression<'a>, first: usize) -> Option<Arguments> {
        let Some(argument) = it.arguments.get(first) else {
            return Some(Arguments::none());
        };
        match self.value(argument.as_expression()?) {
            value @ Json::Object { .. } => Some(Arguments::of(&value, &mut self.place)),
            _ => None,
        }
    }

    #[inline(never)]
    pub(super) fn declare(&mut self, it: &VariableDeclarator<'a>, kind: VariableDeclarationKind) {
        let Some(init) = &it.init else { return };
        if let BindingPattern::BindingIdentifier(id) = &it.id {
            self.name_function(init, id.name);
        }
        self.expression(init, Position::Bound);
        if kind.is_var() {
            return;
        }
        let meaning = self.meaning(init);
        if let (None, BindingPattern::BindingIdentifier(id)) = (&meaning, &it.id)
            && self.names.is_constant(id.name)
        {
            self.is_naming = true;
            let value = self.value(init);
            self.is_naming = false;
            if value != Json::Unknown {
                let constant = Constant { value, uses: 0 };
                self.literals.insert(id.name, constant);
            }
        }
        self.bind(&it.id, meaning, init.span());
    }
}

/// The method that is called, and of what, where that is a name.
fn method<'c, 'a>(it: &'c CallExpression<'a>) -> Option<(Ident<'a>, &'c str)> {
    match it.callee.get_inner_expression() {
        Expression::StaticMemberExpression(it) => {
            Some((identifier(&it.object)?, it.property.name.as_str()))
        }
        _ => None,
    }
}
