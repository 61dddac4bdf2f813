//! What a small virtual machine needs: Debian's kernel, a first program that loads the modules of a
//! disk and of a console, and the containers' root filesystem as an image.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::packages::{once, succeed, unpack};

const PACKAGES: [&str; 2] = ["linux-image-cloud-amd64", "busybox-static"];
/// In the order in which they are loaded; a kernel may have some built in.
const MODULES: [&str; 8] = [
    "virtio_ring",
    "virtio",
    "virtio_mmio",
    "virtio_pci_modern_dev",
    "virtio_pci_legacy_dev",
    "virtio_pci",
    "virtio_blk",
    "virtio_console",
];
/// Left out of the image: nothing of it is read by an interpreter.
const SUPERFLUOUS: [&str; 5] = [
    "var/cache/apt",
    "var/lib/apt",
    "usr/share/doc",
    "usr/share/locale",
    "usr/share/man",
];

/// Where its parts are.
pub(super) struct Machine {
    pub(super) kernel: PathBuf,
    pub(super) initial: PathBuf,
    pub(super) image: PathBuf,
}

/// Whether this machine can have virtual ones: before anything is set up for that.
pub(super) fn possible() -> Result<()> {
    ensure!(
        fs::exists("/dev/kvm").unwrap_or(false),
        "there is no /dev/kvm here, and without it a virtual machine would be emulated"
    );
    fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/kvm")
        .context("/dev/kvm can't be opened")?;
    if fs::exists("/sys/module/kvm_pvm").unwrap_or(false) {
        bail!(
            "/dev/kvm is there, but is kvm-pvm, which boots no ordinary kernel: Debian's hangs as it starts"
        );
    }
    Ok(())
}

/// Makes all of it from a root filesystem with interpreters, in a folder.
pub(super) fn machine(folder: &Path, root: &Path, peers: &Path, mke2fs: &Path) -> Result<Machine> {
    let scripts = [
        "microvm/init",
        "microvm/peer",
        "shared/runner.mjs",
        "shared/runner.py",
    ];
    let mut wanted = PACKAGES.join(" ");
    for script in scripts {
        wanted.push_str(&fs::read_to_string(peers.join(script))?);
    }
    once(folder, &wanted, |folder| {
        let system = folder.join("system");
        unpack(&system, &PACKAGES)?;
        fs::copy(
            only(&system.join("boot"), "vmlinuz-")?,
            folder.join("kernel"),
        )?;
        initial(folder, &system, peers)?;
        image(folder, root, peers, mke2fs)?;
        Ok(fs::remove_dir_all(system)?)
    })?;
    Ok(Machine {
        kernel: folder.join("kernel"),
        initial: folder.join("initial"),
        image: folder.join("image"),
    })
}

/// The archive that the kernel unpacks first.
fn initial(folder: &Path, system: &Path, peers: &Path) -> Result<()> {
    let root = folder.join("initial-root");
    for name in ["bin", "modules", "mnt"] {
        fs::create_dir_all(root.join(name))?;
    }
    executable(&system.join("bin/busybox"), &root.join("bin/busybox"))?;
    executable(&peers.join("microvm/init"), &root.join("init"))?;
    let modules = only(&system.join("lib/modules"), "")?.join("kernel/drivers");
    for module in MODULES {
        let file = format!("{module}.ko");
        let folders = ["virtio", "block", "char"].map(|folder| modules.join(folder).join(&file));
        if let Some(found) = folders.iter().find(|path| path.exists()) {
            fs::copy(found, root.join("modules").join(&file))?;
        }
    }
    let mut archive = Command::new(root.join("bin/busybox"));
    let archived = archive
        .args(["sh", "-c", "find . | bin/busybox cpio -o -H newc"])
        .current_dir(&root)
        .stdin(Stdio::null())
        .stdout(fs::File::create(folder.join("initial"))?)
        .stderr(Stdio::null())
        .status()?;
    ensure!(archived.success(), "busybox made no archive");
    Ok(fs::remove_dir_all(root)?)
}

/// A disk, which machines share, as none can write to it.
fn image(folder: &Path, root: &Path, peers: &Path, mke2fs: &Path) -> Result<()> {
    let copy = folder.join("image-root");
    succeed(Command::new("cp").arg("--archive").arg(root).arg(&copy))?;
    for name in SUPERFLUOUS {
        let _ = fs::remove_dir_all(copy.join(name));
    }
    executable(&peers.join("microvm/peer"), &copy.join("sbin/peer"))?;
    for name in ["runner.mjs", "runner.py"] {
        fs::copy(
            peers.join("shared").join(name),
            copy.join("peers").join(name),
        )?;
    }
    let mut make = Command::new(mke2fs);
    make.args(["-q", "-t", "ext4", "-O", "^has_journal", "-d"]);
    succeed(make.arg(&copy).arg(folder.join("image")).arg("600M"))?;
    Ok(fs::remove_dir_all(copy)?)
}

fn executable(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| from.display().to_string())?;
    Ok(fs::set_permissions(to, fs::Permissions::from_mode(0o755))?)
}

/// The entry of a folder whose name begins so.
fn only(folder: &Path, begin: &str) -> Result<PathBuf> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut found = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with(begin)
    });
    let found = found
        .next()
        .with_context(|| format!("{} has no {begin}", folder.display()))?;
    Ok(found.path())
}
