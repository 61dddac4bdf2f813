//! `projection/*`: that many tools of real servers, from their schemas to declarations in three
//! languages.

use ampoule_benches::catalogs::{project, servers};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn projection(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("projection");
    for count in [10, 100, 1000] {
        let servers = servers(count);
        let tools: usize = servers.iter().map(|(_, tools)| tools.len()).sum();
        assert_eq!(tools, count);
        let length = project(&servers);
        // A declaration in each of three languages.
        assert!(length > count * 3 * 100, "{length} bytes");
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter(|| assert_eq!(project(&servers), length));
        });
    }
    group.finish();
}

criterion_group!(benches, projection);
criterion_main!(benches);
