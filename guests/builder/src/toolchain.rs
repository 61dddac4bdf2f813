//! What builds for WebAssembly on this machine: rustup's target where it is installed, and else
//! Debian's packages.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail};

const TARGET: &str = "wasm32-unknown-unknown";

/// The target of what is linked with CPython's C library.
const LIBRARY_TARGET: &str = "wasm32-wasip2";
/// What `pyo3` has to know of the CPython that it is not built beside.
const PYO3_CONFIG: &str = "implementation=CPython
version=3.14
shared=true
abi3=false
pointer_width=32
build_flags=
suppress_build_script_link_lines=true
";

/// The stack in linear memory, in bytes. More than native code gets of it before its own stack is
/// at an end, which is a clean trap: at the end of this one is memory that is not there.
const STACK_BYTES: usize = 8 << 20;

/// Debian's packages that build the guests, without rustup.
const DEBIAN_PACKAGES: &str = "rustc-web rust-web-src libstd-rust-web-dev clang-19 lld-19 llvm-19";
/// The Rust compiler of Debian's package `rustc-web`, and its standard library's sources.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// A Rust compiler and a C compiler for WebAssembly.
pub(super) struct Toolchain {
    rustc: PathBuf,
    /// Whether the standard library is there only as sources.
    build_std: bool,
    clang: String,
    ar: String,
    linker: Option<String>,
}

impl Toolchain {
    /// Finds one.
    ///
    /// # Errors
    ///
    /// Names what is missing, and how to get it.
    pub(super) fn find() -> Result<Self> {
        let clang = first_that_runs(&["clang-19", "clang"]);
        let ar = first_that_runs(&["llvm-ar-19", "llvm-ar"]);
        let missing = || {
            format!(
                "the guests can't be built here. Either `rustup target add {TARGET}` and install clang and llvm, \
                 or, on Debian: apt-get install {DEBIAN_PACKAGES}"
            )
        };
        let (Some(clang), Some(ar)) = (clang, ar) else {
            bail!(missing())
        };
        let debian = Path::new(DEBIAN_RUSTC);
        if debian.exists() && library(debian).is_ok_and(|library| library.exists()) {
            let linker = first_that_runs(&["wasm-ld-19"]).with_context(missing)?;
            return Ok(Self {
                rustc: debian.to_owned(),
                build_std: true,
                clang,
                ar,
                linker: Some(linker),
            });
        }
        let rustc = PathBuf::from(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        let installed = sysroot(&rustc)?.join("lib/rustlib").join(TARGET);
        if !installed.exists() {
            bail!(missing());
        }
        Ok(Self {
            rustc,
            build_std: false,
            clang,
            ar,
            linker: None,
        })
    }

    /// The C compiler.
    pub(super) fn clang(&self) -> &str {
        &self.clang
    }

    /// The program that makes archives.
    pub(super) fn archiver(&self) -> &str {
        &self.ar
    }

    /// The tools' versions, a line each.
    pub(super) fn versions(&self) -> Result<Vec<String>> {
        let version = |program: &Path| -> Result<String> {
            let text = output(Command::new(program).arg("--version"))?;
            Ok(text.lines().next().unwrap_or_default().trim().to_owned())
        };
        Ok(vec![
            version(&self.rustc)?,
            version(Path::new(&self.clang))?,
        ])
    }

    /// Builds the interpreter's crate, and reads the module that it gives.
    pub(super) fn build(&self, package: &Path, module: &str) -> Result<Vec<u8>> {
        let target = package.join("target");
        let mut cargo = self.cargo(package, &target, TARGET, self.build_std);
        cargo
            .arg("--locked")
            .env(
                "CARGO_ENCODED_RUSTFLAGS",
                self.rust_flags(package)?.join("\x1f"),
            )
            .env("CC_wasm32_unknown_unknown", &self.clang)
            .env("AR_wasm32_unknown_unknown", &self.ar)
            .env("CFLAGS_wasm32_unknown_unknown", c_flags(package)?);
        read(&built(cargo, package, &target, TARGET, module)?)
    }

    /// Builds a crate as a dynamic library, which is linked with others later. It brings its own
    /// standard library, whose code can be anywhere in memory.
    pub(super) fn build_library(
        &self,
        package: &Path,
        name: &str,
        folder: &Path,
    ) -> Result<Vec<u8>> {
        let config = folder.join("pyo3.txt");
        fs::write(&config, PYO3_CONFIG)?;
        let target = package.join("target");
        let flags = [
            vec!["-Crelocation-model=pic".to_owned()],
            self.paths(package)?,
        ]
        .concat();
        let mut cargo = self.cargo(package, &target, LIBRARY_TARGET, true);
        cargo
            .arg("--locked")
            .env("PYO3_CONFIG_FILE", &config)
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
            .env("CC_wasm32_wasip2", &self.clang)
            .env("AR_wasm32_wasip2", &self.ar)
            .env("CFLAGS_wasm32_wasip2", library_c_flags(package)?);
        let archive = built(
            cargo,
            package,
            &target,
            LIBRARY_TARGET,
            &format!("lib{name}.a"),
        )?;
        let library = folder.join(format!("{name}.so"));
        let linker = first_that_runs(&["wasm-ld-19", "wasm-ld"]).context("there is no wasm-ld")?;
        let linked = Command::new(&linker)
            .args(["--shared", "--experimental-pic", "--no-entry"])
            .args(["--unresolved-symbols=import-dynamic", "--whole-archive"])
            .arg(&archive)
            .arg("-o")
            .arg(&library)
            .status()
            .with_context(|| format!("{linker} can't be started"))?;
        if !linked.success() {
            bail!("{} can't be made into a library", archive.display());
        }
        read(&library)
    }

    /// Builds a crate that somebody else wrote, and reads the module that it gives.
    pub(super) fn build_any(&self, package: &Path, target: &Path, module: &str) -> Result<Vec<u8>> {
        let mut cargo = self.cargo(package, target, TARGET, self.build_std);
        if package.join("Cargo.lock").exists() {
            cargo.arg("--locked");
        }
        read(&built(cargo, package, target, TARGET, module)?)
    }

    fn cargo(&self, package: &Path, target: &Path, triple: &str, build_std: bool) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo
            .current_dir(package)
            .args(["build", "--release", "--lib", "--target", triple])
            .arg("--target-dir")
            .arg(target)
            .env("RUSTC", &self.rustc)
            .env_remove("RUSTC_WRAPPER")
            .env_remove("RUSTFLAGS")
            .env_remove("RUSTUP_TOOLCHAIN");
        if build_std {
            cargo
                .env("RUSTC_BOOTSTRAP", "1")
                .arg("-Zbuild-std=std,panic_abort");
        }
        if let Some(linker) = &self.linker {
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        cargo
    }

    /// The size of the stack, and no paths of this machine.
    fn rust_flags(&self, package: &Path) -> Result<Vec<String>> {
        let stack = format!("-Clink-arg=-zstack-size={STACK_BYTES}");
        Ok([vec![stack], self.paths(package)?].concat())
    }

    /// No paths of this machine.
    fn paths(&self, package: &Path) -> Result<Vec<String>> {
        let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
        Ok(vec![
            remap(package, "/guest"),
            remap(&cargo_home()?, "/cargo"),
            remap(&library(&self.rustc)?, "/rust"),
        ])
    }
}

/// Runs cargo, and gives the path of what it built.
fn built(
    mut cargo: Command,
    package: &Path,
    target: &Path,
    triple: &str,
    file: &str,
) -> Result<PathBuf> {
    let built = cargo
        .stdin(Stdio::null())
        .status()
        .context("cargo can't be started")?;
    if !built.success() {
        bail!("{} does not build", package.display());
    }
    Ok(target.join(triple).join("release").join(file))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("{} was not built", path.display()))
}

