//! Components that are tools.

use super::*;

const REPORT: &str = "[tools.report]\ncomponent = 'report.wasm'\n";

#[test]
fn a_tool_has_a_component_and_the_rest_has_defaults() {
    let config = parse(REPORT).unwrap();
    let report = &config.tools["report"];
    assert!(report.component.is_absolute() && report.component.ends_with("report.wasm"));
    assert!(report.tools.is_empty() && report.description.is_none());
    assert_eq!(report.hints, ToolHints::default());
    assert_eq!(report.limits, LimitsConfig::default());
    let more = "tools = ['demo.get_*']\nhints = { read-only = true }\nlimits = { calls = 5 }";
    let config = parse(&format!("{REPORT}{more}")).unwrap();
    let report = &config.tools["report"];
    assert_eq!(report.tools[0].to_string(), "demo.get_*");
    assert_eq!(report.hints.read_only, Some(true));
    assert_eq!(report.limits.calls, Some(5));
}

#[test]
fn what_is_wrong_with_a_tool_says_what_to_do() {
    for (text, says) in [
        ("[tools.report]\n".to_owned(), "component"),
        (
            REPORT.replace("report]", "'a report']"),
            "the name of a tool has letters",
        ),
        (
            format!("{REPORT}limits = {{ wall-time = '2h' }}"),
            "above the ceiling",
        ),
        (format!("{REPORT}hints = {{ readonly = true }}"), "readonly"),
        (format!("{REPORT}tools = ['demo.']"), "tools.report.tools"),
    ] {
        let told = fault(&text);
        assert!(told.contains(says), "{text}: {told}");
    }
}
