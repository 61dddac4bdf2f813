//! From a source as a model wrote it to JavaScript that QuickJS runs.
//!
//! [`prepare`] takes code out of a Markdown fence ([`fence`]), parses it as TypeScript, strips the
//! types in place ([`strip`]), finds out what the program returns ([`shape`]) and what it imports
//! ([`imports`]), and gives the text to evaluate with the way back to the positions as they were
//! written ([`position`]). Where it is asked to, it finds the calls that are written in it
//! ([`written`]). [`survey`] looks at modules of packages, which stay as they are.

mod edits;
mod fence;
mod imports;
mod lasting;
mod names;
mod nesting;
mod position;
mod shape;
mod strip;
mod survey;
mod uncalled;
mod written;

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, Statement};
use oxc_ast_visit::Visit;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::SourceType;

pub(crate) use imports::Import;
pub(crate) use lasting::{Declared, Has, Lasting};
pub(crate) use position::{PositionMap, line_and_byte_column, offset, place};
use strip::Strip;
pub(crate) use strip::quoted;
pub(crate) use survey::ModuleSurvey;
pub(crate) use written::{Arguments, Call, Callee, Read, WrittenCalls};

/// Lines that are put before a program's first one. Evaluated so that they have the numbers below
/// 1.
pub(crate) const LINES_BEFORE: u32 = 2;

/// What a source is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The program: its code becomes the body of an async function.
    Main,
    /// Another module, which stays one.
    Module,
}

/// What is asked of an imported module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Everything that it has.
    All,
    /// These names.
    Names(Vec<String>),
    /// Everything, when and if the program comes to it.
    Later,
}

impl Wanted {
    /// What both ask for.
    pub(crate) fn and(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Names(mut names), Self::Names(more)) => {
                names.extend(more.iter().cloned());
                Self::Names(names)
            }
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Later, _) | (_, Self::Later) => Self::Later,
        }
    }
}

/// Whose module an import means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The program's own.
    Program,
    /// The grant's, and its default export, one object, is all that it has.
    Object,
    /// Another of the grant's, or nobody's.
    Other,
}

/// Why a source can't run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) message: String,
    /// Where, in the source as written.
    pub(crate) offset: usize,
}

/// A source that is ready to be evaluated.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) text: String,
    pub(crate) map: PositionMap,
    pub(crate) imports: Vec<Import>,
    /// The names that it uses without declaring or importing them.
    pub(crate) free: Vec<String>,
    /// Those of them that it calls somewhere.
    pub(crate) called: Vec<String>,
    /// Whether a statement of it only makes a content block.
    pub(crate) shows: bool,
    /// The functions that it declares, if that is all it does.
    pub(crate) idle: Vec<String>,
    /// Whether the text is an ES module, whose default export is the program as a function. If not,
    /// the program as a function is its value.
    pub(crate) module: bool,
    /// It is one of a session, and a script rather than a function.
    pub(crate) lasting: Option<Lasting>,
    /// The calls that are written in it, where it is to be checked.
    pub(crate) written: WrittenCalls,
}

/// Makes a source ready to run. `origin` tells whose module a specifier means.
///
/// # Errors
///
/// The source has a syntax error, or nests too deeply.
pub(crate) fn prepare(
    allocator: &Allocator,
    source: &str,
    role: Role,
    origin: &dyn Fn(&str) -> Origin,
) -> Result<Prepared, Fault> {
    prepare_as(allocator, source, (role, Running::default()), origin)
}

/// How a program is to run.
#[derive(Clone, Copy, Default)]
pub(crate) struct Running<'h> {
    /// It is one of a session: what it can import.
    pub(crate) lasting: Option<Has<'h>>,
    /// It is checked first: the calls that are written in it are looked for.
    pub(crate) is_checked: bool,
}

/// The same, for a program.
///
/// # Errors
///
/// As above.
pub(crate) fn prepare_program(
    allocator: &Allocator,
    source: &str,
    origin: &dyn Fn(&str) -> Origin,
    running: Running<'_>,
) -> Result<Prepared, Fault> {
    prepare_as(allocator, source, (Role::Main, running), origin)
}

