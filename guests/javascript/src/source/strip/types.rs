//! What is about types alone, and becomes nothing.

use oxc_ast::ast::*;

/// Whether a statement declares types, or only says that something exists.
pub(in crate::source) fn is_type_only(statement: &Statement<'_>) -> bool {
    match statement.as_declaration() {
        Some(declaration) => is_type_only_declaration(declaration),
        None => matches!(statement, Statement::TSNamespaceExportDeclaration(_)),
    }
}

/// Whether a declaration declares types, or only says that something exists.
pub(super) fn is_type_only_declaration(it: &Declaration<'_>) -> bool {
    match it {
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
        Declaration::VariableDeclaration(it) => it.declare,
        Declaration::FunctionDeclaration(it) => it.body.is_none(),
        Declaration::ClassDeclaration(it) => it.declare,
        Declaration::TSEnumDeclaration(it) => it.declare,
        Declaration::TSNamespaceDeclaration(it) => it.declare || !has_values(it),
        Declaration::TSImportEqualsDeclaration(it) => it.import_kind.is_type(),
    }
}

/// Whether a namespace holds more than types.
fn has_values(it: &TSNamespaceDeclaration<'_>) -> bool {
    let value = |statement: &Statement<'_>| match statement {
        Statement::ExportDeclaration(export) => !is_type_only_declaration(&export.declaration),
        other => !is_type_only(other),
    };
    match &it.body {
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => has_values(inner),
        TSNamespaceDeclarationBody::TSModuleBlock(block) => block.body.iter().any(value),
    }
}
