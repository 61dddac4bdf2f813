//! From the sources of numpy and pandas to dynamic libraries, one for each module, and to Python
//! sources: in `target/guests/python-data`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use wasmparser::{Parser, Payload};
use xtask::sources::{digest_of, files_in};

use super::pins::{self, Pins};
use super::run;
use crate::python::Files;
use crate::toolchain::Toolchain;

/// Options of Meson for numpy: without BLAS and threads.
const NUMPY: [&str; 5] = [
    "-Dblas=none",
    "-Dlapack=none",
    "-Dallow-noblas=true",
    "-Ddisable-optimization=true",
    "-Ddisable-threading=true",
];
/// Names that the links may leave open beside those of CPython's libraries: the support library has
/// them.
const SUPPORT: [&str; 13] = [
    "__cxa_allocate_exception",
    "__cxa_throw",
    "ampoule_feclearexcept",
    "ampoule_fegetexceptflag",
    "ampoule_feraiseexcept",
    "ampoule_fesetexceptflag",
    "ampoule_fetestexcept",
    "ampoule_fegetround",
    "ampoule_fesetround",
    "ampoule_fegetenv",
    "ampoule_feholdexcept",
    "ampoule_fesetenv",
    "ampoule_feupdateenv",
];
/// Libraries that are for numpy's own tests.
const TESTS: [&str; 2] = ["_tests", "._simd"];
/// Folders and files of the sources that no script needs, or that are not Python's.
const LEFT_OUT: [&str; 13] = [
    "tests",
    "conftest.py",
    "_build_utils",
    "_examples",
    "_pyinstaller",
    "code_generators",
    "cversions.py",
    "f2py",
    "include",
    "lapack_lite",
    "rebuild.py",
    "src",
    "tempita",
];

/// Compiles what changed since it was compiled last, and gives the folder: `code` has the libraries,
/// `sources` the modules in Python.
pub(super) fn compile(
    toolchain: &Toolchain,
    own: &Path,
    folder: &Path,
    libraries: &Files,
) -> Result<PathBuf> {
    let built = folder.join("built");
    let done = built.join("made-from.txt");
    let here = Path::new(super::FOLDER);
    let inputs = [
        ["pins.json", "cross.ini", "wasm-ld"]
            .map(|file| here.join(file))
            .to_vec(),
        files_in(here.join("patches"))?,
        files_in(here.join("include"))?,
    ]
    .concat();
    let made_from = digest_of(&inputs)?;
    if fs::read_to_string(&done).is_ok_and(|there| there == made_from) {
        return Ok(built);
    }
    let pins = Pins::read(own)?;
    let work = Work {
        toolchain,
        own,
        folder,
        tools: pins::tools(&pins, folder)?,
    };
    let sources = work.sources(&pins)?;
    work.system(&pins, libraries)?;
    let [numpy, pandas, dateutil] = &sources[..] else {
        anyhow::bail!("pins.json has numpy, pandas and dateutil, in that order");
    };
    let meson = numpy.join("vendored-meson/meson/meson.py");
    let made_numpy = work.meson(&meson, numpy, "numpy", &NUMPY)?;
    work.headers(numpy, &made_numpy)?;
    let made_pandas = work.meson(&meson, pandas, "pandas", &[])?;
    clear(&built)?;
    collect_code(&made_numpy.join("numpy"), "numpy", &built.join("code"))?;
    collect_code(&made_pandas, "", &built.join("code"))?;
    let python = built.join("sources");
    collect_python(&numpy.join("numpy"), &python.join("numpy"))?;
    collect_python(&pandas.join("pandas"), &python.join("pandas"))?;
    collect_python(&dateutil.join("src/dateutil"), &python.join("dateutil"))?;
    // What a machine and its folders are called is nothing to a script.
    let config = fs::read_to_string(made_numpy.join("numpy/__config__.py"))?;
    let config = config.replace(&*folder.to_string_lossy(), "/build");
    let config = config.replace(&*own.to_string_lossy(), "/build");
    fs::write(python.join("numpy/__config__.py"), config)?;
    fs::copy(
        pandas.join("_version_meson.py"),
        python.join("pandas/_version_meson.py"),
    )?;
    fs::write(done, made_from)?;
    Ok(built)
}

