use super::*;

#[test]
fn names_in_every_style() {
    let cases = [
        (
            "create-issue",
            "createIssue",
            "CreateIssue",
            "create_issue",
            "create-issue",
        ),
        (
            "create_issue",
            "createIssue",
            "CreateIssue",
            "create_issue",
            "create-issue",
        ),
        (
            "createIssue",
            "createIssue",
            "CreateIssue",
            "create_issue",
            "create-issue",
        ),
        (
            "API-get-user",
            "apiGetUser",
            "ApiGetUser",
            "api_get_user",
            "api-get-user",
        ),
        (
            "getHTTPResponse",
            "getHTTPResponse",
            "GetHttpResponse",
            "get_http_response",
            "get-http-response",
        ),
        (
            "HTTPServer",
            "httpServer",
            "HttpServer",
            "http_server",
            "http-server",
        ),
        (
            "v2.0/items",
            "v20Items",
            "V20Items",
            "v2_0_items",
            "v20-items",
        ),
        (
            "1password",
            "_1password",
            "N1password",
            "_1password",
            "n1password",
        ),
        ("class", "class_", "Class", "class_", "class"),
        ("type", "type", "Type", "type_", "type"),
        ("promise", "promise", "Promise_", "promise", "promise"),
        ("café", "café", "Café", "cafue9", "cafue9"),
        (
            "日本語",
            "日本語",
            "日本語",
            "u65e5u672cu8a9e",
            "u65e5u672cu8a9e",
        ),
        (
            "google drive",
            "googleDrive",
            "GoogleDrive",
            "google_drive",
            "google-drive",
        ),
    ];
    for (name, camel, pascal, snake, kebab) in cases {
        assert_eq!(
            [
                camel_case(name),
                pascal_case(name),
                snake_case(name),
                kebab_case(name)
            ],
            [camel, pascal, snake, kebab],
            "{name:?}"
        );
    }
}

#[test]
fn names_without_letters_stay_distinct() {
    let names = ["", " ", "🎉", "🎊", "$", "---"];
    for style in [Style::Camel, Style::Pascal, Style::Snake, Style::Kebab] {
        let mut identifiers: Vec<String> =
            names.iter().map(|name| identifier(name, style)).collect();
        assert!(
            identifiers
                .iter()
                .all(|identifier| identifier.to_lowercase().starts_with("unnamed")),
            "{identifiers:?}"
        );
        identifiers.sort();
        identifiers.dedup();
        assert_eq!(identifiers.len(), names.len());
    }
}

#[test]
fn long_names_are_cut_and_stay_distinct() {
    let long = "a".repeat(1_000);
    let names = Names::new(
        [
            long.clone(),
            format!("{long}b"),
            format!("{}b", "a".repeat(63)),
        ],
        Style::Camel,
    );
    for identifier in names.identifiers() {
        assert!(
            identifier.chars().count() <= MAX_IDENTIFIER_CHARS,
            "{identifier}"
        );
    }
    assert_ne!(names.identifiers()[0], names.identifiers()[1]);
    assert_eq!(names.find(&long), Lookup::One(0));
}

#[test]
fn no_letter_has_more_than_three_marks() {
    let marks = |count: usize| "\u{301}".repeat(count);
    let most = |identifier: &str| {
        let heaps = identifier.split(|c| !matches!(c, '\u{300}'..='\u{36f}'));
        heaps.map(|heap| heap.chars().count()).max()
    };
    for (name, heap) in [
        (format!("e{}", marks(2)), 2),
        (format!("e{}", marks(3)), 3),
        (format!("e{}", marks(4)), 3),
        (format!("list e{}s", marks(40)), 3),
        // A word of marks alone is joined to the one before it.
        (format!("e{0}-{0} {0}\u{200b}{0}s", marks(3)), 3),
        (marks(9), 3),
        // These have a mark of their own once they are small, or large.
        (format!("\u{130}{}", marks(3)), 3),
        (format!("get \u{1f0}{}", marks(3)), 3),
    ] {
        for style in [Style::Camel, Style::Pascal] {
            let identifier = identifier(&name, style);
            assert_eq!(most(&identifier), Some(heap), "{name:?}: {identifier:?}");
        }
    }
    // What is left out tells names apart nevertheless.
    let alike = [format!("e{}", marks(4)), format!("e{}", marks(5))];
    let names = Names::new(alike.iter().map(String::as_str), Style::Camel);
    assert_ne!(names.identifiers()[0], names.identifiers()[1]);
}

#[test]
fn colliding_names_keep_apart_and_none_takes_the_plain_one() {
    let names = Names::new(["get-x", "get_x", "other"], Style::Camel);
    let [first, second, other] = names.identifiers() else {
        panic!()
    };
    assert!(
        first.starts_with("getX_h") && second.starts_with("getX_h") && first != second,
        "{first} {second}"
    );
    assert_eq!(other, "other");
    assert_eq!(names.find("getX"), Lookup::Ambiguous(vec![0, 1]));
    assert_eq!(names.find("get_x"), Lookup::One(1));
    assert_eq!(names.find(first), Lookup::One(0));
}

#[test]
fn a_name_that_is_an_identifier_keeps_it() {
    let names = Names::new(["get-x", "getX"], Style::Camel);
    assert_eq!(names.identifiers()[1], "getX");
    assert_ne!(names.identifiers()[0], "getX");
}

#[test]
fn case_and_punctuation_do_not_matter_to_those_who_ask() {
    let names = Names::new(["google-drive", "class", "$"], Style::Camel);
    for asked in [
        "google-drive",
        "googleDrive",
        "google_drive",
        "GOOGLE DRIVE",
        "googledrive",
    ] {
        assert_eq!(names.find(asked), Lookup::One(0), "{asked}");
    }
    assert_eq!(names.find("class_"), Lookup::One(1));
    assert_eq!(names.find("$"), Lookup::One(2));
    assert_eq!(names.find("%"), Lookup::Nothing);
    assert_eq!(names.find("drive"), Lookup::Nothing);
}

#[test]
fn names_of_the_same_tool_twice_stay_distinct() {
    let names = Names::new(["x", "x", "x"], Style::Camel);
    let mut identifiers = names.identifiers().to_vec();
    identifiers.sort();
    identifiers.dedup();
    assert_eq!(identifiers.len(), 3);
    assert_eq!(names.find("x"), Lookup::One(0));
}

#[test]
fn near_names_are_those_that_were_meant() {
    let tools = [
        "create_issue",
        "list_issues",
        "get_issue",
        "create_pull_request",
        "search_code",
        "delete_file",
    ];
    let near = |name| near(name, tools, 3);
    assert_eq!(near("createIssue")[0], "create_issue");
    assert_eq!(near("creat_isue")[0], "create_issue");
    assert_eq!(near("issue_create")[0], "create_issue");
    assert_eq!(near("issues")[0], "list_issues");
    assert_eq!(near("file"), ["delete_file"]);
    assert_eq!(near("weather"), [""; 0]);
    assert_eq!(near(""), [""; 0]);
    assert_eq!(near(&"x".repeat(100_000)), [""; 0]);
}
