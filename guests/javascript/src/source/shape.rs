//! The shapes that a script may have, and what it returns in each: the value of a `return`, of the
//! last expression, of the function that it is or declares, or what it exports by default.

use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::strip::{DEFAULT_EXPORT, Strip, is_type_only};
use super::uncalled::Uncalled;

/// Functions whose value, a timer, is no result.
const TIMERS: [&str; 4] = [
    "setTimeout",
    "setInterval",
    "setImmediate",
    "queueMicrotask",
];

/// Adds what makes the program return its result. Gives what comes after its last line.
pub(super) fn returning<'a>(program: &Program<'a>, strip: &mut Strip<'a, '_>) -> String {
    if let Some(default) = program.body.iter().find_map(default_export) {
        if let Some(function) = program.body.iter().find_map(Uncalled::exported) {
            function.ask_for_arguments(strip);
        }
        return default;
    }
    let executed: Vec<_> = program
        .body
        .iter()
        .filter(|statement| is_executed(statement))
        .collect();
    match executed.last() {
        None => {
            if let Some(directive) = program.directives.last() {
                strip.edits.insert(directive.span.start, "return ");
            }
            String::new()
        }
        Some(Statement::ExpressionStatement(last)) if !strip.found.returns => {
            return_expression(&last.expression, executed.len() == 1, strip);
            String::new()
        }
        Some(Statement::IfStatement(last)) if !strip.found.returns => {
            if_main(last, strip);
            String::new()
        }
        Some(_) if !strip.found.returns => declared_main(&executed, strip),
        Some(_) => String::new(),
    }
}

/// Makes an expression the result: if it is all there is and a function, what that returns.
pub(super) fn return_expression(
    expression: &Expression<'_>,
    alone: bool,
    strip: &mut Strip<'_, '_>,
) {
    let span = expression.span();
    let inner = expression.get_inner_expression();
    if let Some(function) = Uncalled::expressed(inner).filter(|_| alone) {
        function.ask_for_arguments(strip);
        strip.edits.insert(span.start, "return (");
        strip.edits.insert(span.end, ")()");
    } else if !starts_timer(inner) {
        strip.edits.insert(span.start, "return ");
    }
}

/// `if (import.meta.main) main();`, as for Deno and Bun: what it ends in is the result.
fn if_main(statement: &IfStatement<'_>, strip: &mut Strip<'_, '_>) {
    let is_main = matches!(&statement.test, Expression::StaticMemberExpression(it)
        if it.property.name == "main" && matches!(it.object, Expression::ImportMeta(_)));
    let last = match &statement.consequent {
        Statement::BlockStatement(block) => block.body.last(),
        one => Some(one),
    };
    if let (true, Some(Statement::ExpressionStatement(last))) = (is_main, last) {
        return_expression(&last.expression, false, strip);
    }
}

fn starts_timer(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::CallExpression(call)
        if matches!(&call.callee, Expression::Identifier(id) if TIMERS.contains(&id.name.as_str())))
}

/// Whether a statement is more than a type or an import.
fn is_executed(statement: &Statement<'_>) -> bool {
    let import = matches!(
        statement,
        Statement::ImportDeclaration(_)
            | Statement::ExportFromDeclaration(_)
            | Statement::ExportAllDeclaration(_)
            | Statement::ExportNamedDeclaration(_)
            | Statement::EmptyStatement(_)
    );
    !import && !is_type_only(statement)
}

/// The end of a program that exports something by default: that is its result, or what it returns
/// if it is a function.
fn default_export(statement: &Statement<'_>) -> Option<String> {
    match statement {
        Statement::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => None,
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                match (&function.id, &function.body) {
                    (_, None) => None,
                    (Some(id), _) => Some(format!("\nreturn {}()", id.name)),
                    (None, _) => Some(format!("\nreturn {DEFAULT_EXPORT}()")),
                }
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => Some(format!(
                "\nreturn {}",
                class
                    .id
                    .as_ref()
                    .map_or(DEFAULT_EXPORT, |id| id.name.as_str())
            )),
            _ => Some(called(DEFAULT_EXPORT)),
        },
        Statement::TSExportAssignment(_) => Some(called(DEFAULT_EXPORT)),
        Statement::ExportNamedDeclaration(it) => {
            let default = it
                .specifiers
                .iter()
                .find(|specifier| specifier.exported.name() == "default")?;
            Some(called(&default.local.name()))
        }
        _ => None,
    }
}

/// The function that the end of a program calls, if that is all it does.
pub(super) fn main_of(end: &str) -> Option<&str> {
    end.strip_prefix("\nreturn ")?.strip_suffix("()")
}

fn called(name: &str) -> String {
    format!("\nreturn typeof {name}===\"function\"?{name}():{name}")
}

/// The end of a program that only declares things: it calls `main`, or else the one function that
/// there is. If there are several and none is used, the program does nothing, which nobody means.
fn declared_main<'a>(executed: &[&Statement<'a>], strip: &mut Strip<'a, '_>) -> String {
    let mut functions: Vec<Uncalled<'a, '_>> = Vec::new();
    for statement in executed {
        match statement {
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::FunctionDeclaration(function) => {
                    functions.extend(Uncalled::declared(function));
                }
                Declaration::VariableDeclaration(variables) => {
                    functions.extend(variables.declarations.iter().filter_map(Uncalled::constant));
                }
                _ => {}
            },
            Statement::FunctionDeclaration(function) => {
                functions.extend(Uncalled::declared(function));
            }
            Statement::VariableDeclaration(variables) => {
                functions.extend(variables.declarations.iter().filter_map(Uncalled::constant));
            }
            Statement::ClassDeclaration(_)
            | Statement::TSEnumDeclaration(_)
            | Statement::TSNamespaceDeclaration(_) => {}
            _ => return String::new(),
        }
    }
    let main = functions.iter().find(|function| function.name == "main");
    // In a session, functions are declared for later.
    let alone = functions
        .first()
        .filter(|_| executed.len() == 1 && !strip.lasting);
    match main.or(alone.filter(|_| functions.len() == 1)) {
        Some(called) => {
            called.ask_for_arguments(strip);
            format!("\nreturn {}()", called.name)
        }
        None => {
            let names = || functions.iter().map(|function| function.name);
            if !strip.lasting && !names().any(|name| strip.names.is_used(name)) {
                strip.found.idle = names().collect();
            }
            String::new()
        }
    }
}
