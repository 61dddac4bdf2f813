use std::fmt::Write as _;

use serde_json::json;

use super::*;
use crate::arguments;
use crate::operations::{self, Kind, Names};
use crate::selection::DefaultSelection;

pub(crate) const SHOP: &str = r#"
extend schema @link(url: "https://specs.apollo.dev/federation/v2.0")
"A moment"
scalar Time @specifiedBy(url: "https://example.com/time")
enum Color { RED GREEN @deprecated }
type Query {
  "One product"
  product(id: ID!, select: String): Product
  products(first: Int = 10, filter: Filter): ProductConnection! @cost(weight: 5)
  find(text: String!): [Found!]!
  rename: String
  old: Int @deprecated(reason: "use `rename`")
}
type Mutation {
  rename(id: ID!, by: By!): Product!
  removeAll: Boolean!
}
interface Node { id: ID! }
type Product implements Node @key(fields: "id") {
  id: ID!
  name: String
  name: String
  color: Color
  made: Time
  price(in: String!): Float
  owner(deep: Boolean): Owner
  tags: [String!]!
}
type Owner implements Node { id: ID! login: String! products: ProductConnection! boss: Owner }
type ProductConnection { total: Int! edges: [ProductEdge] }
type ProductEdge { cursor: String! node: Product }
union Found = Product | Owner | Sold
type Sold { name: Int soldAt: Time }
input Filter { color: Color = RED, tags: [String!], and: [Filter!], not: Filter }
input By @oneOf { name: String, color: Color }
"#;

fn operation(schema: &Schema, name: &str) -> operations::Operation {
    let all = operations::all(schema, &mut Names::default()).unwrap();
    all.into_iter().find(|it| it.name == name).unwrap()
}

#[test]
fn what_calls_do_not_need_is_left_out_of_a_schema() {
    let schema = Schema::read(SHOP).unwrap();
    assert_eq!(schema.problems.len(), 1, "{:?}", schema.problems);
    assert!(schema.problems[0].contains("duplicate definitions for the `name` field"));
    let mut names = Names::default();
    let all = operations::all(&schema, &mut names).unwrap();
    let names: Vec<&str> = all.iter().map(|it| it.name.as_str()).collect();
    let expected = [
        "product",
        "products",
        "find",
        "rename",
        "old",
        "rename_mutation",
        "removeAll",
    ];
    assert_eq!(names, expected);
    assert_eq!(all[5].kind, Kind::Mutation);
    assert_eq!(
        all[4].description(),
        "Deprecated: use `rename`\n\nGraphQL query `old`"
    );
    assert_eq!(Kind::Query.hints().read_only, Some(true));
    assert_eq!(Kind::Mutation.hints().destructive, Some(true));
    assert_eq!(Kind::Mutation.hints().read_only, Some(false));
}

#[test]
fn arguments_are_typed() {
    let schema = Schema::read(SHOP).unwrap();
    let made = arguments::schema(&schema, &operation(&schema, "products").field);
    assert_eq!(
        made["properties"]["first"],
        json!({ "type": ["integer", "null"], "default": 10 })
    );
    let filter = &made["$defs"]["Filter"];
    let again = json!({ "anyOf": [{ "$ref": "#/$defs/Filter" }, { "type": "null" }] });
    assert_eq!(filter["properties"]["not"], again);
    assert_eq!(filter["properties"]["color"]["default"], "RED");
    assert_eq!(
        made["$defs"]["Color"],
        json!({ "type": "string", "enum": ["RED", "GREEN"] })
    );
    assert_eq!(made["required"], json!([]));
    let made = arguments::schema(&schema, &operation(&schema, "rename_mutation").field);
    assert_eq!(made["required"], json!(["id", "by"]));
    let by = &made["$defs"]["By"];
    assert_eq!(
        (&by["minProperties"], &by["maxProperties"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(by["properties"]["name"], json!({ "type": "string" }));
    assert_eq!(by["required"], json!([]));
    // An argument of the field's own keeps its name.
    let made = arguments::schema(&schema, &operation(&schema, "product").field);
    assert_eq!(
        made["properties"]["select"]["type"],
        json!(["string", "null"])
    );
    assert!(
        made["properties"]["selection"]["description"]
            .as_str()
            .unwrap()
            .contains("Default: `id name color made tags owner { id login }`")
    );
    // There is nothing to select of a scalar.
    let made = arguments::schema(&schema, &operation(&schema, "removeAll").field);
    assert_eq!(made["properties"], json!({}));
}

#[test]
fn scalars_are_selected_to_depth_two_and_through_connections() {
    let schema = Schema::read(SHOP).unwrap();
    let selected = |name: &str| DefaultSelection::of(&schema, &operation(&schema, name).field);
    assert_eq!(
        selected("products").text(),
        "total edges { cursor node { id name color made tags } }"
    );
    assert_eq!(
        selected("find").text(),
        "__typename ... on Owner { id login } ... on Product { id name color made tags } ... on Sold { soldAt }"
    );
    assert_eq!(selected("rename").text(), "");
    let made = selected("product").schema(&schema);
    let product = &made;
    assert_eq!(
        product["properties"]["made"]["description"],
        "A `Time`. A moment https://example.com/time"
    );
    assert_eq!(
        product["properties"]["tags"],
        json!({ "type": "array", "items": { "type": "string" } })
    );
    assert_eq!(
        product["properties"]["owner"]["required"],
        json!(["id", "login"])
    );
    assert_eq!(made["type"], json!(["object", "null"]));
}

#[test]
fn schemas_are_bounded() {
    let mut deep = "type Query { a: ".to_owned();
    deep.push_str(&"[".repeat(10_000));
    deep.push_str("Int");
    deep.push_str(&"]".repeat(10_000));
    deep.push('}');
    assert!(Schema::read(&deep).is_err());
    let long = " ".repeat(MAX_BYTES + 1);
    assert_eq!(
        Schema::read(&long).err().unwrap(),
        "it has more than 16 MiB"
    );
    let mut many = String::from("type Query {");
    for number in 0..MAX_TOKENS / 3 {
        let _ = write!(many, "a{number}:A ");
    }
    many.push('}');
    let why = Schema::read(&many).err().unwrap();
    assert!(why.contains("limit"), "{why}");
    // Types that are made of themselves end.
    let endless = "type Query { a: A } type A { edges: A b: A }";
    let schema = Schema::read(endless).unwrap();
    let text = DefaultSelection::of(&schema, &operation(&schema, "a").field).text();
    assert!(text.len() < 200, "{text}");
    let mut wide = String::from("type Query { a: A } type A {");
    for number in 0..1000 {
        let _ = write!(wide, "f{number}: Int o{number}: A ");
    }
    wide.push('}');
    let schema = Schema::read(&wide).unwrap();
    let text = DefaultSelection::of(&schema, &operation(&schema, "a").field).text();
    assert!(text.split(' ').count() <= 130, "{text}");
}

#[test]
fn what_is_not_a_schema_says_why() {
    for (text, why) in [
        (
            "type Query {",
            "it is not a schema that can be read: line 1: ",
        ),
        (
            "type Query { a: Missing }",
            "it is not a valid schema: line 1: ",
        ),
        ("query { a }", "it is not a valid schema: "),
        ("{}", "it is not the JSON of a schema: "),
        (
            r#"{"data": {"__schema": {"types": [{"kind": "OBJECT", "name": "A b"}]}}}"#,
            "`A b` can't be a name in it",
        ),
    ] {
        let told = Schema::read(text).err().unwrap_or_default();
        assert!(told.starts_with(why), "{text}: {told}");
    }
}
