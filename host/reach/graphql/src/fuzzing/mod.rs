//! What must hold of schemas, selections and documents that nobody thought of. Tests try some of them
//! in each run, `tests/fuzz` tries more.

use std::collections::HashSet;
use std::sync::LazyLock;

use apollo_compiler::ast::{Definition, Document, Selection};
use apollo_compiler::parser::Parser;
use serde_json::{Map, Value, json};

use crate::arguments;
use crate::documents::{self, OutgoingDocument};
use crate::operations::{self, Kind, Names, Operation};
use crate::request;
use crate::schema::Schema;
use crate::selection::{self, DefaultSelection};

/// How many operations of a schema are tried.
const TRIED: usize = 12;
/// The schema whose fields are selected.
const SHOP: &str = include_str!("../../../../../tests/fuzz/seeds/schema/shop.graphql");

static KNOWN: LazyLock<(Schema, Vec<Operation>)> = LazyLock::new(|| {
    let schema = Schema::read(SHOP).expect("a schema");
    let all = operations::all(&schema, &mut Names::default()).expect("operations");
    (schema, all)
});

/// A schema, in its language or as the answer to an introspection: it is read or refused in one line;
/// its operations have names of their own and schemas that are objects, and what is selected by
/// default can be sent. Says what became of it.
///
/// # Panics
///
/// Where something of that does not hold.
pub fn schema(data: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(data) else {
        return "not text".to_owned();
    };
    let schema = match Schema::read(text) {
        Ok(schema) => schema,
        Err(why) => return refused(&why),
    };
    schema.problems.iter().for_each(|why| assert_one_line(why));
    let mut names = Names::default();
    let all = match operations::all(&schema, &mut names) {
        Ok(all) => all,
        Err(why) => return refused(&why),
    };
    let tools = documents::all(&schema, &mut names);
    let names = all.iter().map(|it| it.name.as_str());
    let names: Vec<&str> = names.chain(tools.iter().map(|it| &*it.name)).collect();
    let own: HashSet<&str> = names.iter().copied().collect();
    assert_eq!(own.len(), names.len(), "two tools have one name: {names:?}");
    let (mut leaves, mut selected) = (0, 0);
    for operation in all.iter().take(TRIED) {
        let field = &operation.field;
        let input = arguments::schema(&schema, field);
        assert!(input.is_object(), "{input}");
        let output = DefaultSelection::of(&schema, field).schema(&schema);
        assert!(output.is_object(), "{output}");
        let given = required(operation);
        let sent = request::document(&schema, operation, given);
        let sent = sent.unwrap_or_else(|why| panic!("{}: {why}", operation.name));
        assert_one_operation(&sent, operation);
        match selection::argument(&schema, field) {
            Some(_) => selected += 1,
            None => leaves += 1,
        }
    }
    format!("{} operations, {leaves} {selected}", all.len())
}

/// What a script selects of a field, or a whole document: what is sent is of the right kind, and
/// selects nothing beside the field. Says what became of it.
///
/// # Panics
///
/// Where something else would be sent.
pub fn select(data: &[u8]) -> String {
    let (Some(first), Ok(text)) = (
        data.first(),
        std::str::from_utf8(data.get(1..).unwrap_or_default()),
    ) else {
        return "not text".to_owned();
    };
    let (schema, all) = &*KNOWN;
    let place = usize::from(*first) % (all.len() + 2);
    let made = match all.get(place) {
        Some(operation) => {
            let mut given = required(operation);
            if let Some(name) = selection::argument(schema, &operation.field) {
                given.insert(name, text.into());
            }
            let made = request::document(schema, operation, given);
            if let Ok(sent) = &made {
                assert_one_operation(sent, operation);
            }
            made
        }
        None => {
            let tools = documents::all(schema, &mut Names::default());
            let tool = &tools[place - all.len()];
            let arguments = json!({ "document": text });
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            let made = tool.check(schema, &arguments);
            if let Ok(sent) = &made {
                for definition in read(&sent.text).definitions {
                    assert_kind(&definition, tool.kind);
                }
            }
            made
        }
    };
    match made {
        Ok(sent) => format!("{place}: {} fields", sent.text.matches('\n').count()),
        Err(why) => format!("{place}: {}", refused(&why)),
    }
}

fn read(text: &str) -> Document {
    let parsed = Parser::new().parse_ast(text, "sent");
    parsed.unwrap_or_else(|error| panic!("{text}: {}", error.errors))
}

/// What is sent is one operation of this kind, with this field alone.
fn assert_one_operation(sent: &OutgoingDocument, operation: &Operation) {
    let document = read(&sent.text);
    let [definition] = &document.definitions[..] else {
        panic!("more than one definition: {}", sent.text);
    };
    assert_kind(definition, operation.kind);
    let Definition::OperationDefinition(it) = definition else {
        panic!("not an operation: {}", sent.text);
    };
    match &it.selection_set[..] {
        [Selection::Field(field)] => assert_eq!(field.name, operation.field.name),
        _ => panic!("more than one field: {}", sent.text),
    }
    for name in sent.variables.keys() {
        let mut known = operation.field.arguments.iter();
        assert!(known.any(|it| it.name == name.as_str()), "{name} is sent");
    }
}

fn assert_kind(definition: &Definition, kind: Kind) {
    match definition {
        Definition::OperationDefinition(it) => {
            assert_eq!(it.operation_type, kind.of_document(), "of another kind");
        }
        Definition::FragmentDefinition(_) => {}
        _ => panic!("it defines types"),
    }
}

/// An argument for each that must be given, and one that the field does not have.
fn required(operation: &Operation) -> Map<String, Value> {
    let arguments = operation.field.arguments.iter();
    let required = arguments.filter(|it| it.is_required());
    let mut given: Map<String, Value> = required
        .map(|it| (it.name.to_string(), json!("} mutation { removeAll }")))
        .collect();
    given.insert("noSuchArgument".to_owned(), json!(1));
    given
}

fn refused(why: &str) -> String {
    assert_one_line(why);
    let mut is_quoted = false;
    let words = why.chars().filter(|c| {
        is_quoted ^= *c == '`';
        !is_quoted && !c.is_ascii_digit()
    });
    words.take(60).collect()
}

/// It is shown in the log, and to models.
fn assert_one_line(why: &str) {
    assert!(!why.contains(char::is_control), "{why:?}");
}

#[cfg(test)]
mod tests;
