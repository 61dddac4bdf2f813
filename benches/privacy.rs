//! `privacy/*`: what it takes to look at 1 MiB on its way to the model, and to give it tokens. What the
//! detector finds, and what the worst texts take, the example `measure` of its crate shows.

use ampoule_privacy::{Boundary, Mode, Settings, Table};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const MIB: usize = 1 << 20;
const ROW: &str = r#"{"id":48121,"title":"Quarterly report","author":{"name":"Jane Doe","email":"jane@example.com"},"updated":"2024-05-06T07:08:09Z"},"#;
const LINE: &str =
    "Order 4711 of 2024-05-06 was sent to jane@example.com; call +49 30 901820 if it is late.\n";

fn boundary(mode: Mode) -> Boundary {
    let settings = Settings {
        mode,
        ..Settings::default()
    };
    Boundary::new(settings).expect("settings")
}

fn privacy(criterion: &mut Criterion) {
    let records = format!("[{}0]", ROW.repeat(MIB / ROW.len()));
    let digits = "1".repeat(MIB);
    let texts = [
        ("records", records),
        ("prose", LINE.repeat(MIB / LINE.len())),
        ("digits", digits),
    ];
    let mut group = criterion.benchmark_group("privacy");
    group.throughput(Throughput::Bytes(MIB as u64));
    for (name, text) in &texts {
        for (way, mode) in [("detect", Mode::Detect), ("tokens", Mode::Tokens)] {
            let boundary = boundary(mode);
            group.bench_function(format!("{way}/{name}"), |bencher| {
                bencher.iter(|| {
                    let passed = boundary.pass(text, &mut Table::default());
                    let counts = passed.expect("not blocked").counts;
                    assert_eq!(counts.is_empty(), *name == "digits");
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, privacy);
criterion_main!(benches);
