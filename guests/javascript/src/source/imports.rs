//! Imports: what a source wants of which module, and the declarations that are left when types are
//! gone.

use oxc_ast::ast::*;
use oxc_span::GetSpan;
use rustc_hash::FxHashSet;

use super::strip::{Strip, quoted};
use super::{Origin, Role, Wanted};

/// One module that a source imports.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Import {
    /// As it was written.
    pub(crate) specifier: String,
    /// The names that are wanted of it.
    pub(crate) wanted: Wanted,
    /// Where it says so, in the source as written.
    pub(crate) offset: usize,
}

/// Handles a program's imports. For the main program, whose code is wrapped in a function, gives
/// the declarations to put before.
pub(super) fn imports<'a>(
    program: &Program<'a>,
    strip: &mut Strip<'a, '_>,
    free: &[&str],
    origin: &dyn Fn(&str) -> Origin,
) -> (Vec<Import>, String) {
    let used: FxHashSet<&str> = free.iter().copied().collect();
    let (mut list, mut hoisted) = (Vec::new(), String::new());
    for statement in &program.body {
        let kept = match statement {
            Statement::ImportDeclaration(it) => declaration(it, strip.source, &used, origin),
            Statement::ExportFromDeclaration(it) if !it.export_kind.is_type() => {
                Some(reexport(it, strip.role))
            }
            Statement::ExportAllDeclaration(it) if !it.export_kind.is_type() => {
                Some(side_effect(&it.source, Wanted::All))
            }
            _ => continue,
        };
        let own_form = matches!(statement, Statement::ImportDeclaration(_));
        match (kept, strip.role) {
            (None, _) => strip
                .edits
                .blank_statement(statement.span().start, statement.span().end),
            (Some((import, text)), Role::Main) => {
                hoisted += &text;
                list.push(import);
                strip
                    .edits
                    .blank_statement(statement.span().start, statement.span().end);
            }
            (Some((import, text)), Role::Module) => {
                list.push(import);
                if own_form {
                    replace(strip, statement.span(), text);
                }
            }
        }
    }
    let dynamic = std::mem::take(&mut strip.found.dynamic_imports);
    list.extend(dynamic.into_iter().map(|(specifier, offset)| Import {
        specifier: specifier.to_owned(),
        wanted: Wanted::Later,
        offset: offset as usize,
    }));
    (list, hoisted)
}

fn replace(strip: &mut Strip<'_, '_>, span: oxc_span::Span, mut text: String) {
    let written = &strip.source[span.start as usize..span.end as usize];
    text.extend(written.matches('\n'));
    strip.edits.replace(span.start, span.end, text);
}

/// What is left of an import declaration: nothing if it is about types. Names that are never used
/// as values may be types, so they are not asked for; where none is left, only a module of the
/// program is loaded, for what it does.
fn declaration(
    it: &ImportDeclaration<'_>,
    source: &str,
    used: &FxHashSet<&str>,
    origin: &dyn Fn(&str) -> Origin,
) -> Option<(Import, String)> {
    if it.import_kind.is_type() {
        return None;
    }
    let specifier = it.source.value.as_str();
    let Some(specifiers) = &it.specifiers else {
        return Some(side_effect(&it.source, Wanted::Names(Vec::new())));
    };
    let kept: Vec<_> = specifiers
        .iter()
        .filter(|specifier| is_kept(specifier, used))
        .collect();
    let origin = origin(specifier);
    if kept.is_empty() {
        let only_types = !specifiers.is_empty() && specifiers.iter().all(is_type);
        return (origin == Origin::Program && !only_types)
            .then(|| side_effect(&it.source, Wanted::Names(Vec::new())));
    }
    let (mut wanted, mut heads, mut named) = (Vec::new(), Vec::new(), Vec::new());
    let mut all = false;
    for specifier in kept {
        match specifier {
            ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => {
                wanted.push("default".to_owned());
                heads.insert(0, default.local.name.to_string());
            }
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(namespace)
                if origin == Origin::Object =>
            {
                wanted.push("default".to_owned());
                named.push(format!("default as {}", namespace.local.name));
            }
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(namespace) => {
                all = true;
                heads.push(format!("* as {}", namespace.local.name));
            }
            ImportDeclarationSpecifier::ImportSpecifier(one) => {
                wanted.push(one.imported.name().to_string());
                named.push(format!(
                    "{} as {}",
                    quoted(&one.imported.name()),
                    one.local.name
                ));
            }
        }
    }
    if !named.is_empty() {
        heads.push(format!("{{{}}}", named.join(",")));
    }
    let attributes =
        source[it.source.span.end as usize..it.span.end as usize].trim_end_matches(';');
    let attributes = if it.with_clause.is_some() {
        attributes
    } else {
        ""
    };
    let text = format!(
        "import {} from {}{attributes};",
        heads.join(","),
        quoted(specifier)
    );
    let wanted = if all {
        Wanted::All
    } else {
        Wanted::Names(wanted)
    };
    Some((
        Import {
            specifier: specifier.to_owned(),
            wanted,
            offset: it.source.span.start as usize,
        },
        text,
    ))
}

fn is_type(specifier: &ImportDeclarationSpecifier<'_>) -> bool {
    matches!(specifier, ImportDeclarationSpecifier::ImportSpecifier(one) if one.import_kind.is_type())
}

fn is_kept(specifier: &ImportDeclarationSpecifier<'_>, used: &FxHashSet<&str>) -> bool {
    !is_type(specifier) && used.contains(specifier.local().name.as_str())
}

fn side_effect(source: &StringLiteral<'_>, wanted: Wanted) -> (Import, String) {
    let specifier = source.value.as_str();
    let import = Import {
        specifier: specifier.to_owned(),
        wanted,
        offset: source.span.start as usize,
    };
    (import, format!("import {};", quoted(specifier)))
}

fn reexport(it: &ExportFromDeclaration<'_>, role: Role) -> (Import, String) {
    let values = it
        .specifiers
        .iter()
        .filter(|specifier| !specifier.export_kind.is_type());
    let names = match role {
        Role::Main => Vec::new(),
        Role::Module => values
            .map(|specifier| specifier.local.name().to_string())
            .collect(),
    };
    side_effect(&it.source, Wanted::Names(names))
}
