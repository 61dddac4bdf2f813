//! Packages that people install, from their index.

use std::path::PathBuf;

use ampoule::{Language, Limits, Package, PackageFolder, WheelName};
use ampoule_tests::{prepared, runtime_builder};
use serde_json::json;

use super::{run, value};

/// What scripts do with each, and what comes of it.
const SCRIPTS: [(&str, &str, &str); 10] = [
    (
        "tabulate",
        "import tabulate\nreturn tabulate.tabulate([[1, 2]], headers=['a', 'b']).split('\\n')[0].split()",
        r#"["a", "b"]"#,
    ),
    (
        "python-dateutil",
        "from dateutil.parser import parse\nfrom dateutil.relativedelta import relativedelta\nreturn (parse('3 May 2020') + relativedelta(months=1)).isoformat()",
        r#""2020-06-03T00:00:00""#,
    ),
    (
        "attrs",
        "import attr\n@attr.define\nclass A:\n    x: int\nreturn attr.asdict(A(4))",
        r#"{"x": 4}"#,
    ),
    (
        "beautifulsoup4",
        "from bs4 import BeautifulSoup\nsoup = BeautifulSoup('<p class=a>Hi <b>you</b></p>', 'html.parser')\nreturn soup.select_one('p.a b').text",
        r#""you""#,
    ),
    (
        "openpyxl",
        "import openpyxl\nbook = openpyxl.Workbook()\nbook.active['A1'] = 7\nbook.save('/tmp/a.xlsx')\nreturn openpyxl.load_workbook('/tmp/a.xlsx').active['A1'].value",
        "7",
    ),
    (
        "tomlkit",
        "import tomlkit\ntext = tomlkit.parse('a = 1 # one')\ntext['a'] = 2\nreturn tomlkit.dumps(text)",
        r#""a = 2 # one""#,
    ),
    (
        "networkx",
        "import networkx as nx\nreturn nx.shortest_path(nx.path_graph(4), 0, 3)",
        "[0, 1, 2, 3]",
    ),
    (
        "ruamel-yaml",
        "from ruamel.yaml import YAML\nreturn dict(YAML(typ='safe').load('a: [1, yes]'))",
        r#"{"a": [1, "yes"]}"#,
    ),
    (
        "mpmath",
        "import mpmath\nreturn str(mpmath.findroot(mpmath.cos, 1.5))[:6]",
        r#""1.5707""#,
    ),
    (
        "tzdata",
        "import importlib.resources\nreturn 'Europe/Rome' in importlib.resources.files('tzdata').joinpath('zones').read_text()",
        "true",
    ),
];

fn packages(wheels: &PathBuf, folder: &PackageFolder) -> Vec<Package> {
    let files = std::fs::read_dir(wheels).expect("the wheels");
    let kept = files.map(|file| {
        let path = file.expect("a wheel").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let bytes = std::fs::read(&path).expect("a wheel");
        folder.keep_wheel(&WheelName::of(&name).expect("pure Python"), &bytes)
    });
    kept.map(|kept| kept.expect("it is kept")).collect()
}

#[tokio::test]
async fn packages_that_people_use_work_and_no_run_imports_them_anew() {
    let test = "packages_that_people_use_work_and_no_run_imports_them_anew";
    let Some(wheels) = prepared(test, "AMPOULE_TEST_PACKAGES") else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let folder = PackageFolder::new(place.path().join("packages"));
    let packages = packages(&wheels, &folder);
    // These are many, and some are large.
    let limits = Limits {
        memory_bytes: 256 << 20,
        ..Limits::default()
    };
    let builder = runtime_builder().python_packages(folder, packages);
    let runtime = builder.limits(limits).build().unwrap();
    for (package, source, expected) in SCRIPTS {
        let there = runtime.packages(Language::Python);
        assert!(there.iter().any(|it| it.name() == package), "{package}");
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(value(&runtime, source).await, expected, "{package}");
    }
    let imports = "import mpmath, networkx, openpyxl, bs4\nreturn mpmath.__name__";
    assert_eq!(value(&runtime, imports).await, json!("mpmath"));
    let used = run(&runtime, imports).await.unwrap().usage;
    assert!(used.peak_memory_bytes < 110 << 20, "{used:?}");
    // Nothing is compiled or executed anew.
    assert!(used.fuel < 200_000_000, "{used:?}");
}