fn prepare_as(
    allocator: &Allocator,
    source: &str,
    (role, running): (Role, Running<'_>),
    origin: &dyn Fn(&str) -> Origin,
) -> Result<Prepared, Fault> {
    if let Some(offset) = nesting::too_deep(source) {
        let message = format!(
            "The code is nested too deeply: more than {} brackets are open here.",
            nesting::LIMIT
        );
        return Err(Fault { message, offset });
    }
    let unfenced = if role == Role::Main {
        fence::unfenced(source, &|text| {
            parse(allocator, text, role)
                .diagnostics
                .errors()
                .next()
                .is_none()
        })
    } else {
        None
    };
    let source = unfenced.as_deref().unwrap_or(source);
    let parsed = parse(allocator, source, role);
    let fault = parsed.diagnostics.errors().next().map(fault);
    let program = &parsed.program;
    if role == Role::Main
        && (fault.is_some() || may_be_object(program))
        && let Some(expression) = expression(allocator, source, running.lasting.is_some())?
    {
        return Ok(expression);
    }
    match fault {
        Some(fault) => Err(fault),
        None => {
            let strip = Strip::new(source, role, running.lasting.is_some());
            finish(program, strip, origin, running)
        }
    }
}

fn parse<'a>(allocator: &'a Allocator, source: &'a str, role: Role) -> ParserReturn<'a> {
    let options = ParseOptions {
        allow_return_outside_function: role == Role::Main,
        ..ParseOptions::default()
    };
    Parser::new(allocator, source, SourceType::ts().with_module(true))
        .with_options(options)
        .parse()
}

fn fault(diagnostic: &oxc_diagnostics::OxcDiagnostic) -> Fault {
    let offset = diagnostic
        .labels
        .first()
        .map_or(0, |label| label.offset() as usize);
    let mut message = diagnostic.message.to_string();
    if let Some(help) = &diagnostic.help {
        message = format!("{message} ({help})");
    }
    Fault { message, offset }
}

/// `{ a: 1 }` is a block with a label, but nobody means that.
fn may_be_object(program: &Program<'_>) -> bool {
    let [Statement::BlockStatement(block)] = program.body.as_slice() else {
        return false;
    };
    matches!(block.body.as_slice(), [Statement::LabeledStatement(_)])
}

/// A program that is one expression, and would be something else, or nothing, as statements.
fn expression(
    allocator: &Allocator,
    source: &str,
    lasting: bool,
) -> Result<Option<Prepared>, Fault> {
    let text =
        source.trim_end_matches(|character: char| character.is_whitespace() || character == ';');
    let Ok(expression) =
        Parser::new(allocator, text, SourceType::ts().with_module(true)).parse_expression()
    else {
        return Ok(None);
    };
    let mut strip = Strip::new(text, Role::Main, lasting);
    strip.visit_expression(&expression);
    shape::return_expression(&expression, true, &mut strip);
    if let Some(fault) = strip.found.fault.take() {
        return Err(fault);
    }
    let function = function_before(strip.found.awaits);
    let lasting = lasting.then(|| Lasting::of(&strip));
    let used = std::mem::take(&mut strip.names).free();
    let (free, called) = (owned(&used.names), owned(&used.called));
    if let Some(lasting) = lasting {
        let parts = (Vec::new(), String::new(), String::new());
        return Ok(Some(lasting.finish(
            strip,
            parts,
            (free, called, Vec::new()),
        )));
    }
    let (text, map) = strip.edits.apply(text, function, "\n}");
    Ok(Some(Prepared {
        text,
        map,
        imports: Vec::new(),
        free,
        called,
        shows: strip.found.shows,
        idle: Vec::new(),
        module: false,
        lasting: None,
        written: WrittenCalls::default(),
    }))
}

/// What makes a program a function. No brackets around it: QuickJS would look through all that is
/// in them twice.
fn function_before(awaits: bool) -> &'static str {
    if awaits {
        "async()=>{\n\n"
    } else {
        "()=>{\n\n"
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn finish<'a>(
    program: &Program<'a>,
    mut strip: Strip<'a, '_>,
    origin: &dyn Fn(&str) -> Origin,
    running: Running<'_>,
) -> Result<Prepared, Fault> {
    strip.visit_program(program);
    if let Some(fault) = strip.found.fault.take() {
        return Err(fault);
    }
    let role = strip.role;
    let end = if role == Role::Main {
        shape::returning(program, &mut strip)
    } else {
        String::new()
    };
    if let Some(fault) = strip.found.fault.take() {
        return Err(fault);
    }
    let lasting = running.lasting.map(|has| (Lasting::of(&strip), has));
    let used = std::mem::take(&mut strip.names).free();
    let called = owned(&used.called);
    let used = used.names;
    let written = match running.is_checked {
        true => written::of(program, &used, shape::main_of(&end)),
        false => WrittenCalls::default(),
    };
    if let Some((mut lasting, has)) = lasting {
        let lasts = imports::lasting(program, &used, origin, has);
        let (imports, before) = imports::constants(program, &mut strip, &lasts, origin);
        lasting.declared.extend(imports::names(program, &lasts));
        lasting.awaits |= !before.is_empty();
        let names = (owned(&used), called, owned(&strip.found.idle));
        let prepared = lasting.finish(strip, (imports, before, end), names);
        return Ok(Prepared {
            written,
            ..prepared
        });
    }
    let (imports, hoisted) = imports::imports(program, &mut strip, &used, origin);
    let module = role == Role::Module || !hoisted.is_empty() || strip.found.import_meta;
    let function = function_before(strip.found.awaits);
    let (before, after) = match (role, module) {
        (Role::Module, _) => (String::new(), String::new()),
        (Role::Main, true) => (
            format!("{hoisted}export default {function}"),
            format!("{end}\n}}"),
        ),
        (Role::Main, false) => (function.to_owned(), format!("{end}\n}}")),
    };
    let (free, idle) = (owned(&used), owned(&strip.found.idle));
    let (text, map) = strip.edits.apply(strip.source, &before, &after);
    Ok(Prepared {
        text,
        map,
        imports,
        free,
        called,
        shows: strip.found.shows,
        idle,
        module,
        lasting: None,
        written,
    })
}

#[cfg(test)]
mod tests;