/// A build.
struct Work<'a> {
    toolchain: &'a Toolchain,
    own: &'a Path,
    folder: &'a Path,
    tools: PathBuf,
}

impl Work<'_> {
    /// The sources, unpacked, with our patches.
    fn sources(&self, pins: &Pins) -> Result<Vec<PathBuf>> {
        let into = self.folder.join("sources");
        clear(&into)?;
        let unearth = self.tools.join("unearth");
        let mut folders = Vec::new();
        for source in &pins.sources {
            let unpacked = source.unpack(&unearth, self.folder, &into)?;
            for patch in files(&self.own.join("patches").join(&source.name)) {
                run(Command::new("patch")
                    .current_dir(&unpacked)
                    .args(["--strip=1", "--quiet", "--fuzz=0", "--input"])
                    .arg(&patch))
                .with_context(|| format!("{} does not apply", patch.display()))?;
            }
            folders.push(unpacked);
        }
        Ok(folders)
    }

    /// The headers of C, C++ and CPython, and what links need.
    fn system(&self, pins: &Pins, libraries: &Files) -> Result<()> {
        let packages = self.folder.join("unpacked");
        clear(&packages)?;
        pins.unpack_packages(self.folder, &packages)?;
        let system = self.folder.join("system");
        clear(&system)?;
        let usr = packages.join("usr");
        let llvm = usr.join("lib/llvm-19");
        for (from, to) in [
            (usr.join("include/wasm32-wasip2"), "c"),
            (llvm.join("include/wasm32-wasi/c++/v1"), "c++"),
            (usr.join("include/python3.14"), "python"),
        ] {
            run(Command::new("cp").arg("-r").arg(from).arg(system.join(to)))?;
        }
        let builtins = "libclang_rt.builtins-wasm32.a";
        fs::copy(
            llvm.join("lib/clang/19/lib/wasi").join(builtins),
            system.join(builtins),
        )?;
        fs::copy(
            self.own.join("include/pyconfig.h"),
            system.join("python/pyconfig.h"),
        )?;
        let details = fs::read_to_string(self.own.join("include/build-details.json"))?;
        let headers = system.join("python");
        fs::write(
            system.join("build-details.json"),
            details.replace("@HEADERS@", &headers.to_string_lossy()),
        )?;
        let mut symbols: BTreeSet<String> = SUPPORT.map(str::to_owned).into();
        for (_, library) in libraries {
            exports(library, &mut symbols)?;
        }
        let symbols: Vec<String> = symbols.into_iter().collect();
        fs::write(system.join("symbols.txt"), symbols.join("\n") + "\n")?;
        let cross = fs::read_to_string(self.own.join("cross.ini"))?
            .replace("@SYSTEM@", &system.to_string_lossy())
            .replace("@OWN@", &self.own.to_string_lossy())
            .replace("@ROOT@", &self.folder.to_string_lossy())
            .replace("@TOOLS@", &self.tools.to_string_lossy())
            .replace("@NUMPY@", &self.folder.join("numpy").to_string_lossy())
            .replace(
                "@CLANGXX@",
                &self.toolchain.clang().replace("clang", "clang++"),
            )
            .replace("@CLANG@", self.toolchain.clang())
            .replace("@AR@", self.toolchain.archiver());
        Ok(fs::write(system.join("cross.ini"), cross)?)
    }

    /// Compiles a project, and gives the folder of what was made.
    fn meson(&self, meson: &Path, source: &Path, name: &str, options: &[&str]) -> Result<PathBuf> {
        let made = self.folder.join("made").join(name);
        clear(&made)?;
        let system = self.folder.join("system");
        let details = system.join("build-details.json");
        let mut setup = Command::new(self.tools.join("python3"));
        setup
            .arg(meson)
            .arg("setup")
            .arg(&made)
            .arg(source)
            .arg("--cross-file")
            .arg(system.join("cross.ini"))
            .arg(format!("-Dpython.build_config={}", details.display()))
            .arg("-Dbuildtype=release")
            .args(options);
        run(self.set(&mut setup)?)?;
        let mut ninja = Command::new("ninja");
        ninja
            .arg("-C")
            .arg(&made)
            .arg("--quiet")
            .args(targets(&made)?);
        run(self.set(&mut ninja)?)?;
        Ok(made)
    }

    /// Has a program find the tools first, and numpy's declarations for Cython.
    fn set<'c>(&self, command: &'c mut Command) -> Result<&'c mut Command> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = [self.tools.clone()].into_iter();
        let path = std::env::join_paths(paths.chain(std::env::split_paths(&path)))?;
        Ok(command
            .env("PATH", path)
            .env("PYTHONPATH", self.folder.join("numpy/declarations"))
            .env_remove("CFLAGS")
            .env_remove("CXXFLAGS")
            .env_remove("LDFLAGS"))
    }

    /// What pandas sees of numpy: its headers, and its declarations for Cython.
    fn headers(&self, source: &Path, made: &Path) -> Result<()> {
        let numpy = self.folder.join("numpy");
        clear(&numpy)?;
        let include = numpy.join("include");
        run(Command::new("cp")
            .arg("-r")
            .arg(source.join("numpy/_core/include"))
            .arg(&include))?;
        for header in ["_numpyconfig.h", "__multiarray_api.h", "__ufunc_api.h"] {
            fs::copy(
                made.join("numpy/_core").join(header),
                include.join("numpy").join(header),
            )?;
        }
        let declarations = numpy.join("declarations/numpy");
        fs::create_dir_all(&declarations)?;
        fs::write(declarations.join("__init__.py"), "")?;
        for file in ["__init__.pxd", "__init__.cython-30.pxd"] {
            fs::copy(source.join("numpy").join(file), declarations.join(file))?;
        }
        Ok(())
    }
}

