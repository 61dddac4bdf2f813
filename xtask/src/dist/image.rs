//! The container's image: a folder as the Open Container Initiative lays it out, and the same as an
//! archive that podman and Docker load. It is put together here, from this machine's C library and
//! the authorities that its distribution trusts, without a registry and without anything running in
//! it.
//!
//! There is no shell in it, and its user is not root. The guests are compiled, for any processor of
//! its kind: a first run compiles nothing, and nothing need be written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::entries::{Entry, gzip, tar};
use super::licences::Licences;
use super::release::Release;
use super::{SUMMARY, VERSION, answer, digest};

/// How the image is called once it is loaded.
pub(super) const NAME: &str = "localhost/ampoule";
/// The number of its user and group.
const USER: u64 = 65_532;
/// Its user's home.
const HOME: &str = "home/ampoule";
/// Has the program compile guests for any processor of the image's architecture, and find them so.
const PORTABLE: [&str; 2] = ["AMPOULE_CODE", "portable"];
/// Where distributions keep the authorities that Mozilla trusts. What an administrator has added to
/// this machine's is elsewhere.
const AUTHORITIES: &str = "/usr/share/ca-certificates/mozilla";

/// The image.
#[derive(Debug)]
pub(super) struct Image {
    pub(super) archive: PathBuf,
    /// Its name with its version.
    pub(super) tag: String,
}

/// Bytes by their digest.
struct Blob {
    digest: String,
    bytes: Vec<u8>,
}

/// A layer: compressed, and the digest of what it is without that.
struct Layer {
    blob: Blob,
    unpacked: String,
}

/// Writes it.
pub(super) fn write(release: &Release, licences: &Licences) -> Result<Image> {
    let tag = format!("{NAME}:{VERSION}");
    // What changes least comes first, so that the next version needs less to be fetched.
    let layers = [
        layer(&system(release)?, release)?,
        layer(
            &release.model("usr/share/ampoule").collect::<Vec<_>>(),
            release,
        )?,
        layer(&program(release, licences)?, release)?,
        layer(&guests(release)?, release)?,
    ];
    let config = Blob::of_json(&configuration(release, &layers))?;
    let described = |blob: &Blob, kind: &str| {
        json!({
            "mediaType": format!("application/vnd.oci.image.{kind}"),
            "digest": format!("sha256:{}", blob.digest),
            "size": blob.bytes.len(),
        })
    };
    let listed: Vec<_> = layers
        .iter()
        .map(|layer| described(&layer.blob, "layer.v1.tar+gzip"))
        .collect();
    let manifest = Blob::of_json(&json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": described(&config, "config.v1+json"),
        "layers": listed,
    }))?;
    let mut of_manifest = described(&manifest, "manifest.v1+json");
    of_manifest["annotations"] = json!({
        "io.containerd.image.name": tag,
        "org.opencontainers.image.ref.name": VERSION,
    });
    let index = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [of_manifest],
    });
    // The form that Docker has loaded for ever, about the same blobs.
    let path = |blob: &Blob| format!("blobs/sha256/{}", blob.digest);
    let paths: Vec<_> = layers.iter().map(|layer| path(&layer.blob)).collect();
    let dockers = json!([{ "Config": path(&config), "RepoTags": [tag], "Layers": paths }]);
    let mut entries = vec![
        Entry::file("oci-layout", r#"{"imageLayoutVersion":"1.0.0"}"#),
        Entry::file("index.json", serde_json::to_vec(&index)?),
        Entry::file("manifest.json", serde_json::to_vec(&dockers)?),
    ];
    let blobs = layers.into_iter().map(|layer| layer.blob);
    for blob in blobs.chain([config, manifest]) {
        entries.push(Entry::file(path(&blob), blob.bytes));
    }
    let name = format!("{}-image", release.name());
    for entry in &entries {
        entry.write_below(&release.folder.join(&name))?;
    }
    let archive = release.folder.join(format!("{name}.tar"));
    fs::write(&archive, tar(&entries, release.epoch)?)?;
    Ok(Image { archive, tag })
}

impl Blob {
    fn of(bytes: Vec<u8>) -> Self {
        Self {
            digest: digest(&bytes),
            bytes,
        }
    }

    fn of_json(value: &Value) -> Result<Self> {
        Ok(Self::of(serde_json::to_vec(value)?))
    }
}

fn layer(entries: &[Entry], release: &Release) -> Result<Layer> {
    let archive = tar(entries, release.epoch)?;
    Ok(Layer {
        unpacked: digest(&archive),
        blob: Blob::of(gzip(&archive)?),
    })
}

