//! The records hang together, and the figures that scripts are checked against stay what they are.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde_json::{Value, json};

use super::Client;

async fn orders(filter: Value) -> Result<Vec<Value>> {
    let client = Client::connect().await?;
    Ok(client.all("list_orders", filter).await?.0)
}

fn cents(value: &Value) -> u64 {
    value.as_u64().expect("an amount is a whole number")
}

#[tokio::test]
async fn totals_are_the_sums_of_the_lines() -> Result<()> {
    for order in orders(json!({ "limit": 200 })).await? {
        let lines = order["lines"].as_array().expect("lines are a list");
        assert!((1..=4).contains(&lines.len()), "{order}");
        for (total, amount) in [
            ("totalCents", "amountCents"),
            ("totalEurCents", "amountEurCents"),
        ] {
            let sum: u64 = lines.iter().map(|line| cents(&line[amount])).sum();
            assert_eq!(cents(&order[total]), sum, "{order}");
        }
        if order["currency"] == "EUR" {
            assert_eq!(order["totalCents"], order["totalEurCents"]);
        }
    }
    Ok(())
}

#[tokio::test]
async fn an_order_is_as_far_as_its_dates_say() -> Result<()> {
    let mut counts = BTreeMap::new();
    for order in orders(json!({ "limit": 200 })).await? {
        let status = order["status"].as_str().unwrap_or_default().to_owned();
        let shipped = !order["shippedAt"].is_null();
        assert_eq!(shipped, order["invoice"].is_object(), "{order}");
        assert_eq!(
            shipped,
            ["shipped", "delivered", "refunded"].contains(&status.as_str()),
            "{order}"
        );
        for time in [
            &order["placedAt"],
            &order["shippedAt"],
            &order["invoice"]["paidAt"],
        ] {
            assert!(
                time.as_str().is_none_or(|it| it <= "2026-10-02T09:00:00Z"),
                "{order}"
            );
        }
        *counts.entry(status).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 6, "a status has no order: {counts:?}");
    Ok(())
}

#[tokio::test]
async fn nine_accounts_are_overdue_all_with_orders_of_the_last_quarter() -> Result<()> {
    let quarter = json!({ "from": "2026-07-01", "to": "2026-09-30", "limit": 200 });
    for filter in [json!({ "limit": 200 }), quarter] {
        let overdue: Vec<_> = orders(filter)
            .await?
            .into_iter()
            .filter(|order| {
                let due = order["invoice"]["dueOn"].as_str();
                due.is_some_and(|due| due < "2026-10-02") && order["invoice"]["paidAt"].is_null()
            })
            .collect();
        let accounts: BTreeSet<_> = overdue
            .iter()
            .map(|it| it["customerId"].to_string())
            .collect();
        let sum: u64 = overdue.iter().map(|it| cents(&it["totalEurCents"])).sum();
        assert_eq!((accounts.len(), overdue.len(), sum), (9, 22, 10_010_565));
    }
    Ok(())
}

#[tokio::test]
async fn the_last_quarters_revenue_is_known() -> Result<()> {
    let quarter = json!({ "from": "2026-07-01", "to": "2026-09-30", "limit": 200 });
    let orders = orders(quarter).await?;
    let revenue = orders
        .iter()
        .filter(|order| order["status"] != "cancelled" && order["status"] != "refunded")
        .map(|order| cents(&order["totalEurCents"]));
    let (count, sum) = revenue.fold((0, 0), |(count, sum), cents| (count + 1, sum + cents));
    assert_eq!((orders.len(), count, sum), (570, 534, 251_620_802));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn the_forecast_continues_the_line_of_the_quarters() -> Result<()> {
    let client = Client::connect().await?;
    let forecast = client
        .value("forecast_revenue", json!({ "quarters": 2 }))
        .await?;
    let history = forecast["history"].as_array().expect("history is a list");
    let revenue: Vec<_> = history
        .iter()
        .filter_map(|quarter| quarter["revenueEurCents"].as_i64())
        .collect();
    let [a, b, c, d, e] = revenue[..] else {
        panic!("there are not five quarters: {forecast}");
    };
    // The least squares of five evenly spaced points, by hand.
    let slope = (2 * (e - a) + (d - b)) as f64 / 10.0;
    let mean = (a + b + c + d + e) as f64 / 5.0;
    for (ahead, quarter) in [(3.0, "2026-Q4"), (4.0, "2027-Q1")] {
        let line = &forecast["forecast"][ahead as usize - 3];
        assert_eq!(line["quarter"], quarter);
        let expected = line["expectedEurCents"].as_f64().unwrap_or_default();
        assert!((expected - (mean + slope * ahead)).abs() < 2.0, "{line}");
    }
    Ok(())
}
