//! Exports, and TypeScript's own forms of import. A module keeps its exports; the main program has
//! none, so there they become plain declarations.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use super::types::is_type_only_declaration;
use super::{Role, Strip};

/// The variable that holds what the main program exports by default. As long as `export default`.
pub(in crate::source) const DEFAULT_EXPORT: &str = "$default";

impl<'a> Strip<'a, '_> {
    pub(super) fn note_type_names(&mut self, statement: &Statement<'a>) {
        let id = match statement {
            Statement::TSTypeAliasDeclaration(it) => &it.id,
            Statement::TSInterfaceDeclaration(it) => &it.id,
            _ => return,
        };
        self.type_names.insert(id.name.as_str());
    }

    pub(super) fn export_declaration(&mut self, it: &ExportDeclaration<'a>) {
        if is_type_only_declaration(&it.declaration) {
            if let Some(id) = it.declaration.id() {
                self.type_names.insert(id.name.as_str());
            }
            return self.blank_statement(it.span);
        }
        match &it.declaration {
            Declaration::TSEnumDeclaration(enumeration) => {
                return self.enumeration(enumeration, it.span.start);
            }
            Declaration::TSNamespaceDeclaration(namespace) => {
                return self.namespace(namespace, it.span.start);
            }
            Declaration::TSImportEqualsDeclaration(import) => self.import_equals(import),
            other => walk::walk_declaration(self, other),
        }
        if self.role == Role::Main {
            self.edits.blank(it.span.start, it.declaration.span().start);
        }
        if let Declaration::VariableDeclaration(_) = &it.declaration {
            self.close(it.span);
        }
    }

    pub(super) fn export_named(&mut self, it: &ExportNamedDeclaration<'a>) {
        if it.export_kind.is_type() || self.role == Role::Main {
            if !it.export_kind.is_type() {
                self.visit_export_specifiers(&it.specifiers);
            }
            return self.blank_statement(it.span);
        }
        for specifier in &it.specifiers {
            let local = specifier.local.name();
            let only_type = self.type_names.contains(local.as_str())
                && !self.names.is_declared_outermost(&local);
            if specifier.export_kind.is_type() || only_type {
                self.blank_specifier(specifier.span);
            } else {
                self.visit_module_export_name(&specifier.local);
            }
        }
    }

    pub(super) fn export_from(&mut self, it: &ExportFromDeclaration<'a>) {
        if it.export_kind.is_type() {
            return self.blank_statement(it.span);
        }
        if self.role == Role::Main {
            return;
        }
        for specifier in it
            .specifiers
            .iter()
            .filter(|specifier| specifier.export_kind.is_type())
        {
            self.blank_specifier(specifier.span);
        }
    }

    pub(super) fn export_all(&mut self, it: &ExportAllDeclaration<'a>) {
        if it.export_kind.is_type() {
            self.blank_statement(it.span);
        }
    }

    /// Blanks one of several specifiers, with the comma after it.
    pub(super) fn blank_specifier(&mut self, span: oxc_span::Span) {
        self.blank(span);
        self.blank_mark(b',', span.end);
    }

    pub(super) fn export_default(&mut self, it: &ExportDefaultDeclaration<'a>) {
        let declaration = it.declaration.span();
        match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => {
                return self.blank_statement(it.span);
            }
            ExportDefaultDeclarationKind::FunctionDeclaration(function)
                if function.body.is_none() =>
            {
                return self.blank_statement(it.span);
            }
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                self.visit_function(function, ScopeFlags::Function);
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => self.visit_class(class),
            other => {
                self.visit_expression(other.to_expression());
                self.close(it.span);
            }
        }
        if self.role == Role::Module {
            return;
        }
        match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function)
                if function.id.is_some() =>
            {
                self.edits.blank(it.span.start, declaration.start);
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) if class.id.is_some() => {
                self.edits.blank(it.span.start, declaration.start);
            }
            _ => self.set_default(it.span.start, declaration.start, it.span.end),
        }
    }

    /// `export = value`, which is the default export of other module systems.
    pub(super) fn export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.visit_expression(&it.expression);
        self.close(it.span);
        let start = it.expression.span().start;
        match self.role {
            Role::Main => self.set_default(it.span.start, start, it.span.end),
            Role::Module => self.edits.replace(it.span.start, start, "export default "),
        }
    }

    fn set_default(&mut self, start: u32, value: u32, end: u32) {
        self.edits
            .replace(start, value, format!("let {DEFAULT_EXPORT} = "));
        self.edits.insert(end, ";");
    }

    /// `import a = b.c` and `import a = require("b")`: constants.
    pub(super) fn import_equals(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        self.names.declare(it.id.name.as_str(), false);
        let target = it.module_reference.span().start;
        if let TSModuleReference::IdentifierReference(id) = &it.module_reference {
            self.visit_identifier_reference(id);
        }
        if it.span.start + 6 <= target {
            self.edits
                .replace(it.span.start, it.span.start + 6, "const ");
        }
    }
}
