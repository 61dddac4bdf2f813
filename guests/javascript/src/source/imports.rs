//! Imports: what a source wants of which module, and the declarations that are left when types are
//! gone.

use oxc_ast::ast::*;
use oxc_span::GetSpan;
use rustc_hash::FxHashSet;

use super::strip::{Strip, quoted};
use super::{Declared, Has, Origin, Role, Wanted};

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
    let text = format!(
        "import {} from {}{};",
        heads.join(","),
        quoted(specifier),
        attributes(it, source)
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

/// What an import says after its module's name.
fn attributes<'s>(it: &ImportDeclaration<'_>, source: &'s str) -> &'s str {
    let after = source[it.source.span.end as usize..it.span.end as usize].trim_end_matches(';');
    if it.with_clause.is_some() { after } else { "" }
}

/// The names that a program of a session uses, or imports for later ones. What it does not use may be
/// a type: that is imported if it is there.
pub(super) fn lasting<'a>(
    program: &Program<'a>,
    free: &[&'a str],
    origin: &dyn Fn(&str) -> Origin,
    has: Has<'_>,
) -> FxHashSet<&'a str> {
    let mut names: FxHashSet<&str> = free.iter().copied().collect();
    for it in program.body.iter().filter_map(value_import) {
        let module = it.source.value.as_str();
        for specifier in it.specifiers.iter().flatten() {
            let name = specifier.local().name.as_str();
            if !names.contains(name) && !is_type(specifier) {
                let origin = origin(module);
                if origin == Origin::Program || has(module, &wanted(specifier, origin)) {
                    names.insert(name);
                }
            }
        }
    }
    names
}

fn value_import<'p, 'a>(statement: &'p Statement<'a>) -> Option<&'p ImportDeclaration<'a>> {
    match statement {
        Statement::ImportDeclaration(it) if !it.import_kind.is_type() => Some(it),
        _ => None,
    }
}

/// What a specifier alone asks of its module.
fn wanted(specifier: &ImportDeclarationSpecifier<'_>, origin: Origin) -> Wanted {
    let name = match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(one) => one.imported.name().to_string(),
        ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) if origin != Origin::Object => {
            return Wanted::All;
        }
        _ => "default".to_owned(),
    };
    Wanted::Names(vec![name])
}

/// What a specifier asks of a package's module.
pub(super) fn wanted_of_module(specifier: &ImportDeclarationSpecifier<'_>) -> Wanted {
    wanted(specifier, Origin::Other)
}

/// Those of the names that imports declare.
pub(super) fn names(program: &Program<'_>, kept: &FxHashSet<&str>) -> Vec<Declared> {
    let imports = program.body.iter().filter_map(value_import);
    let specifiers = imports.flat_map(|it| it.specifiers.iter().flatten());
    specifiers
        .filter(|specifier| is_kept(specifier, kept))
        .map(|specifier| Declared::anew(specifier.local().name.as_str()))
        .collect()
}

/// The same as [`imports`] for a program of a session: with the text that takes their place.
pub(super) fn constants<'a>(
    program: &Program<'a>,
    strip: &mut Strip<'a, '_>,
    used: &FxHashSet<&str>,
    origin: &dyn Fn(&str) -> Origin,
) -> (Vec<Import>, String) {
    let kept: Vec<&str> = used.iter().copied().collect();
    let (list, _) = imports(program, strip, &kept, origin);
    let (mut text, mut kept) = (String::new(), list.iter().peekable());
    for statement in &program.body {
        let (source, declaration) = match statement {
            Statement::ImportDeclaration(it) => (&it.source, Some(it)),
            Statement::ExportFromDeclaration(it) => (&it.source, None),
            Statement::ExportAllDeclaration(it) => (&it.source, None),
            _ => continue,
        };
        // Those that are left of them are in the same order.
        let offset = source.span.start as usize;
        if kept.next_if(|next| next.offset == offset).is_none() {
            continue;
        }
        let attributes = declaration.map_or("", |it| attributes(it, strip.source));
        let with = match attributes.trim_start().strip_prefix("with") {
            Some(attributes) => format!(",{{with:{attributes}}}"),
            None => String::new(),
        };
        let module = format!("await import({}{with})", quoted(source.value.as_str()));
        text += &declaration.map_or_else(
            || format!("{module};"),
            |it| constant(it, &module, used, origin),
        );
    }
    (list, text)
}

/// The constants that an import declares, of what gives its module.
fn constant(
    it: &ImportDeclaration<'_>,
    module: &str,
    used: &FxHashSet<&str>,
    origin: &dyn Fn(&str) -> Origin,
) -> String {
    let specifiers = it.specifiers.iter().flatten();
    let (mut parts, mut all) = (Vec::new(), None);
    for specifier in specifiers.filter(|specifier| is_kept(specifier, used)) {
        let local = &specifier.local().name;
        match specifier {
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(_)
                if origin(it.source.value.as_str()) != Origin::Object =>
            {
                all = Some(local);
            }
            ImportDeclarationSpecifier::ImportSpecifier(one) => {
                parts.push(format!("{}:{local}", quoted(&one.imported.name())));
            }
            _ => parts.push(format!("default:{local}")),
        }
    }
    let parts = parts.join(",");
    match (all, parts.is_empty()) {
        (None, true) => format!("{module};"),
        (None, false) => format!("const {{{parts}}}={module};"),
        (Some(all), true) => format!("const {all}={module};"),
        (Some(all), false) => format!("const {all}={module},{{{parts}}}={all};"),
    }
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
