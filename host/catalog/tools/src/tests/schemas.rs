//! Large schemas: parsed where something is first made of them, and not at each call.

use std::time::Duration;

use ampoule_linear::timed;
use serde_json::Value;

use super::super::listing::Listing;
use super::*;

/// A schema of many values that takes more than a hundred megabytes once it is parsed.
fn large() -> Value {
    json!({ "properties": { "max_count": {} }, "rows": vec![json!([]); 800_000] })
}

fn listing(schema: &Value) -> Listing {
    let tool = json!({ "name": "tool", "inputSchema": schema });
    let tool: Tool = serde_json::from_value(tool).unwrap();
    Listing::new([tool].into())
}

#[test]
fn a_large_schema_is_not_parsed_at_each_call() {
    let listing = listing(&large());
    let read = || listing.read(0, r#"{"maxCount":1}"#, Form::Script);
    assert_eq!(read().unwrap(), json!({ "max_count": 1 }));
    let ((), took) = timed(|| {
        for _ in 0..1_000 {
            assert!(read().is_ok());
            assert_eq!(listing.meant(0, "MAX_COUNT"), Some("max_count"));
        }
    });
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn the_price_of_parameters_is_that_of_the_text_where_it_is_parsed_each_time() {
    let properties = |count: usize| {
        let members = (0..count).map(|index| (format!("p{index}"), json!({})));
        json!({ "properties": Value::Object(members.collect()) })
    };
    let price = |schema: &Value| listing(schema).price_of_parameters(0);
    let few = properties(40);
    assert_eq!(price(&few), 40 * ampoule_effort::ITEM);
    for many in [properties(200), properties(2_000)] {
        let bytes = many.to_string().len() as u64;
        assert_eq!(price(&many), ampoule_effort::BYTE * bytes);
    }
}

#[test]
fn whether_results_are_wrapped_is_found_out_at_the_first_call() {
    let tool = json!({
        "name": "tool",
        "inputSchema": {},
        "outputSchema": { "x-fastmcp-wrap-result": true, "properties": { "result": {} } },
    });
    let tool: Tool = serde_json::from_value(tool).unwrap();
    let listing = Listing::new([tool].into());
    assert!(listing.wraps_result(0));
}
