//! What tools answer with, as files, and what scripts must make of them: worked out here once more,
//! so that no peer's result is taken on trust.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};

/// Rows that are many, and as they are as a rule.
pub(crate) const MANY: u32 = 10_000;
pub(crate) const FEW: u32 = 100;

const WORDS: [&str; 12] = [
    "amber", "birch", "copper", "delta", "ember", "fjord", "granite", "harbour", "iris", "juniper",
    "kelp", "lantern",
];
/// The length of the text, in bytes, at the least.
const TEXT: usize = 1 << 20;

#[derive(Serialize)]
struct Row {
    id: u32,
    customer: String,
    region: &'static str,
    status: &'static str,
    amount: f64,
    quantity: u32,
    tags: [&'static str; 2],
}

fn row(id: u32) -> Row {
    let at = |step: u32| id.wrapping_mul(2_654_435_761).rotate_left(step) as usize;
    Row {
        id,
        customer: format!("customer-{:04}", at(3) % 997),
        region: ["north", "south", "east", "west"][at(7) % 4],
        status: ["paid", "open", "cancelled"][at(11) % 3],
        amount: (at(13) % 1_000_000) as f64 / 100.0,
        quantity: at(17) as u32 % 50 + 1,
        tags: [["new", "repeat"][at(19) % 2], ["web", "shop"][at(23) % 2]],
    }
}

fn text() -> String {
    let (mut text, mut number) = (String::with_capacity(TEXT + 32), 1_u64);
    while text.len() < TEXT {
        number = number * 16_807 % 2_147_483_647;
        let word = WORDS[(number % 13 * (number / 13 % 13)) as usize % WORDS.len()];
        if number % 9 == 0 {
            text.push_str("order-");
            text.push_str(&(number % 1000).to_string());
        } else {
            text.push_str(word);
        }
        text.push(if number % 11 == 0 { '\n' } else { ' ' });
    }
    text.truncate(text.trim_end().len());
    text
}

/// Writes what tools answer with.
pub(crate) fn write(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for count in [MANY, FEW] {
        let rows: Vec<Row> = (0..count).map(row).collect();
        let answer = serde_json::to_string(&json!({ "rows": rows }))?;
        fs::write(folder.join(format!("rows-{count}.json")), answer)?;
    }
    let answer = serde_json::to_string(&json!({ "text": text() }))?;
    Ok(fs::write(folder.join("text.json"), answer)?)
}

/// What `rows` must return.
pub(crate) fn report(count: u32) -> Value {
    let rows: Vec<Row> = (0..count).map(row).collect();
    let mut regions = BTreeMap::<&str, Vec<f64>>::new();
    for row in rows.iter().filter(|row| row.status != "cancelled") {
        regions.entry(row.region).or_default().push(row.amount);
    }
    let report = regions.into_iter().map(|(region, mut amounts)| {
        amounts.sort_by(f64::total_cmp);
        let mean = amounts.iter().sum::<f64>() / amounts.len() as f64;
        json!({
            "region": region,
            "count": amounts.len(),
            "mean": mean.floor(),
            "median": amounts[amounts.len() / 2],
        })
    });
    let mut paid: Vec<&Row> = rows.iter().filter(|row| row.status == "paid").collect();
    paid.sort_by(|a, b| b.amount.total_cmp(&a.amount).then(a.id.cmp(&b.id)));
    let largest: Vec<u32> = paid.iter().take(5).map(|row| row.id).collect();
    json!({ "report": report.collect::<Vec<_>>(), "largest": largest })
}

/// What `text` must return.
pub(crate) fn words() -> Value {
    let text = text();
    let mut counts = BTreeMap::<&str, usize>::new();
    for word in text.split_whitespace() {
        *counts.entry(word).or_default() += 1;
    }
    let mut common: Vec<_> = counts.into_iter().collect();
    common.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let lines = common
        .iter()
        .take(5)
        .map(|(word, count)| format!("{word}: {count}"));
    json!({
        "words": text.split_whitespace().count(),
        "orders": text.matches("order-").count(),
        "common": lines.collect::<Vec<_>>().join("\n"),
    })
}

/// What `sort` must return.
pub(crate) fn sorted() -> Value {
    let mut number = 1_u64;
    let mut numbers: Vec<u64> = (0..100_000)
        .map(|_| {
            number = number * 16_807 % 2_147_483_647;
            number
        })
        .collect();
    numbers.sort_unstable();
    json!([numbers[0], numbers[50_000], numbers[99_999]])
}

/// Whether two values are the same, however their numbers are written.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| same(a, b))
        }
        (Value::Object(one), Value::Object(other)) => {
            let mut entries = one.iter();
            one.len() == other.len()
                && entries.all(|(name, value)| other.get(name).is_some_and(|it| same(value, it)))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_answer_with_is_as_large_as_it_should_be() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        let length = |name: &str| fs::metadata(folder.path().join(name)).unwrap().len();
        assert!((1_000_000..1_500_000).contains(&length("rows-10000.json")));
        assert!((1 << 20..1_200_000).contains(&length("text.json")));
        let report = report(MANY);
        assert_eq!(report["report"].as_array().unwrap().len(), 4);
        assert_eq!(report["largest"].as_array().unwrap().len(), 5);
        assert!(words()["orders"].as_u64().unwrap() > 10_000);
    }

    #[test]
    fn numbers_are_the_same_however_they_are_written() {
        assert!(same(&json!({ "a": [1, 2.0] }), &json!({ "a": [1.0, 2] })));
        assert!(!same(&json!([1]), &json!([1, 2])));
        assert!(!same(&json!({ "a": 1 }), &json!({ "b": 1 })));
        assert!(!same(&json!(1), &json!("1")));
    }
}
