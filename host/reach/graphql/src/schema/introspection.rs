//! The schema as an API says it itself.

use ampoule_untrusted::json::depth;
use apollo_compiler::ast::{
    Argument, Definition, Directive, DirectiveDefinition, DirectiveList, DirectiveLocation,
    Document, EnumTypeDefinition, EnumValueDefinition, FieldDefinition, InputObjectTypeDefinition,
    InputValueDefinition, InterfaceTypeDefinition, ObjectTypeDefinition, OperationType,
    ScalarTypeDefinition, SchemaDefinition, Type, UnionTypeDefinition, Value,
};
use apollo_compiler::parser::Parser;
use apollo_compiler::{Name, Node};
use serde::Deserialize;

use super::Schema;

/// How deep the JSON of a schema is nested at most: that of lists of lists.
const MAX_DEPTH: usize = 64;

/// How long a default may be, in bytes, and of how many words and signs it may consist.
const MAX_DEFAULT: usize = 4096;

/// What an API is asked: all that is known, and what each server understands.
pub(crate) const QUESTIONS: [&str; 2] = [NEW, OLD];

const NEW: &str = "query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name } types { kind name description specifiedByURL isOneOf fields(includeDeprecated: true) { name description isDeprecated deprecationReason args(includeDeprecated: true) { ...V } type { ...T } } inputFields(includeDeprecated: true) { ...V } interfaces { name } possibleTypes { name } enumValues(includeDeprecated: true) { name description } } directives { name isRepeatable locations args { ...V } } } } fragment V on __InputValue { name description defaultValue type { ...T } } fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } }";
const OLD: &str = "query IntrospectionQuery { __schema { queryType { name } mutationType { name } types { kind name description fields(includeDeprecated: true) { name description isDeprecated deprecationReason args { ...V } type { ...T } } inputFields { ...V } interfaces { name } possibleTypes { name } enumValues(includeDeprecated: true) { name description } } directives { name locations args { ...V } } } } fragment V on __InputValue { name description defaultValue type { ...T } } fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } }";

