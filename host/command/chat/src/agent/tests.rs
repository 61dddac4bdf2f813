use std::time::Duration;

use super::*;
use crate::endpoint::Usage;

#[test]
fn each_bound_is_reached() {
    let bounds = Bounds {
        steps: 3,
        tokens: 100,
        time: Duration::from_secs(1),
        cost: Some(0.5),
    };
    let spent = |steps, input, output| Spending {
        steps,
        calls: 0,
        usage: Usage {
            input,
            cached: 0,
            written: 0,
            output,
            estimated: false,
        },
    };
    assert_eq!(bounds.reached(&spent(2, 50, 49), Some(0.4)), None);
    assert_eq!(bounds.reached(&spent(3, 0, 0), None), Some(Bound::Steps));
    assert_eq!(bounds.reached(&spent(2, 50, 50), None), Some(Bound::Tokens));
    assert_eq!(
        bounds.reached(&spent(2, 0, 0), Some(0.5)),
        Some(Bound::Cost)
    );
}

#[test]
fn what_the_cache_has_and_gets_costs_its_own_price() {
    let usage = Usage {
        input: 1_000_000,
        cached: 400_000,
        written: 200_000,
        output: 100_000,
        estimated: false,
    };
    let prices = Prices {
        input: 2.0,
        cached: Some(0.5),
        written: Some(2.5),
        output: 10.0,
    };
    assert!((prices.cost(&usage) - (0.8 + 0.2 + 0.5 + 1.0)).abs() < 1e-9);
    let prices = Prices {
        cached: None,
        written: None,
        ..prices
    };
    assert!((prices.cost(&usage) - 3.0).abs() < 1e-9);
}

#[test]
fn events_are_lines_of_json() {
    let usage = Usage {
        input: 1,
        cached: 0,
        written: 0,
        output: 2,
        estimated: false,
    };
    let line = serde_json::to_value(Event::Usage { usage }).unwrap();
    assert_eq!(
        line,
        serde_json::json!({ "type": "usage", "input": 1, "cached": 0, "written": 0, "output": 2, "estimated": false })
    );
    let end = TaskEnd {
        ending: Ending::Bound(Bound::Steps),
        text: "so far".to_owned(),
        spending: Spending::default(),
        took: Duration::from_millis(5),
    };
    let line = serde_json::to_value(Event::of_end(&end, None)).unwrap();
    assert_eq!(
        (&line["ending"], &line["bound"]),
        (&"bound".into(), &"steps".into())
    );
    assert!(line.get("cost").is_none());
}
