//! Packages that people install, from their registry.

use std::path::Path;

use ampoule::{Language, Package, PackageFolder};
use ampoule_tests::command::Workplace;
use ampoule_tests::{prepared, runtime_builder};
use serde_json::json;

use super::{run, value};

/// What scripts do with each, and what comes of it.
const SCRIPTS: [(&str, &str, &str); 10] = [
    (
        "lodash-es",
        "import _, { chunk } from 'lodash-es'; return [_.sum([1, 2]), chunk([1, 2, 3], 2), _.get({ a: { b: 1 } }, 'a.b')]",
        "[3, [[1, 2], [3]], 1]",
    ),
    (
        "dayjs",
        "import dayjs from 'dayjs'; import utc from 'dayjs/plugin/utc'; dayjs.extend(utc); return dayjs.utc('2026-01-31').add(1, 'month').format('YYYY-MM-DD')",
        r#""2026-02-28""#,
    ),
    (
        "zod",
        "import { z } from 'zod'; const Item = z.object({ name: z.string(), price: z.coerce.number() }); const bad = Item.safeParse({ name: 1 }); return [Item.parse({ name: 'a', price: '2' }), bad.success]",
        r#"[{"name": "a", "price": 2}, false]"#,
    ),
    (
        "papaparse",
        "import Papa from 'papaparse'; return Papa.parse('a,b\\n1,\"x, y\"', { header: true }).data",
        r#"[{"a": "1", "b": "x, y"}]"#,
    ),
    (
        "date-fns",
        "import { addMonths, format } from 'date-fns'; import { de } from 'date-fns/locale/de'; return format(addMonths(new Date(2026, 0, 31), 1), 'd. MMMM yyyy', { locale: de })",
        r#""28. Februar 2026""#,
    ),
    (
        "uuid",
        "import { v4, v5, validate } from 'uuid'; return [validate(v4()), v4() !== v4(), v5('a', v5.URL)]",
        r#"[true, true, "e1407479-3136-56c0-9908-bb02fb0339e2"]"#,
    ),
    (
        "yaml",
        "import YAML from 'yaml'; const { parse } = require('yaml'); return [YAML.parse('a: [1, yes]'), YAML.stringify({ b: [2] }), parse('c: 3')]",
        r#"[{"a": [1, "yes"]}, "b:\n  - 2\n", {"c": 3}]"#,
    ),
    (
        "csv-parse",
        "import { parse } from 'csv-parse/sync'; return parse('a,b\\n1,2', { columns: true })",
        r#"[{"a": "1", "b": "2"}]"#,
    ),
    (
        "marked",
        "import { marked } from 'marked'; return marked.parse('**Hi** _you_').trim()",
        r#""<p><strong>Hi</strong> <em>you</em></p>""#,
    ),
    (
        "nanoid",
        "import { nanoid } from 'nanoid'; return [nanoid().length, nanoid() !== nanoid()]",
        "[21, true]",
    ),
];

fn packages(tarballs: &Path, folder: &PackageFolder) -> Vec<Package> {
    let files = std::fs::read_dir(tarballs).expect("the tarballs");
    let kept = files.map(|file| {
        let path = file.expect("a tarball").path();
        let stem = path.file_stem().expect("a name").to_string_lossy();
        let (name, version) = stem.rsplit_once('-').expect("a version");
        let bytes = std::fs::read(&path).expect("a tarball");
        folder.keep_tarball(name, version, &bytes)
    });
    kept.map(|kept| kept.expect("it is kept")).collect()
}

#[tokio::test]
async fn packages_of_npm_that_people_use_work_and_no_run_loads_them_anew() {
    let test = "packages_of_npm_that_people_use_work_and_no_run_loads_them_anew";
    let Some(tarballs) = prepared(test, "AMPOULE_TEST_NPM_PACKAGES") else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let folder = PackageFolder::new(place.path().join("packages"));
    let packages = packages(&tarballs, &folder);
    let runtime = runtime_builder()
        .javascript_packages(folder, packages)
        .build()
        .unwrap();
    let failures = runtime.try_packages(Language::JavaScript).await.unwrap();
    let needs_node = |failure: &String| failure.contains("which is not here");
    assert!(failures.iter().all(needs_node), "{failures:?}");
    for (package, source, expected) in SCRIPTS {
        let there = runtime.packages(Language::JavaScript);
        assert!(there.iter().any(|it| it.name() == package), "{package}");
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(value(&runtime, source).await, expected, "{package}");
    }
    let imports = "import _ from 'lodash-es'; import { z } from 'zod'; import { format } from 'date-fns'; return [typeof _, typeof z, typeof format]";
    assert_eq!(
        value(&runtime, imports).await,
        json!(["function", "object", "function"])
    );
    let used = run(&runtime, imports).await.unwrap().usage;
    assert!(used.peak_memory_bytes < 64 << 20, "{used:?}");
    // Nothing is compiled or evaluated anew.
    assert!(used.fuel < 10_000_000, "{used:?}");
}

#[tokio::test]
async fn a_package_of_npm_is_added_from_its_registry() {
    let test = "a_package_of_npm_is_added_from_its_registry";
    if prepared(test, "AMPOULE_TEST_NPM_PACKAGES").is_none() {
        return;
    }
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "");
    let added = workplace.run(&["javascript", "add", "dayjs@1.11.18"]).await;
    assert_eq!(added.code, Some(0), "{added:?}");
    let script = "import dayjs from 'dayjs'; return dayjs('2026-01-31').add(1, 'month').date()";
    let ran = workplace.run(&["run", "-q", "-e", script]).await;
    assert_eq!(ran.stdout, "28\n", "{ran:?}");
}
