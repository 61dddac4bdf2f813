//! Toolkits: what is read, and what is said of what is wrong.

use super::super::toolkit_of;
use super::*;

const TOOLKITS: &str = r#"
[toolkits.support]
tools = ["crm.get_*", "mail"]
description = "Tickets."
[toolkits.support.exposure]
direct = ["crm.get_order"]
hot = false
[toolkits.Night-shift_2]
tools = ["time"]
"#;

#[test]
fn a_toolkit_has_tools_and_may_have_a_description_and_an_exposure() {
    let config = parse(TOOLKITS).unwrap();
    let names: Vec<_> = config.toolkits.keys().map(ToString::to_string).collect();
    assert_eq!(names, ["Night-shift_2", "support"]);
    let support = toolkit_of(&config.toolkits, "support").unwrap();
    let tools: Vec<_> = support.tools.iter().map(ToString::to_string).collect();
    assert_eq!(tools, ["crm.get_*", "mail.*"]);
    assert_eq!(support.description.as_deref(), Some("Tickets."));
    let exposure = support.exposure.as_ref().unwrap();
    assert_eq!((exposure.direct.len(), exposure.hot), (1, Some(false)));
    let night = toolkit_of(&config.toolkits, "Night-shift_2").unwrap();
    assert_eq!((&night.description, &night.exposure), (&None, &None));
    assert!(parse("").unwrap().toolkits.is_empty());
}

#[test]
fn a_toolkit_of_another_name_is_not_there() {
    let config = parse(TOOLKITS).unwrap();
    for (name, said) in [
        ("suport", "unknown toolkit; did you mean `support`?"),
        ("Support", "unknown toolkit; did you mean `support`?"),
        (
            "x",
            "unknown toolkit; the toolkits are `Night-shift_2`, `support`",
        ),
        (
            "",
            "unknown toolkit; the toolkits are `Night-shift_2`, `support`",
        ),
    ] {
        assert_eq!(
            toolkit_of(&config.toolkits, name).unwrap_err(),
            said,
            "{name}"
        );
    }
    let none = toolkit_of(&parse("").unwrap().toolkits, "support").unwrap_err();
    assert_eq!(
        none,
        "unknown toolkit; none is configured: add a table `[toolkits.NAME]` with `tools`"
    );
}

#[test]
fn what_is_wrong_with_a_toolkit_is_said() {
    let name = "a toolkit's name is a part of its address: letters, digits, `_` and `-`, a letter or digit first, and at most 64 of them";
    let long = format!(
        "[toolkits.a]\ntools = ['x']\ndescription = '{}'",
        "é".repeat(1001)
    );
    for (text, said) in [
        (
            "[toolkits.'a/b']\ntools = ['x']",
            format!("1:11: toolkits: {name}"),
        ),
        (
            "[toolkits.'..']\ntools = ['x']",
            format!("1:11: toolkits: {name}"),
        ),
        (
            "[toolkits.'a%2f']\ntools = ['x']",
            format!("1:11: toolkits: {name}"),
        ),
        (
            "[toolkits.a]\ndescription = 'x'",
            "toolkits.a: the key `tools` is missing".to_owned(),
        ),
        (
            "[toolkits.a]\ntools = []",
            "toolkits.a.tools: a toolkit needs tools".to_owned(),
        ),
        (
            "[toolkits.a]\ntools = ['x.']",
            "is not a pattern for tools".to_owned(),
        ),
        (
            "[toolkits.a]\ntools = ['x']\ndescription = ''",
            "toolkits.a.description: this is empty".to_owned(),
        ),
        (
            &*long,
            "this has 1001 characters, and may have 1000".to_owned(),
        ),
        (
            "[toolkits.a]\ntools = ['x']\ntool = 1",
            "unknown key `tool`; did you mean `tools`?".to_owned(),
        ),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(&said), "{text}: {error}");
    }
}

#[test]
fn roles_and_quotas_name_toolkits_that_there_are() {
    let with = |more: &str| parse(&format!("{TOOLKITS}{more}"));
    for right in [
        "[roles.a]\ntools = ['crm']\ntoolkits = ['support', 'Night-shift_2']",
        "[quotas.a]\ntoolkit = 'sup*'\ncalls-per-day = 1",
        "[quotas.a]\ntoolkit = '*'\ncalls-per-day = 1",
    ] {
        assert!(with(right).is_ok(), "{right}: {:?}", with(right).err());
    }
    for (wrong, said) in [
        (
            "[roles.a]\ntools = ['crm']\ntoolkits = ['support', 'suport']",
            "roles.a.toolkits[1]: unknown toolkit; did you mean `support`?",
        ),
        (
            "[roles.a]\ntools = ['crm']\ntoolkits = []",
            "roles.a.toolkits: this list is empty",
        ),
        (
            "[quotas.a]\ntoolkit = 'suport'\ncalls-per-day = 1",
            "quotas.a.toolkit: this means no toolkit; did you mean `support`?",
        ),
    ] {
        let error = with(wrong).unwrap_err();
        assert!(error.contains(said), "{wrong}: {error}");
    }
}
