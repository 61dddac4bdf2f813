//! Manifests and the install script of archives that stand in for built ones: made as `dist` makes
//! them, of a program that is a script of the shell.

use std::process::{Command, Output};

use super::super::VERSION;
use super::super::check::web::Web;
use super::super::entries::{Entry, gzip, tar};
use super::super::platform::{PLATFORMS, Platform};
use super::*;

/// Whose archives there are.
const ADDRESS: &str = "https://example.com/ampoule/0.1.0/";

/// The program in the archives.
const PROGRAM: &str = "#!/bin/sh\necho \"the program ran\"\n";

/// A folder of packages.
struct Packages {
    folder: tempfile::TempDir,
}

impl Packages {
    fn of(platforms: &[Platform]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let packages = Self { folder };
        for platform in platforms {
            packages.add(*platform, None);
        }
        packages
    }

    /// Adds what `dist` would leave of a platform.
    fn add(&self, platform: Platform, glibc: Option<[u32; 2]>) -> PathBuf {
        let folder = self.path().join(platform.triple);
        fs::create_dir_all(&folder).expect("a folder");
        let [file, name] = built::names(platform);
        let entries = [
            Entry::program(format!("{name}/bin/ampoule"), PROGRAM),
            Entry::file(format!("{name}/share/man/man1/ampoule.1"), "a page"),
        ];
        let archive = gzip(&tar(&entries, 1).expect("an archive")).expect("an archive");
        fs::write(folder.join(file), archive).expect("a file");
        built::write(&folder, platform, glibc, true).expect("a record");
        folder
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn written(&self) -> Written {
        let address = Address::parse(ADDRESS).expect("an address");
        write(self.path(), Some(&address)).expect("manifests")
    }

    fn manifest(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(FOLDER).join(path)).expect("a manifest")
    }

    fn digest_of(&self, platform: Platform) -> String {
        let archives = built::archives(self.path()).expect("archives");
        let mut archives = archives.into_iter();
        let found = archives.find(|archive| archive.platform.triple == platform.triple);
        found.expect("it was built").digest
    }

    /// Runs the install script, with `before` in front of what the system has of programs.
    fn install(&self, arguments: &[&str], before: &str) -> Output {
        let path = format!("{before}:{}", std::env::var("PATH").expect("a path"));
        Command::new("sh")
            .arg(self.path().join(FOLDER).join("install.sh"))
            .args(arguments)
            .env_clear()
            .env("HOME", self.path().join("home"))
            .env("PATH", path)
            .output()
            .expect("the shell")
    }
}