/// The libraries that a project makes, and what it generates in Python, without those for tests.
fn targets(made: &Path) -> Result<Vec<String>> {
    let all = Command::new("ninja")
        .arg("-C")
        .arg(made)
        .args(["-t", "targets", "all"])
        .output()
        .context("ninja can't be started")?;
    let all = String::from_utf8(all.stdout)?;
    let names = all
        .lines()
        .filter_map(|line| line.split_once(": ")?.0.strip_suffix(".so"));
    let wanted = names.filter(|name| {
        let name = name.replace('/', ".");
        !TESTS.iter().any(|end| name.ends_with(end))
    });
    Ok(wanted.map(|name| format!("{name}.so")).collect())
}

/// The names that a library exports.
fn exports(library: &[u8], names: &mut BTreeSet<String>) -> Result<()> {
    for payload in Parser::new(0).parse_all(library) {
        if let Payload::ExportSection(section) = payload? {
            for export in section {
                names.insert(export?.name.to_owned());
            }
        }
    }
    Ok(())
}

/// Copies libraries, each under the name of its module.
fn collect_code(root: &Path, package: &str, into: &Path) -> Result<()> {
    fs::create_dir_all(into)?;
    for path in every_file(root) {
        if path.extension().is_none_or(|extension| extension != "so") {
            continue;
        }
        let module = path.strip_prefix(root)?.with_extension("");
        let module = module.to_string_lossy().replace('/', ".");
        // pandas makes this one beside its package.
        let module = match (package, &*module) {
            ("", "_cyutility") => "pandas._libs._cyutility".to_owned(),
            ("", module) => module.to_owned(),
            (package, module) => format!("{package}.{module}"),
        };
        if !TESTS.iter().any(|end| module.ends_with(end)) {
            fs::copy(&path, into.join(format!("{module}.so")))?;
        }
    }
    Ok(())
}

/// Copies modules in Python.
fn collect_python(root: &Path, into: &Path) -> Result<()> {
    for path in every_file(root) {
        let name = path.strip_prefix(root)?;
        let is_left_out = name
            .iter()
            .any(|part| LEFT_OUT.iter().any(|left_out| part == *left_out));
        if is_left_out || path.extension().is_none_or(|extension| extension != "py") {
            continue;
        }
        let to = into.join(name);
        fs::create_dir_all(to.parent().unwrap_or(into))?;
        fs::copy(&path, to)?;
    }
    Ok(())
}

/// Every file below a folder, in order.
fn every_file(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in files(folder) {
        match path.is_dir() {
            true => found.extend(every_file(&path)),
            false => found.push(path),
        }
    }
    found
}

/// What is in a folder, in order; nothing where there is none.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Makes a folder that is empty.
fn clear(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}