/// The C sources' flags: the header by which QuickJS sees its stack, and no paths of this machine.
fn c_flags(package: &Path) -> Result<String> {
    let header = package.join("c/stack_pointer.h");
    let header = format!("-include {}", header.display());
    Ok([header, c_paths(package)?].join(" "))
}

/// The flags of C sources that become part of a dynamic library: their code can be anywhere in
/// memory, and only Rust sees their functions, so that what is not used is left out. They get no
/// headers of this machine, but those of the compiler, their crates and the package.
fn library_c_flags(package: &Path) -> Result<String> {
    let flags = "-fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -nostdlibinc";
    let header = package.join("c/memory_functions.h");
    let header = format!("-include {}", header.display());
    Ok([flags.to_owned(), header, c_paths(package)?].join(" "))
}

/// No paths of this machine.
fn c_paths(package: &Path) -> Result<String> {
    let map = |from: &Path, to: &str| format!("-ffile-prefix-map={}={to}", from.display());
    Ok([map(package, "/guest"), map(&cargo_home()?, "/cargo")].join(" "))
}

fn cargo_home() -> Result<PathBuf> {
    match env::var_os("CARGO_HOME") {
        Some(home) => Ok(home.into()),
        None => Ok(PathBuf::from(env::var_os("HOME").context("HOME is not set")?).join(".cargo")),
    }
}

fn sysroot(rustc: &Path) -> Result<PathBuf> {
    Ok(output(Command::new(rustc).args(["--print", "sysroot"]))?
        .trim()
        .into())
}

/// The standard library's sources.
fn library(rustc: &Path) -> Result<PathBuf> {
    let library = sysroot(rustc)?.join("lib/rustlib/src/rust/library");
    Ok(fs::canonicalize(&library).unwrap_or(library))
}

fn first_that_runs(programs: &[&str]) -> Option<String> {
    let runs = |program: &&&str| output(Command::new(program).arg("--version")).is_ok();
    programs
        .iter()
        .find(runs)
        .map(|program| (*program).to_owned())
}

fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .with_context(|| format!("{command:?} can't be started"))?;
    if !output.status.success() {
        bail!("{command:?} failed");
    }
    Ok(String::from_utf8(output.stdout)?)
}