fn here() -> Platform {
    let here = PLATFORMS.into_iter().find(|platform| platform.is_here());
    here.expect("tests run where packages are made")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn only_what_was_built_is_in_a_manifest() {
    let [linux, ..] = PLATFORMS;
    let packages = Packages::of(&[linux]);
    let written = packages.written();
    assert!(
        written.left_out[0].contains("need a program for Windows"),
        "{written:?}"
    );
    let digest = packages.digest_of(linux);
    let formula = packages.manifest("homebrew/ampoule.rb");
    assert_eq!(formula.matches("sha256 \"").count(), 1);
    assert!(formula.contains(&format!("sha256 \"{digest}\"")));
    assert!(formula.contains("on_linux do\n    on_intel do") && !formula.contains("on_macos"));
    assert!(formula.contains(&format!(
        "url \"https://example.com/ampoule/0.1.0/ampoule-{VERSION}-x86_64-unknown-linux-gnu.tar.gz\""
    )));
    let flake = packages.manifest("nix/flake.nix");
    assert!(
        flake.contains("x86_64-linux = {") && !flake.contains("darwin"),
        "{flake}"
    );
    let script = packages.manifest("install.sh");
    assert!(
        script.contains(&format!("Linux x86_64 - {digest}")),
        "{script}"
    );
    assert!(!script.contains("Darwin ") && !script.contains("@ARCHIVES@"));
    assert!(!packages.path().join(FOLDER).join("scoop").exists());
    assert!(!packages.path().join(FOLDER).join("winget").exists());
}

#[test]
fn each_platform_that_was_built_is_in_the_manifests_of_its_system() {
    let packages = Packages::of(&PLATFORMS);
    let written = packages.written();
    assert_eq!(written.left_out, Vec::<String>::new());
    assert_eq!(written.files.len(), 7, "{written:?}");
    let [_, arm, mac, old_mac, windows] = PLATFORMS.map(|platform| packages.digest_of(platform));
    let formula = packages.manifest("homebrew/ampoule.rb");
    let flake = packages.manifest("nix/flake.nix");
    let script = packages.manifest("install.sh");
    for digest in [&arm, &mac, &old_mac] {
        assert!(formula.contains(digest) && script.contains(digest));
    }
    assert!(!formula.contains(&windows) && !script.contains(&windows));
    assert_eq!(flake.matches("hash = \"sha256-").count(), 4);
    let scoop = packages.manifest("scoop/ampoule.json");
    let scoop: serde_json::Value = serde_json::from_str(&scoop).expect("JSON");
    assert_eq!(scoop["architecture"]["64bit"]["hash"], *windows);
    let installer = packages.manifest("winget/Ampoule.Ampoule.installer.yaml");
    let digest = format!("InstallerSha256: \"{}\"", windows.to_uppercase());
    assert!(installer.contains(&digest), "{installer}");
    assert!(
        installer.contains("\nManifestType: \"installer\"\n"),
        "{installer}"
    );
}

#[test]
fn without_an_address_only_the_script_is_made() {
    let packages = Packages::of(&[PLATFORMS[0]]);
    let written = write(packages.path(), None).expect("the script");
    assert_eq!(written.files.len(), 1);
    assert!(written.left_out[0].contains("give --address"));
    for refused in [
        "http://example.com",
        "https://",
        "example.com",
        "https://example.com/\"; system(\"x",
        "https://example.com/${x}",
    ] {
        assert!(Address::parse(refused).is_err(), "{refused}");
    }
}

#[test]
fn the_script_installs_what_has_the_digest_and_nothing_else() {
    let packages = Packages::of(&[]);
    let folder = packages.add(here(), None);
    packages.written();
    let web = Web::of(folder.clone()).expect("a server");
    let prefix = packages.path().join("prefix");
    let arguments = [
        "--from",
        &web.address(),
        "--prefix",
        prefix.to_str().expect("text"),
    ];
    let installed = packages.install(&arguments, "");
    assert!(installed.status.success(), "{}", said(&installed));
    let ran = Command::new(prefix.join("bin/ampoule")).output();
    assert_eq!(ran.expect("the program").stdout, b"the program ran\n");
    assert!(prefix.join("share/man/man1/ampoule.1").exists());
    let left = fs::read_dir(&prefix).expect("a folder").count();
    assert_eq!(left, 2, "what it downloaded is removed");

    // The server has another file now.
    let [file, _] = built::names(here());
    fs::write(folder.join(file), "something else").expect("a file");
    let other = packages.path().join("other");
    let arguments = [
        "--from",
        &web.address(),
        "--prefix",
        other.to_str().expect("text"),
    ];
    let refused = packages.install(&arguments, "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        said(&refused).contains("nothing was installed"),
        "{}",
        said(&refused)
    );
    assert_eq!(fs::read_dir(&other).expect("a folder").count(), 0);
}

#[test]
fn the_script_says_why_it_does_not_install() {
    let packages = Packages::of(&[]);
    packages.add(here(), Some([99, 0]));
    packages.written();
    let programs = packages.path().join("programs");
    fs::create_dir(&programs).expect("a folder");
    let before = programs.to_str().expect("text");
    let reason = |arguments: &[&str]| {
        let output = packages.install(arguments, before);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        said(&output)
    };
    let from = ["--from", "http://127.0.0.1:9"];
    assert!(reason(&[]).contains("give --from ADDRESS"));
    assert!(reason(&["--from", "http://example.com"]).contains("must begin with https://"));
    assert!(reason(&["--from"]).contains("--from needs a value"));
    assert!(reason(&["--force"]).contains("unknown argument --force"));
    assert!(reason(&from).contains("needs GNU's C library 99.0 or newer, and this system has "));
    let answers = |program: &str, text: &str| {
        let file = programs.join(program);
        Entry::program(program, text)
            .write_below(&programs)
            .expect("a program");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(file, mode).expect("a mode");
    };
    // As on Alpine, whose C library has no version of GNU's.
    answers("getconf", "#!/bin/sh\nexit 1\n");
    assert!(reason(&from).contains("and this system has another one"));
    answers(
        "uname",
        "#!/bin/sh\ncase $1 in -s) echo FreeBSD ;; *) echo riscv64 ;; esac\n",
    );
    let [system, processor] = here().uname().expect("a system");
    let said = reason(&from);
    assert!(
        said.contains("was not built for FreeBSD on riscv64. It was built for:"),
        "{said}"
    );
    assert!(
        said.contains(&format!("  {system} on {processor}\n")),
        "{said}"
    );
}
