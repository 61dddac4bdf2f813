//! Grants within a toolkit.

use ampoule_projection::names::{Names, Style};

use crate::{Grant, Toolkit};

#[test]
fn a_toolkit_can_only_narrow() {
    let toolkit = Toolkit::new(
        "support",
        "crm.get_*, mail"
            .parse::<Grant>()
            .unwrap()
            .patterns()
            .to_vec(),
    );
    let within = |grant: &str| grant.parse::<Grant>().unwrap().within(toolkit.clone());
    let grant = within("crm, files");
    assert!(grant.allows("crm", "get_order"));
    assert!(!grant.allows("crm", "delete_order"));
    assert!(!grant.allows("mail", "send"));
    assert!(!grant.allows("files", "read"));
    assert!(grant.allows_server("crm") && !grant.allows_server("files"));
    let tools = Names::new(["delete", "get_a", "get_b"], Style::Camel);
    assert_eq!(grant.places("crm", &tools), [1, 2]);
    assert_eq!(within("crm.get_a, crm.delete").places("crm", &tools), [1]);
    assert_eq!(within("files").places("files", &tools), [0; 0]);
    assert!(!grant.allows_offered("crm", "$prompts"));
    assert!(within("mail").allows_offered("mail", "$prompts"));
    let own = grant.and_server("outputs");
    assert!(own.allows("outputs", "read") && !own.allows("files", "read"));
    let none = Grant::all().within(Toolkit::new("none", Vec::new()));
    assert!(!none.allows("crm", "get_order"));
}

#[test]
fn a_toolkit_is_written_with_its_grant_and_may_name_a_server_that_is_gone() {
    let tools = "DEMO.a, gone".parse::<Grant>().unwrap().patterns().to_vec();
    let grant = Grant::all().within(Toolkit::new("support", tools));
    let written = serde_json::to_string(&grant).unwrap();
    assert_eq!(serde_json::from_str::<Grant>(&written).unwrap(), grant);
    let configured = |name: &str| (name == "DEMO").then_some("demo");
    let resolved = grant.resolved(configured).unwrap();
    assert!(resolved.allows("demo", "a") && !resolved.allows("demo", "b"));
    let before = serde_json::to_string(&Grant::all()).unwrap();
    assert!(!before.contains("toolkit"), "{before}");
}
