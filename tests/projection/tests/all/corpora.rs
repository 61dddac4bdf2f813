//! The tools of real servers, in `tests/corpora/tools`.

use std::collections::HashSet;

use ampoule_projection::types::{DocumentedType, Type};
use ampoule_projection::{Detail, Interface, Problem, Tool};
use ampoule_projection_tests::{
    assert_python, assert_typescript, assert_valid, json_files, python, tools_in, typescript, wit,
};
use serde_json::Value;

#[test]
fn every_tool_is_declared_with_all_of_its_arguments() {
    let mut count = 0;
    for path in json_files("tools") {
        let tools = tools_in(&path);
        count += tools.len();
        let interface = Interface::of(&tools);
        for (tool, function) in tools.iter().zip(&interface.functions) {
            let schema = tool.input_schema.parse_object();
            let stated: HashSet<&str> = schema
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .map(|(name, _)| name.as_str())
                .collect();
            let Type::Record(arguments) = resolved(&interface, &function.arguments) else {
                panic!("{} takes {:?}", tool.name, function.arguments.ty)
            };
            let projected: HashSet<&str> = arguments
                .properties
                .iter()
                .map(|property| property.name.as_str())
                .collect();
            assert_eq!(projected, stated, "{}", tool.name);
            assert_eq!(
                function.result.is_some(),
                tool.output_schema.is_some(),
                "{}",
                tool.name
            );
        }
        let notes: Vec<_> = interface
            .functions
            .iter()
            .flat_map(|function| &function.notes)
            .collect();
        assert!(
            notes
                .iter()
                .all(|note| matches!(note.problem, Problem::Loosened(_))),
            "{}: {notes:?}",
            path.display()
        );
    }
    assert_eq!(count, 318);
}

#[test]
fn every_server_is_well_formed_in_each_language() {
    for path in json_files("tools") {
        let server = path.file_stem().unwrap().to_str().unwrap();
        let tools = tools_in(&path);
        assert_valid(&wit(server, &tools), tools.len());
        for detail in [Detail::Brief, Detail::Full, Detail::Whole] {
            assert_typescript(&typescript(server, &tools, detail));
            assert_python(&python(&tools, detail));
        }
    }
}

#[test]
fn declarations_are_the_same_in_any_order() {
    for path in json_files("tools") {
        let mut tools = tools_in(&path);
        let forwards = functions(&tools);
        tools.reverse();
        assert_eq!(functions(&tools), forwards, "{}", path.display());
    }
}

/// The lines that declare functions, sorted.
fn functions(tools: &[Tool]) -> Vec<String> {
    let text = typescript("server", tools, Detail::Full);
    let mut lines: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with("  function "))
        .map(str::to_owned)
        .collect();
    lines.sort();
    lines
}

fn resolved<'a>(interface: &'a Interface, documented: &'a DocumentedType) -> &'a Type {
    match &documented.ty {
        Type::Named(id) => &interface.definition(*id).value.ty,
        ty => ty,
    }
}
