use serde_json::json;

use super::*;

/// What is written of a parameter with these words.
fn written(parameter: Value, value: Value) -> String {
    let documents = Documents::of("openapi: 3.1.0\n");
    let all = [WrittenParameter {
        file: 0,
        text: parameter,
    }];
    let parameters = of(&documents, &all, false, &|_| false);
    match parameters[0].write(&value) {
        Ok(StyledValue::Text(text)) => text,
        Ok(StyledValue::Pairs(pairs)) => {
            let pairs = pairs.iter().map(|(name, value)| format!("{name}={value}"));
            pairs.collect::<Vec<_>>().join("&")
        }
        Err(why) => why,
    }
}

/// The table of the specification, for a text, a list and an object.
#[test]
fn values_are_written_in_their_styles() {
    let values = [
        json!("blue"),
        json!(["blue", "black"]),
        json!({ "R": 100, "G": 200 }),
    ];
    for (location, style, explode, expected) in [
        (
            "path",
            "matrix",
            false,
            [";color=blue", ";color=blue,black", ";color=R,100,G,200"],
        ),
        (
            "path",
            "matrix",
            true,
            [";color=blue", ";color=blue;color=black", ";R=100;G=200"],
        ),
        (
            "path",
            "label",
            false,
            [".blue", ".blue,black", ".R,100,G,200"],
        ),
        (
            "path",
            "label",
            true,
            [".blue", ".blue.black", ".R=100.G=200"],
        ),
        (
            "path",
            "simple",
            false,
            ["blue", "blue,black", "R,100,G,200"],
        ),
        (
            "path",
            "simple",
            true,
            ["blue", "blue,black", "R=100,G=200"],
        ),
        (
            "header",
            "simple",
            false,
            ["blue", "blue,black", "R,100,G,200"],
        ),
        (
            "query",
            "form",
            false,
            ["color=blue", "color=blue,black", "color=R,100,G,200"],
        ),
        (
            "query",
            "form",
            true,
            ["color=blue", "color=blue&color=black", "R=100&G=200"],
        ),
        (
            "cookie",
            "form",
            true,
            ["color=blue", "color=blue&color=black", "R=100&G=200"],
        ),
        (
            "query",
            "spaceDelimited",
            false,
            [
                "color=blue",
                "color=blue%20black",
                "color=R%20100%20G%20200",
            ],
        ),
        (
            "query",
            "pipeDelimited",
            false,
            [
                "color=blue",
                "color=blue%7Cblack",
                "color=R%7C100%7CG%7C200",
            ],
        ),
        (
            "query",
            "deepObject",
            true,
            [
                "color=blue",
                "color[0]=blue&color[1]=black",
                "color[R]=100&color[G]=200",
            ],
        ),
    ] {
        for (value, expected) in values.iter().zip(expected) {
            let parameter =
                json!({ "name": "color", "in": location, "style": style, "explode": explode });
            assert_eq!(
                written(parameter, value.clone()),
                expected,
                "{location} {style} {explode}"
            );
        }
    }
}

#[test]
fn signs_are_encoded_where_they_mean_something() {
    let value = json!("a b/ü?&=#%");
    let plain = written(json!({ "name": "q", "in": "query" }), value.clone());
    assert_eq!(plain, "q=a%20b%2F%C3%BC%3F%26%3D%23%25");
    let reserved = written(
        json!({ "name": "q", "in": "query", "allowReserved": true }),
        value.clone(),
    );
    assert_eq!(reserved, "q=a%20b/%C3%BC?%26%3D%23%25");
    let path = json!({ "name": "p", "in": "path", "allowReserved": true });
    assert_eq!(written(path, json!("a/b?c=d#e")), "a/b%3Fc%3Dd%23e");
    // A style of another place neither moves a value nor leaves it unencoded.
    for (location, style) in [
        ("query", "cookie"),
        ("path", "cookie"),
        ("path", "spaceDelimited"),
        ("header", "pipeDelimited"),
        ("header", "deepObject"),
    ] {
        let parameter = json!({ "name": "p", "in": location, "style": style });
        let expected = match location {
            "query" => "p=a%26b%3Dc%23",
            "path" => "a%26b%3Dc%23",
            _ => "a&b=c#",
        };
        assert_eq!(
            written(parameter, json!("a&b=c#")),
            expected,
            "{location} {style}"
        );
    }
    assert_eq!(
        written(json!({ "name": "q", "in": "header" }), value.clone()),
        "a b/ü?&=#%"
    );
    let name = written(json!({ "name": "filter[a b]", "in": "query" }), json!(true));
    assert_eq!(name, "filter[a%20b]=true");
    let content = json!({ "name": "q", "in": "query", "content": { "application/json": {} } });
    assert_eq!(written(content, json!({ "a": 1 })), "q=%7B%22a%22%3A1%7D");
    let nested = json!({ "name": "f", "in": "query", "style": "deepObject" });
    let value = json!({ "a": { "b": [1, { "c": "x y" }] } });
    assert_eq!(written(nested, value), "f[a][b][0]=1&f[a][b][1][c]=x%20y");
    let whole = json!({ "name": "all", "in": "querystring", "content": { "application/x-www-form-urlencoded": {} } });
    assert_eq!(
        written(whole, json!({ "a": 1, "b": ["x"] })),
        "a=1&b=%5B%22x%22%5D"
    );
}

#[test]
fn arguments_have_names_of_their_own() {
    let documents = Documents::of("openapi: 3.1.0\n");
    let parameter = |name: &str, location: &str| WrittenParameter {
        file: 0,
        text: json!({ "name": name, "in": location }),
    };
    let all = [
        parameter("id", "header"),
        parameter("id", "query"),
        parameter("id", "path"),
        parameter("body", "query"),
        parameter("id_query", "cookie"),
        parameter("Authorization", "header"),
        parameter("X-Key", "header"),
        parameter("X-HTTP-Method-Override", "header"),
        parameter("x", "elsewhere"),
    ];
    let made = of(&documents, &all, true, &|name| name == "x-key");
    let names: Vec<_> = made
        .iter()
        .map(|it| (it.location, it.argument.as_str()))
        .collect();
    assert_eq!(
        names,
        [
            (Location::Header, "id_header"),
            (Location::Query, "id_query_query"),
            (Location::Path, "id"),
            (Location::Query, "body_query"),
            (Location::Cookie, "id_query"),
        ]
    );
}