fn configuration(release: &Release, layers: &[Layer]) -> Value {
    let unpacked: Vec<_> = layers
        .iter()
        .map(|layer| format!("sha256:{}", layer.unpacked))
        .collect();
    json!({
        "architecture": release.platform.deb(),
        "os": "linux",
        "config": {
            "User": format!("{USER}:{USER}"),
            "Env": [
                "PATH=/usr/bin",
                format!("HOME=/{HOME}"),
                format!("{}={}", PORTABLE[0], PORTABLE[1]),
            ],
            "Entrypoint": ["/usr/bin/ampoule"],
            "Cmd": ["serve"],
            "WorkingDir": format!("/{HOME}"),
            "Labels": {
                "org.opencontainers.image.title": "Ampoule",
                "org.opencontainers.image.description": SUMMARY,
                "org.opencontainers.image.licenses": "Apache-2.0",
                "org.opencontainers.image.version": VERSION,
            },
        },
        "rootfs": { "type": "layers", "diff_ids": unpacked },
    })
}

/// What the program needs: its libraries, authorities, and a user with a home.
fn system(release: &Release) -> Result<Vec<Entry>> {
    let passwd = format!(
        "root:x:0:0:root:/:/sbin/nologin\nampoule:x:{USER}:{USER}:ampoule:/{HOME}:/sbin/nologin\n"
    );
    let mut entries = vec![
        Entry::file("etc/passwd", passwd),
        Entry::file("etc/group", format!("root:x:0:\nampoule:x:{USER}:\n")),
        Entry::file("etc/nsswitch.conf", "hosts: files dns\n"),
        Entry::file("etc/ssl/certs/ca-certificates.crt", authorities()?),
        Entry::folder(HOME, 0o700).of(USER),
        Entry::folder("tmp", 0o1777),
    ];
    for library in libraries(release)? {
        let content =
            fs::read(&library).with_context(|| format!("{} can't be read", library.display()))?;
        let path = library.to_string_lossy();
        entries.push(Entry::program(path.trim_start_matches('/'), content));
    }
    // Whose they are, where the distribution tells.
    for package in ["libc6", "libgcc-s1", "ca-certificates"] {
        let path = format!("usr/share/doc/{package}/copyright");
        if let Ok(text) = fs::read(Path::new("/").join(&path)) {
            entries.push(Entry::file(path, text));
        }
    }
    Ok(entries)
}

/// The program, and what it says of licences.
pub(super) fn program(release: &Release, licences: &Licences) -> Result<Vec<Entry>> {
    let mut entries = vec![Entry::program("usr/bin/ampoule", release.bytes()?)];
    let of_licences = licences.entries();
    entries.extend(of_licences.map(|entry| entry.below("usr/share/doc/ampoule")));
    Ok(entries)
}

/// The program's libraries and what loads them, as this machine finds them.
fn libraries(release: &Release) -> Result<Vec<PathBuf>> {
    ensure!(
        release.platform.is_here(),
        "an image needs a machine of its own platform, since it copies the C library"
    );
    let loader = &release.needs.loader;
    let listed = answer(Command::new(loader).arg("--list").arg(release.program()))?;
    let listed = String::from_utf8(listed)?;
    let mut found = vec![PathBuf::from(loader)];
    for name in &release.needs.libraries {
        // `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f…)`; of what loads them, no arrow.
        let path = listed.lines().find_map(|line| {
            let (library, path) = line.trim().split_once(" => ")?;
            (library == name).then(|| path.split(' ').next().unwrap_or(path))
        });
        match path {
            Some(path) => found.push(path.into()),
            None => ensure!(
                loader.ends_with(&format!("/{name}")),
                "{name} is not on this machine"
            ),
        }
    }
    Ok(found)
}

/// Certificates of authorities, in one file.
fn authorities() -> Result<Vec<u8>> {
    let mut files: Vec<_> = fs::read_dir(AUTHORITIES)
        .with_context(|| format!("no certificate authorities in {AUTHORITIES}"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    let mut bundle = Vec::new();
    for file in files {
        bundle.extend(fs::read(file)?);
        bundle.push(b'\n');
    }
    Ok(bundle)
}

/// The guests, compiled by the program itself, and kept where its user has such things.
fn guests(release: &Release) -> Result<Vec<Entry>> {
    let home = tempfile::tempdir()?;
    answer(
        release
            .command()?
            .arg("warm")
            .env_remove("XDG_CACHE_HOME")
            .env("HOME", home.path())
            .env(PORTABLE[0], PORTABLE[1]),
    )?;
    let code = ".cache/ampoule/code";
    let mut entries: Vec<_> = [".cache", ".cache/ampoule", code]
        .map(|folder| Entry::folder(format!("{HOME}/{folder}"), 0o700).of(USER))
        .into();
    for entry in fs::read_dir(home.path().join(code))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".cwasm") {
            let path = format!("{HOME}/{code}/{name}");
            let mut file = Entry::file(path, fs::read(entry.path())?).of(USER);
            file.mode = 0o600;
            entries.push(file);
        }
    }
    Ok(entries)
}
