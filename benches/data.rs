//! `data/10k-rows`: ten thousand rows that come from a tool call, filtered, grouped, with mean and
//! median, sorted.

use ampoule_benches::{checked, executor, run, runtime};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;

const REPORT: &str = "const { rows } = await bench.rows({ count: 10000 });
const byRegion = new Map();
for (const row of rows) {
  if (row.status === 'cancelled') continue;
  const amounts = byRegion.get(row.region) ?? [];
  amounts.push(row.amount);
  byRegion.set(row.region, amounts);
}
const report = [...byRegion].map(([region, amounts]) => {
  amounts.sort((a, b) => a - b);
  const mean = amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length;
  return { region, count: amounts.length, mean: Math.round(mean * 100) / 100, median: amounts[amounts.length >> 1] };
}).sort((a, b) => b.mean - a.mean);
return { rows: rows.length, kept: report.reduce((sum, { count }) => sum + count, 0), regions: report.length }";

fn data(criterion: &mut Criterion) {
    let runtime = runtime();
    let executor = executor();
    let kept = checked(executor.block_on(run(&runtime, REPORT)))["kept"].clone();
    criterion.bench_function("data/10k-rows", |bencher| {
        bencher.iter(|| {
            let report = checked(executor.block_on(run(&runtime, REPORT)));
            assert_eq!(
                report,
                json!({ "rows": 10_000, "kept": kept, "regions": 4 })
            );
        });
    });
}

criterion_group!(benches, data);
criterion_main!(benches);
