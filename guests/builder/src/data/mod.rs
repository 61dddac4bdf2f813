//! The Python guest with numpy and pandas: the Python guest, with these libraries linked and
//! imported.
//!
//! - [`pins`]: what the libraries are compiled from
//! - [`compile`]: from their sources to dynamic libraries
//! - [`support`]: what the libraries need besides: a table of their modules, floating-point flags

mod compile;
mod pins;
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use xtask::repository;

use crate::FunctionNames;
use crate::python::{self, Extensions, Files, Libraries};
use crate::toolchain::Toolchain;

/// Where the guest's own sources are.
pub(super) const FOLDER: &str = "guests/python-data";

/// Libraries of CPython's package that C++ needs.
const CPP: [&str; 2] = ["libc++.so", "libc++abi.so"];

/// In how many places a small run may write to its memory. What is seeded anew for numpy is one more
/// than the engine puts back, and so it takes a page fault for each page.
const MOST_PLACES: usize = 40;

/// The packages, which look at where their files are: warnings name the script's line because of it.
const PACKAGES: [&str; 3] = ["dateutil", "numpy", "pandas"];

/// Scripts as most are that use the libraries.
static SCRIPTS: [&str; 3] = [
    "import numpy as np\na = np.arange(1000) * 1.5\nm = np.outer(a[:20], a[:20])\n(a.sum(), a[a > 3].mean(), np.sort(a)[::-1][:2].tolist(), (m @ m).trace(), np.where(a > 5, 1, 0).sum(), np.linspace(0, 1, 5).round(2).tolist())",
    "import pandas as pd\ndf = pd.DataFrame({'day': pd.date_range('2026-01-01', periods=60), 'city': ['Rome', 'Oslo', 'Lima'] * 20, 'sold': range(60), 'price': [1.5, 2.25, None] * 20})\ndf['total'] = df.sold * df.price.fillna(0)\nprint(df.groupby('city').agg(total=('total', 'sum'), days=('day', 'nunique')).sort_values('total'))\nprint(df.describe())\nprint(df.pivot_table(index=df.day.dt.month, columns='city', values='sold', aggfunc='mean'))\nprint(df.set_index('day').resample('W').sold.sum().head(3))",
    "import io\nimport pandas as pd\nleft = pd.read_csv(io.StringIO('id,name,born\\n1,Ann Lee,2001-02-03\\n2,Bob Ray,1999-12-31\\n3,,\\n'), parse_dates=['born'])\nright = pd.DataFrame([{'id': 1, 'x': 'a'}, {'id': 2, 'x': 'b'}, {'id': 2, 'x': 'c'}])\nboth = left.merge(right, on='id', how='left')\nboth['first'] = both.name.str.split().str[0].str.upper()\nboth.x.value_counts().to_dict(), both.isna().sum().to_dict(), both.drop_duplicates('id').to_json(orient='records', date_format='iso'), both.melt(id_vars='id').tail(2).to_dict('records'), left.born.dt.year.rolling(2).mean().tolist(), pd.concat([left, left]).to_csv(index=False)",
];

/// The module, and scripts that do little.
pub(super) fn build(
    toolchain: &Toolchain,
    names: FunctionNames,
) -> Result<(Vec<u8>, &'static [&'static str])> {
    let folder = repository().join("target/guests/python-data");
    fs::create_dir_all(&folder)?;
    let own = repository().join(FOLDER);
    let mut code = Libraries::named(&CPP)?;
    let all = [python::libraries()?, code.clone()].concat();
    let built = compile::compile(toolchain, &own, &folder, &all)?;
    let modules = modules(&built.join("code"))?;
    code.push(support::library(toolchain, &folder, &modules)?);
    code.extend(modules);
    let mut sources = Files::new();
    for root in [&own.join("lib"), &built.join("sources")] {
        python::sources(root, &mut sources)?;
    }
    let extensions = Extensions {
        code,
        sources,
        packages: &PACKAGES,
        scripts: &SCRIPTS,
        most_places: MOST_PLACES,
    };
    python::build_with(toolchain, names, &extensions)
}

/// What goes with the guest's file: what it has, and the licences of it. It was built before.
pub(super) fn beside() -> Result<[(&'static str, String); 2]> {
    let folder = repository().join("target/guests/python-data");
    let pins = pins::Pins::read(&repository().join(FOLDER))?;
    let licences = pins.licences(&folder.join("sources"), &folder.join("unpacked"))?;
    let about = serde_json::to_string_pretty(&pins.about())? + "\n";
    Ok([
        ("python-data.json", about),
        ("ampoule-python-data.txt", licences),
    ])
}

/// Runs a program, which must succeed.
fn run(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("{} can't be started", command.get_program().display()))?;
    ensure!(status.success(), "{command:?} failed");
    Ok(())
}

/// The extension modules: name and library.
fn modules(folder: &Path) -> Result<Files> {
    let mut modules = Files::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} is missing", folder.display()))? {
        let path: PathBuf = entry?.path();
        let name = path.file_stem().unwrap_or_default();
        modules.push((name.to_string_lossy().into_owned(), fs::read(&path)?));
    }
    ensure!(!modules.is_empty(), "{} is empty", folder.display());
    modules.sort();
    Ok(modules)
}
