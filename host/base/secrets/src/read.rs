//! How a secret is read: from a file, or as what a program prints.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use ampoule_untrusted::text::one_line;

use crate::output::{OutputError, output};
use crate::reference::Source;
use crate::{Reference, SecretError};

/// How long a secret may be, in bytes.
const MOST: u64 = 64 * 1024;

/// A program that asks a person may take this long.
const ASKING: Duration = Duration::from_secs(120);

/// How much is shown of what a program says is wrong, in bytes.
const SHOWN: usize = 300;

pub(crate) async fn read(reference: &Reference) -> Result<Arc<str>, SecretError> {
    let fault = |why: String| SecretError(format!("the secret `{reference}` can't be read: {why}"));
    let bytes = match &reference.0 {
        Source::File(path) => {
            let path = path.clone();
            let read = tokio::task::spawn_blocking(move || file(&path)).await;
            let read = read.map_err(|_| fault("the host is about to stop".to_owned()))?;
            read.map_err(|error| fault(error.to_string()))?
        }
        Source::Keyring { service, account } => keyring(service, account).await.map_err(fault)?,
        Source::Command(words) => program(words).await.map_err(fault)?,
        Source::OnePassword(place) => {
            let words = ["op", "read", "--no-newline", place].map(str::to_owned);
            program(&words).await.map_err(fault)?
        }
    };
    let text = String::from_utf8(bytes).map_err(|_| fault("it is not text in UTF-8".to_owned()))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.len() as u64 > MOST {
        return Err(fault(format!("it has more than {} KiB", MOST / 1024)));
    }
    if text.contains('\0') {
        return Err(fault("it contains a NUL character".to_owned()));
    }
    match text.trim().is_empty() {
        true => Err(fault("it is empty".to_owned())),
        false => Ok(text.into()),
    }
}

#[cfg(feature = "keyring")]
async fn keyring(service: &str, account: &str) -> Result<Vec<u8>, String> {
    crate::keyring::secret(service, account).await
}

#[cfg(not(feature = "keyring"))]
async fn keyring(_: &str, _: &str) -> Result<Vec<u8>, String> {
    Err("this program was built without the keyring".to_owned())
}

/// The content of a file, and a byte more than a secret may have.
fn file(path: &Path) -> io::Result<Vec<u8>> {
    // A pipe may have no other end.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(MOST + 2)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What a program prints, with the environment of the host: it needs what it signs in with.
async fn program(words: &[String]) -> Result<Vec<u8>, String> {
    let (program, args) = words.split_first().ok_or("the command is empty")?;
    let mut command = Command::new(program);
    command.args(args);
    let ended = output(command, ASKING, MOST + 1).await;
    let ended = ended.map_err(|error| match error {
        OutputError::Start(error) if error.kind() == io::ErrorKind::NotFound => {
            "the command is not in PATH; install it, or give its whole path".to_owned()
        }
        error => format!("the command {error}"),
    })?;
    ended.success().map_err(|why| {
        let why = one_line(&why);
        format!("the command {}", &why[..why.floor_char_boundary(SHOWN)])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn of(text: &str, folder: &Path) -> Result<String, String> {
        let reference = Reference::parse(text, folder).unwrap();
        let read = read(&reference).await;
        read.map(|text| text.to_string())
            .map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn one_line_end_is_no_part_of_a_secret() {
        let folder = tempfile::tempdir().unwrap();
        let cases = [
            ("a\n", "a"),
            ("a\r\n", "a"),
            (" a \n\n", " a \n"),
            ("a\nb", "a\nb"),
        ];
        for (number, (text, secret)) in cases.into_iter().enumerate() {
            fs::write(folder.path().join(number.to_string()), text).unwrap();
            let read = of(&format!("file:{number}"), folder.path()).await;
            assert_eq!(read.as_deref(), Ok(secret));
        }
    }

    #[tokio::test]
    async fn what_is_not_a_secret_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join("empty"), "\n").unwrap();
        fs::write(path.join("bytes"), [0xff, 0xfe]).unwrap();
        fs::write(path.join("nul"), "a\0b").unwrap();
        fs::write(path.join("long"), "x".repeat(70_000)).unwrap();
        fs::create_dir(path.join("folder")).unwrap();
        let cases = [
            ("file:empty", "it is empty"),
            ("file:bytes", "it is not text in UTF-8"),
            ("file:nul", "it contains a NUL character"),
            ("file:long", "it has more than 64 KiB"),
            ("file:folder", "it is not a file"),
            (
                "command:no-such-program-1 x",
                "the command is not in PATH; install it, or give its whole path",
            ),
            (
                "command:sh -c 'echo locked >&2; exit 3'",
                "the command failed (exit status: 3): locked",
            ),
            (
                "command:sh -c 'exit 1'",
                "the command failed (exit status: 1): it did not say why",
            ),
            ("command:true", "it is empty"),
            (
                "command:sh -c 'yes'",
                "the command printed more than 65537 bytes",
            ),
        ];
        for (text, why) in cases {
            let error = of(text, path).await.unwrap_err();
            assert!(error.ends_with(why), "{error}");
            assert!(error.starts_with("the secret `"), "{error}");
        }
    }

    #[tokio::test]
    async fn programs_print_secrets_and_get_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        let read = of(
            "command:sh -c 'test -n \"$PATH\" && echo hunter2'",
            folder.path(),
        )
        .await;
        assert_eq!(read.as_deref(), Ok("hunter2"));
    }
}
