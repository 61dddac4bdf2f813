//! Namespaces. Each becomes a variable and a function that fills it; what it exports becomes
//! properties that read and write the function's variables, so that both sides see changes.

use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use super::Strip;
use super::enums::quoted;
use super::types::is_type_only_declaration;

impl<'a> Strip<'a, '_> {
    /// `start` is where the declaration begins, `export` included.
    pub(super) fn namespace(&mut self, it: &TSNamespaceDeclaration<'a>, start: u32) {
        let name = it.id.name.as_str();
        self.names.declare(name, true);
        let prefix = self.declaration_of(name, start != it.span.start);
        let end = it.span.end;
        self.namespace_body(it, start, &prefix, name);
        self.edits.insert(end, format!(")({name}||({name}={{}}));"));
    }

    /// Everything up to the function's closing brace.
    fn namespace_body(
        &mut self,
        it: &TSNamespaceDeclaration<'a>,
        start: u32,
        prefix: &str,
        name: &'a str,
    ) {
        self.names.enter(true);
        self.names.declare(name, false);
        match &it.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                let inner_name = inner.id.name.as_str();
                let open = format!(
                    "{prefix}(function({name}){{let {inner_name}={name}.{inner_name}||={{}};"
                );
                self.namespace_body(inner, start, &open, inner_name);
                self.edits
                    .insert(inner.span.end, format!(")({inner_name})}}"));
            }
            TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                self.namespace_block(block, start, prefix, name)
            }
        }
        self.names.leave();
    }

    fn namespace_block(
        &mut self,
        block: &TSModuleBlock<'a>,
        start: u32,
        prefix: &str,
        name: &'a str,
    ) {
        let exported = exported_names(&block.body);
        let mut open = format!("{prefix}(function({name}){{");
        for (export, constant) in &exported {
            let set = if *constant {
                String::new()
            } else {
                format!(",set(v){{{export}=v}}")
            };
            let key = quoted(export);
            open += &format!(
                "Object.defineProperty({name},{key},{{enumerable:true,configurable:true,get(){{return {export}}}{set}}});"
            );
        }
        self.edits.replace(start, block.span.start + 1, open);
        self.function_depth += 1;
        for statement in &block.body {
            self.namespace_statement(statement);
        }
        self.function_depth -= 1;
        // Its own exports are variables of the function; those of its other parts are only members.
        self.reach_members(name);
        let own = exported.iter().map(|(export, _)| *export);
        self.members.entry(name).or_default().extend(own);
    }

    fn namespace_statement(&mut self, statement: &Statement<'a>) {
        let Statement::ExportDeclaration(export) = statement else {
            return self.visit_statement(statement);
        };
        if is_type_only_declaration(&export.declaration) {
            return self.blank_statement(export.span);
        }
        match &export.declaration {
            Declaration::TSEnumDeclaration(it) => self.enumeration(it, it.span.start),
            Declaration::TSNamespaceDeclaration(it) => self.namespace(it, it.span.start),
            Declaration::TSImportEqualsDeclaration(it) => self.import_equals(it),
            Declaration::FunctionDeclaration(it) => self.visit_function(it, ScopeFlags::Function),
            Declaration::ClassDeclaration(it) => self.visit_class(it),
            Declaration::VariableDeclaration(it) => {
                self.visit_variable_declaration(it);
                self.close(it.span);
            }
            _ => {}
        }
        self.edits
            .blank(export.span.start, export.declaration.span().start);
    }
}

/// What a namespace exports, and whether it can't change.
fn exported_names<'a>(body: &[Statement<'a>]) -> Vec<(&'a str, bool)> {
    let mut names = Vec::new();
    for statement in body {
        let Statement::ExportDeclaration(export) = statement else {
            continue;
        };
        if is_type_only_declaration(&export.declaration) {
            continue;
        }
        match &export.declaration {
            Declaration::VariableDeclaration(it) => {
                let constant = it.kind.is_const();
                let ids = it
                    .declarations
                    .iter()
                    .flat_map(|declarator| declarator.id.get_binding_identifiers());
                names.extend(ids.map(|id| (id.name.as_str(), constant)));
            }
            other => names.extend(other.id().map(|id| (id.name.as_str(), true))),
        }
    }
    names
}
