//! Some inputs, tried in each run.

use ampoule_mutated::Inputs;

const INTROSPECTED: &[u8] =
    include_bytes!("../../../../../tests/fuzz/seeds/schema/introspected.json");

#[test]
fn schemas_are_read_or_refused_and_their_defaults_can_be_sent() {
    let inputs = Inputs {
        right: &[super::SHOP.as_bytes(), INTROSPECTED],
        words: &[
            "type ",
            "interface ",
            "union ",
            "enum ",
            "input ",
            "scalar ",
            "extend ",
            "schema { query: Query }",
            "implements Node",
            "directive @a on FIELD",
            "@deprecated",
            "@oneOf",
            "Query",
            "Mutation",
            "Product",
            "Owner",
            "ID!",
            "[String!]!",
            "Int = 10",
            "nodes: [Product]",
            "edges",
            "__typename: Int",
            "{",
            "}",
            "\"\"\"",
            "#",
            "|",
            "&",
            "fragment f on Product { id }",
            "subscription",
            "\"name\":\"Query\"",
            "\"kind\":\"LIST\"",
            "\"ofType\":null",
            "= {a: 1}",
            "= [RED]",
        ],
        cases: 600,
    };
    inputs.tried(super::schema);
}

#[test]
fn selections_select_nothing_beside_their_field() {
    let inputs = Inputs {
        right: &[
            b"\x00id name owner(deep: true) { login }",
            b"\x01{ total edges { cursor node { ... on Node { id } price(in: \"x\") } } }",
            b"\x02__typename ... on Product { id tags } ... on Owner { boss { login } }",
            b"\x04{ a: id @include(if: true) }",
            b"\x06query A($id: ID!) { product(id: $id) { ...f } } fragment f on Product { id }",
            b"\x07mutation { removeAll }",
            b"\x06mutation { removeAll }",
            b"\x07{ name }",
        ],
        words: &[
            "{",
            "}",
            "} mutation { removeAll",
            "...f",
            "... on Owner {",
            "fragment f on Product { id }",
            "query ",
            "mutation ",
            "subscription ",
            "@skip(if: false)",
            "@defer",
            "$id",
            "(",
            ")",
            ": ",
            "\"\"\"",
            "\\u007d",
            "#",
            "\n",
            ",",
            "__schema { types { name } }",
            "total",
            "edges",
            "node",
            "price(in: \"\")",
            "a: b: c",
            "null",
            "[",
            "]",
            "&",
            "\u{feff}",
        ],
        cases: 1_500,
    };
    inputs.tried(super::select);
}
