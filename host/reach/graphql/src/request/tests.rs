use serde_json::json;

use super::*;
use crate::documents;
use crate::operations::{self, Names};
use crate::schema::tests::SHOP;

fn sent(name: &str, arguments: Value) -> Result<OutgoingDocument, String> {
    let schema = Schema::read(SHOP).unwrap();
    let all = operations::all(&schema, &mut Names::default()).unwrap();
    let operation = all.iter().find(|it| it.name == name).unwrap();
    document(&schema, operation, arguments.as_object().unwrap().clone())
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn arguments_are_variables() {
    let arguments = json!({ "id": "1", "by": { "name": "x\" } }" }, "select": "id" });
    let sent = sent("rename_mutation", arguments).unwrap();
    assert_eq!(
        plain(&sent.text),
        "mutation rename($id: ID!, $by: By!) { rename(id: $id, by: $by) { id } }"
    );
    assert_eq!(
        Value::from(sent.variables.clone()),
        json!({ "id": "1", "by": { "name": "x\" } }" } })
    );
    let url = "https://example.com/graphql".parse().unwrap();
    let request = of(&url, &sent, HeaderMap::new());
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body["variables"]["id"], "1");
    assert_eq!(request.method, Method::POST);
}

#[test]
fn a_script_selects_itself() {
    let arguments = json!({ "select": "{ edges { node { a: id ... on Node { id } owner(deep: true) { login } } } }" });
    let sent = sent("products", arguments).unwrap();
    assert_eq!(
        plain(&sent.text),
        "query products { products { edges { node { a: id ... on Node { id } owner(deep: true) { login } } } } }"
    );
    for (select, why) in [
        (
            "totl",
            "`select`: `ProductConnection` has no field `totl`; did you mean `total`? Its fields: total, edges",
        ),
        (
            "edges",
            "`select`: `edges` is of the type `ProductEdge`: write which of its fields come back, such as `edges { cursor }`. Its fields: cursor, node",
        ),
        (
            "total { x }",
            "`select`: `total` is a `Int`, which has no fields: write it without braces",
        ),
        (
            "total(first: 1)",
            "`select`: `total` has no argument `first`. It takes none",
        ),
        (
            "edges { node { price } }",
            "`select`: `price` needs the argument `in: String!`",
        ),
        (
            "... on Prodct { id }",
            "`select`: unknown type `Prodct`; did you mean `Product`?",
        ),
        ("", "`select`: "),
        (
            "total } mutation { removeAll",
            "`select`: it must be one selection",
        ),
        (
            "{ total } query b { old }",
            "`select`: it must be one selection",
        ),
        (
            "total } products { edges",
            "`select`: it can't be read as GraphQL: ",
        ),
        ("total #", ""),
        (
            "total ... on Owner { id }",
            "what is selected can't be sent: ",
        ),
        (
            "...f } fragment f on ProductConnection { total",
            "`select`: it must be one selection",
        ),
        ("...f", "what is selected can't be sent: "),
        ("query x($y: Int) { total }", "`select`: "),
        ("total @nothing", "what is selected can't be sent: "),
        ("\"\"\" total", "`select`: it can't be read as GraphQL: "),
    ] {
        let made = self::sent("products", json!({ "select": select }));
        match made {
            Ok(sent) => assert!(why.is_empty(), "{select}: {}", sent.text),
            Err(told) => assert!(!why.is_empty() && told.starts_with(why), "{select}: {told}"),
        }
    }
    let deep = format!(
        "{}total{}",
        "edges { node { owner { products { ".repeat(20),
        " } } } }".repeat(20)
    );
    assert!(self::sent("products", json!({ "select": deep })).is_err());
    let long = "total ".repeat(20_000);
    assert!(self::sent("products", json!({ "select": long })).is_err());
}

#[test]
fn documents_are_of_one_kind() {
    let schema = Schema::read(SHOP).unwrap();
    let mut names = Names::default();
    let tools = documents::all(&schema, &mut names);
    let [query, mutation] = &tools[..] else {
        panic!("two tools")
    };
    assert_eq!(
        (&*query.name, &*mutation.name),
        ("graphql_query", "graphql_mutation")
    );
    assert_eq!(query.tool().annotations.read_only, Some(true));
    assert_eq!(mutation.tool().annotations.destructive, Some(true));
    let check = |tool: &documents::DocumentTool, arguments: Value| {
        let checked = tool.check(&schema, arguments.as_object().unwrap());
        checked.map(|sent| plain(&sent.text))
    };
    let both = "query A { rename } mutation B { removeAll }";
    for (tool, arguments, why) in [
        (
            query,
            json!({ "document": "mutation { removeAll }" }),
            "`document`: it has a mutation, and `graphql_query` takes queries alone",
        ),
        (
            query,
            json!({ "document": both, "operation": "A" }),
            "`document`: it has a mutation, and",
        ),
        (
            mutation,
            json!({ "document": both, "operation": "B" }),
            "`document`: it has a query, and `graphql_mutation` takes mutations alone",
        ),
        (
            mutation,
            json!({ "document": "subscription { a }" }),
            "`document`: it has a subscription, and",
        ),
        (
            query,
            json!({ "document": "type A { a: Int }" }),
            "`document`: it defines types",
        ),
        (
            query,
            json!({ "document": "fragment f on Owner { id }" }),
            "`document`: it has no operation",
        ),
        (
            query,
            json!({ "document": "query A { rename } query B { old }" }),
            "`operation` must be the name of one of the document's operations: A, B",
        ),
        (
            query,
            json!({ "document": "{ renam }" }),
            "`document`: `Query` has no field `renam`; did you mean `rename`?",
        ),
        (
            query,
            json!({ "document": "query ($a: Int) { rename }" }),
            "`document`: line 1: unused variable: `$a`",
        ),
        (
            query,
            json!({ "document": "{ product(id: 1) { ...f } } fragment f on Product { nam }" }),
            "`document`: `Product` has no field `nam`; did you mean `name`?",
        ),
        (
            query,
            json!({ "document": "{ product(id: 1) { ...f } } fragment f on Product { ...f }" }),
            "`document`: ",
        ),
    ] {
        let told = check(tool, arguments).unwrap_err();
        assert!(told.starts_with(why), "{told}");
    }
    let document = "query ($id: ID!) { product(id: $id) { ...f } __schema { types { name } } } fragment f on Product { id }";
    assert!(
        check(
            query,
            json!({ "document": document, "variables": { "id": 1 } })
        )
        .is_ok()
    );
    assert_eq!(
        check(mutation, json!({ "document": "mutation { removeAll }" })).unwrap(),
        "mutation { removeAll }"
    );
}