#[derive(Deserialize)]
struct Response {
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Data {
    #[serde(rename = "__schema")]
    schema: SchemaAnswer,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SchemaAnswer {
    query_type: Option<NamedItem>,
    mutation_type: Option<NamedItem>,
    types: Vec<ToldType>,
    #[serde(default)]
    directives: Vec<ToldDirective>,
}

#[derive(Deserialize)]
struct NamedItem {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToldType {
    kind: String,
    name: String,
    description: Option<String>,
    #[serde(rename = "specifiedByURL")]
    specified_by: Option<String>,
    is_one_of: Option<bool>,
    fields: Option<Vec<ToldField>>,
    input_fields: Option<Vec<ToldInput>>,
    interfaces: Option<Vec<NamedItem>>,
    possible_types: Option<Vec<NamedItem>>,
    enum_values: Option<Vec<ToldValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToldField {
    name: String,
    description: Option<String>,
    is_deprecated: Option<bool>,
    deprecation_reason: Option<String>,
    #[serde(default)]
    args: Vec<ToldInput>,
    #[serde(rename = "type")]
    ty: ToldReference,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToldInput {
    name: String,
    description: Option<String>,
    default_value: Option<String>,
    #[serde(rename = "type")]
    ty: ToldReference,
}

#[derive(Deserialize)]
struct ToldValue {
    name: String,
    description: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToldDirective {
    name: String,
    is_repeatable: Option<bool>,
    #[serde(default)]
    locations: Vec<String>,
    #[serde(default)]
    args: Vec<ToldInput>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToldReference {
    kind: String,
    name: Option<String>,
    of_type: Option<Box<ToldReference>>,
}

/// The schema in the JSON of an answer, with or without `data` around it.
///
/// # Errors
///
/// Why it can't be used.
pub(crate) fn read(json: &str) -> Result<Schema, String> {
    if depth(json) > MAX_DEPTH {
        return Err(format!("it is nested deeper than {MAX_DEPTH} levels"));
    }
    let wrong = |error: serde_json::Error| format!("it is not the JSON of a schema: {error}");
    let told = match serde_json::from_str::<Response>(json).map_err(wrong)?.data {
        Some(data) => data.schema,
        None => serde_json::from_str::<Data>(json).map_err(wrong)?.schema,
    };
    Schema::of(document(told)?)
}

fn document(told: SchemaAnswer) -> Result<Document, String> {
    let mut document = Document::new();
    let root = |ty, named: Option<NamedItem>| {
        let name = Name::new(&named?.name).ok()?;
        Some(Node::new((ty, name)))
    };
    let query = root(OperationType::Query, told.query_type);
    let mutation = root(OperationType::Mutation, told.mutation_type);
    let roots = query.into_iter().chain(mutation);
    let schema = SchemaDefinition {
        description: None,
        directives: DirectiveList::new(),
        root_operations: roots.collect(),
    };
    let definitions = &mut document.definitions;
    definitions.push(Definition::SchemaDefinition(Node::new(schema)));
    for ty in told
        .types
        .into_iter()
        .filter(|it| !it.name.starts_with("__"))
    {
        definitions.push(ty.definition()?);
    }
    for directive in told.directives {
        definitions.extend(directive.definition());
    }
    Ok(document)
}

impl ToldType {
    fn definition(self) -> Result<Definition, String> {
        let name = name(&self.name)?;
        let description = said(self.description);
        let mut directives = DirectiveList::new();
        let names = |all: Option<Vec<NamedItem>>| -> Result<Vec<Name>, String> {
            let all = all.into_iter().flatten();
            all.map(|it| self::name(&it.name)).collect()
        };
        let fields = self.fields.into_iter().flatten().map(ToldField::definition);
        let fields = fields.collect::<Result<Vec<_>, _>>()?;
        Ok(match self.kind.as_str() {
            "SCALAR" => {
                if let Some(url) = self.specified_by {
                    directives.push(directive("specifiedBy", Some(argument("url", url))));
                }
                Definition::ScalarTypeDefinition(Node::new(ScalarTypeDefinition {
                    description,
                    name,
                    directives,
                }))
            }
            "OBJECT" => Definition::ObjectTypeDefinition(Node::new(ObjectTypeDefinition {
                description,
                name,
                implements_interfaces: names(self.interfaces)?,
                directives,
                fields,
            })),
            "INTERFACE" => {
                Definition::InterfaceTypeDefinition(Node::new(InterfaceTypeDefinition {
                    description,
                    name,
                    implements_interfaces: names(self.interfaces)?,
                    directives,
                    fields,
                }))
            }
            "UNION" => Definition::UnionTypeDefinition(Node::new(UnionTypeDefinition {
                description,
                name,
                directives,
                members: names(self.possible_types)?,
            })),
            "ENUM" => {
                let values = self.enum_values.into_iter().flatten().map(|value| {
                    Ok::<_, String>(Node::new(EnumValueDefinition {
                        description: said(value.description),
                        value: self::name(&value.name)?,
                        directives: DirectiveList::new(),
                    }))
                });
                Definition::EnumTypeDefinition(Node::new(EnumTypeDefinition {
                    description,
                    name,
                    directives,
                    values: values.collect::<Result<_, _>>()?,
                }))
            }
            "INPUT_OBJECT" => {
                if self.is_one_of == Some(true) {
                    directives.push(directive("oneOf", None));
                }
                let fields = self.input_fields.into_iter().flatten();
                Definition::InputObjectTypeDefinition(Node::new(InputObjectTypeDefinition {
                    description,
                    name,
                    directives,
                    fields: fields
                        .map(ToldInput::definition)
                        .collect::<Result<_, _>>()?,
                }))
            }
            other => {
                let other = ampoule_api::line(other);
                return Err(format!(
                    "its type `{name}` is of the unknown kind `{other}`"
                ));
            }
        })
    }
}

impl ToldField {
    fn definition(self) -> Result<Node<FieldDefinition>, String> {
        let mut directives = DirectiveList::new();
        if self.is_deprecated == Some(true) {
            let reason = self.deprecation_reason;
            let reason = reason.map(|reason| argument("reason", reason));
            directives.push(directive("deprecated", reason));
        }
        let arguments = self.args.into_iter().map(ToldInput::definition);
        Ok(Node::new(FieldDefinition {
            description: said(self.description),
            name: name(&self.name)?,
            arguments: arguments.collect::<Result<_, _>>()?,
            ty: self.ty.ty()?,
            directives,
        }))
    }
}

impl ToldInput {
    fn definition(self) -> Result<Node<InputValueDefinition>, String> {
        Ok(Node::new(InputValueDefinition {
            description: said(self.description),
            name: name(&self.name)?,
            ty: Node::new(self.ty.ty()?),
            default_value: self.default_value.as_deref().and_then(value),
            directives: DirectiveList::new(),
        }))
    }
}

impl ToldDirective {
    /// What can't be read of a directive is not needed for calls.
    fn definition(self) -> Option<Definition> {
        let arguments = self.args.into_iter().map(ToldInput::definition);
        let locations = self.locations.iter();
        let locations: Vec<_> = locations.filter_map(|it| location(it)).collect();
        let definition = DirectiveDefinition {
            description: None,
            name: Name::new(&self.name).ok()?,
            arguments: arguments.collect::<Result<_, _>>().ok()?,
            repeatable: self.is_repeatable == Some(true),
            locations,
        };
        let is_built_in = ["include", "skip", "deprecated", "specifiedBy", "oneOf"];
        let is_known = is_built_in.contains(&self.name.as_str());
        (!is_known && !definition.locations.is_empty())
            .then(|| Definition::DirectiveDefinition(Node::new(definition)))
    }
}

impl ToldReference {
    fn ty(self) -> Result<Type, String> {
        let inner = |of: Option<Box<Self>>| of.ok_or("a type of it is nested too deep")?.ty();
        Ok(match self.kind.as_str() {
            "NON_NULL" => inner(self.of_type)?.non_null(),
            "LIST" => inner(self.of_type)?.list(),
            _ => Type::Named(name(self.name.as_deref().unwrap_or_default())?),
        })
    }
}

fn name(text: &str) -> Result<Name, String> {
    Name::new(text).map_err(|_| format!("`{}` can't be a name in it", ampoule_api::line(text)))
}

fn said(text: Option<String>) -> Option<Node<str>> {
    Some(Node::new_str(&text.filter(|it| !it.trim().is_empty())?))
}

fn argument(name: &'static str, text: String) -> Node<Argument> {
    Node::new(Argument {
        name: Name::new_unchecked(name),
        value: Node::new(Value::String(text)),
    })
}

fn directive(name: &'static str, argument: Option<Node<Argument>>) -> Node<Directive> {
    Node::new(Directive {
        name: Name::new_unchecked(name),
        arguments: argument.into_iter().collect(),
    })
}

/// Where a document may have a directive.
fn location(name: &str) -> Option<DirectiveLocation> {
    Some(match name {
        "QUERY" => DirectiveLocation::Query,
        "MUTATION" => DirectiveLocation::Mutation,
        "FIELD" => DirectiveLocation::Field,
        "FRAGMENT_DEFINITION" => DirectiveLocation::FragmentDefinition,
        "FRAGMENT_SPREAD" => DirectiveLocation::FragmentSpread,
        "INLINE_FRAGMENT" => DirectiveLocation::InlineFragment,
        "VARIABLE_DEFINITION" => DirectiveLocation::VariableDefinition,
        _ => return None,
    })
}

/// A default, which is GraphQL in the JSON.
fn value(text: &str) -> Option<Node<Value>> {
    if text.len() > MAX_DEFAULT {
        return None;
    }
    let mut parser = Parser::new().recursion_limit(32).token_limit(MAX_DEFAULT);
    let text = format!("query ($of: X =\n{text}\n) {{ x }}");
    let mut parsed = parser.parse_ast(text, "default").ok()?;
    match (parsed.definitions.len(), parsed.definitions.pop()?) {
        (1, Definition::OperationDefinition(it)) if it.variables.len() == 1 => {
            it.variables[0].default_value.clone()
        }
        _ => None,
    }
}
