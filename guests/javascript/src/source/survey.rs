//! What an ES module of a package imports, and what it uses without declaring it. It is JavaScript
//! as it was published, and stays as it is.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, Statement};
use oxc_ast_visit::Visit;
use oxc_parser::Parser;
use oxc_span::SourceType;

use super::strip::Strip;
use super::{Role, Wanted, imports, nesting};

/// What a module imports and uses.
#[derive(Default)]
pub(crate) struct ModuleSurvey {
    /// The specifiers, and what is wanted of each.
    imports: Vec<(String, Wanted)>,
    /// The names that it uses without declaring or importing them.
    free: Vec<String>,
}

impl ModuleSurvey {
    /// Looks at a module's text. Of what can't be read, nothing is known.
    pub(crate) fn of(text: &str) -> Self {
        if nesting::too_deep(text).is_some() {
            return Self::default();
        }
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, text, SourceType::mjs()).parse();
        if parsed.diagnostics.errors().next().is_some() {
            return Self::default();
        }
        let mut strip = Strip::new(text, Role::Module, false);
        strip.visit_program(&parsed.program);
        if strip.found.fault.is_some() {
            return Self::default();
        }
        let free = std::mem::take(&mut strip.names).free().names;
        let mut imports = wanted(&parsed.program);
        let dynamic = strip.found.dynamic_imports.iter();
        imports.extend(dynamic.map(|(specifier, _)| ((*specifier).to_owned(), Wanted::Later)));
        Self {
            imports,
            free: free.into_iter().map(str::to_owned).collect(),
        }
    }

    /// Whether it uses a name that it neither declares nor imports.
    pub(crate) fn uses(&self, name: &str) -> bool {
        self.free.iter().any(|free| free == name)
    }

    /// What it wants of the module that a specifier means.
    pub(crate) fn wanted(&self, specifier: &str) -> Wanted {
        let of = self.imports.iter().filter(|(of, _)| of == specifier);
        let all = of.map(|(_, wanted)| wanted.clone());
        all.reduce(|wanted, more| wanted.and(&more))
            .unwrap_or(Wanted::Later)
    }
}

/// What the declarations of a module want of others.
fn wanted(program: &Program<'_>) -> Vec<(String, Wanted)> {
    let wanted = program.body.iter().filter_map(|statement| {
        let (source, wanted) = match statement {
            Statement::ImportDeclaration(it) => {
                let specifiers = it.specifiers.iter().flatten();
                let each = specifiers.map(imports::wanted_of_module);
                let none = Wanted::Names(Vec::new());
                (&it.source, each.fold(none, |all, more| all.and(&more)))
            }
            Statement::ExportFromDeclaration(it) => {
                let names = it.specifiers.iter().map(|one| one.local.name().to_string());
                (&it.source, Wanted::Names(names.collect()))
            }
            Statement::ExportAllDeclaration(it) => (&it.source, Wanted::All),
            _ => return None,
        };
        Some((source.value.to_string(), wanted))
    });
    wanted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_module_wants_and_uses_is_known() {
        let text = "import a, { b as c } from 'x'; import { d } from 'x'; import 'y';\n\
                    import * as all from 'z'; export { e as f } from 'w'; export * from 'v';\n\
                    const g = import('x2'); import h from 'x2';\n\
                    export const mode = process.env.MODE; function of(Buffer) { return Buffer }";
        let survey = ModuleSurvey::of(text);
        let names =
            |names: &[&str]| Wanted::Names(names.iter().map(|&name| name.to_owned()).collect());
        assert_eq!(survey.wanted("x"), names(&["default", "b", "d"]));
        assert_eq!(survey.wanted("y"), names(&[]));
        assert_eq!(survey.wanted("z"), Wanted::All);
        assert_eq!(survey.wanted("w"), names(&["e"]));
        assert_eq!(survey.wanted("v"), Wanted::All);
        assert_eq!(survey.wanted("x2"), Wanted::Later);
        assert_eq!(survey.wanted("unknown"), Wanted::Later);
        assert!(survey.uses("process") && !survey.uses("Buffer"));
        assert!(!ModuleSurvey::of("const process = 1; process").uses("process"));
        assert_eq!(
            ModuleSurvey::of("import a from 'x'; (").wanted("x"),
            Wanted::Later
        );
    }
}
