//! What is on the disk.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::SystemTime;

use ampoule_secrets::{KeySource, Reference};

use super::*;

impl Host {
    fn principals(&self) -> PathBuf {
        self.folder.path().join("sign-in/principals")
    }

    /// The file of a principal's sign-in.
    fn file(&self, principal: &str) -> anyhow::Result<PathBuf> {
        let name = self.of(principal)?.0.options.place().name();
        Ok(self.principals().join(format!("{name}.sealed")))
    }

    fn store(&self) -> Store {
        Store::in_folder(self.folder.path().join("sign-in"))
    }
}

#[tokio::test]
async fn sign_ins_of_principals_are_encrypted_and_listed() -> anyhow::Result<()> {
    let host = Host::new().await?;
    assert_eq!(host.store().of_principals().await?, []);
    assert!(
        !host.principals().exists(),
        "who only looks makes no folder"
    );
    host.signs_in("grace").await?;
    host.signs_in("ada").await?;
    let secrets = host.server.told.lock().secrets.clone();
    let mut texts = vec!["grace".to_owned(), "example.com".to_owned()];
    texts.extend(secrets);
    for entry in host.principals().read_dir()? {
        let content = fs::read(entry?.path())?;
        for text in &texts {
            let found = content
                .windows(text.len())
                .any(|part| part == text.as_bytes());
            assert!(!found, "{text}");
        }
    }
    let listed = host.store().of_principals().await?;
    let names: Vec<&str> = listed.iter().map(|it| &*it.principal).collect();
    assert_eq!(names, ["ada", "grace"]);
    for one in &listed {
        assert_eq!(
            (&*one.server, &*one.resource),
            ("notes", host.server.resource().as_str())
        );
        let status = one.status.as_ref().context("a sign-in")?;
        assert_eq!(status.who.as_deref(), Some("ada@example.com"));
    }
    Ok(())
}

#[tokio::test]
async fn a_file_under_another_name_is_nobodys() -> anyhow::Result<()> {
    let host = Host::new().await?;
    host.signs_in("ada").await?;
    let file = host.file("ada")?;
    fs::copy(&file, host.file("mallory")?)?;
    assert_eq!(host.token("mallory").await?, None);
    // The same principal's, of another server, or at another address.
    let mut options = SignInOptions::new("other", host.server.resource());
    options.owner = Owner::Principal("ada".into());
    let other = with(options.clone(), host.folder.path())?;
    assert_eq!(other.authorization().await?, None);
    options.name = "notes".to_owned();
    options.resource.set_path("/other");
    let other = with(options, host.folder.path())?;
    fs::copy(
        &file,
        host.principals()
            .join(format!("{}.sealed", other.0.options.place().name())),
    )?;
    assert_eq!(other.authorization().await?, None);
    let listed = host.store().of_principals().await?;
    assert_eq!(listed.len(), 1, "{listed:?}");
    Ok(())
}

#[tokio::test]
async fn a_damaged_file_or_another_key_gives_nobodys_tokens() -> anyhow::Result<()> {
    let host = Host::new().await?;
    host.signs_in("ada").await?;
    let file = host.file("ada")?;
    let content = fs::read(&file)?;
    for place in [0, 18, 40, content.len() - 1] {
        let mut damaged = content.clone();
        damaged[place] ^= 1;
        fs::write(&file, damaged)?;
        assert_eq!(host.token("ada").await?, None, "{place}");
    }
    fs::write(&file, &content[..20])?;
    assert_eq!(host.token("ada").await?, None);
    fs::write(&file, &content)?;
    assert!(host.token("ada").await?.is_some());
    // Made anew by whoever took the folder's key away.
    fs::remove_file(host.principals().join("key"))?;
    assert_eq!(host.token("ada").await?, None);
    host.signs_in("ada").await?;
    assert!(host.token("ada").await?.is_some());
    Ok(())
}

#[tokio::test]
async fn the_operators_key_is_needed_and_must_be_private() -> anyhow::Result<()> {
    let host = Host::new().await?;
    let key = host.folder.path().join("operators.key");
    fs::write(&key, [7; 32])?;
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600))?;
    let sealed = |key: &Path| {
        let store = host
            .store()
            .sealed_by(Some(KeySource::File(key.to_owned())));
        Ok::<_, anyhow::Error>(host.of("ada")?.kept_in(store))
    };
    let address = host.accounts.invite(&sealed(&key)?)?.address;
    let mut browser = Browser::default();
    let back = browser.goes_away(&host.accounts, &address).await?;
    assert_eq!(
        browser.get(&host.accounts, &back).await.status(),
        StatusCode::OK
    );
    assert!(sealed(&key)?.authorization().await?.is_some());
    assert!(!host.principals().join("key").exists());
    // Without it, and with another.
    assert_eq!(host.token("ada").await?, None);
    fs::write(&key, [8; 32])?;
    assert_eq!(sealed(&key)?.authorization().await?, None);
    fs::write(&key, [7; 32])?;
    for (mode, content) in [(0o644, 32), (0o600, 31), (0o600, 33)] {
        fs::write(&key, vec![7; content])?;
        fs::set_permissions(&key, fs::Permissions::from_mode(mode))?;
        let refused = sealed(&key)?
            .authorization()
            .await
            .expect_err("it can't be used");
        assert!(refused.to_string().contains("key"), "{refused}");
        let store = host.store().sealed_by(Some(KeySource::File(key.clone())));
        assert!(store.of_principals().await.is_err());
    }
    Ok(())
}

#[tokio::test]
async fn the_operators_key_may_be_where_a_reference_says() -> anyhow::Result<()> {
    let host = Host::new().await?;
    let secret = |name: &str, text: &str| {
        fs::write(host.folder.path().join(name), text)?;
        let reference = Reference::parse(&format!("file:{name}"), host.folder.path());
        let reference = reference.map_err(anyhow::Error::msg)?;
        let store = host
            .store()
            .sealed_by(Some(KeySource::Secret(reference.seal())));
        Ok::<_, anyhow::Error>((host.of("ada")?.kept_in(store.clone()), store))
    };
    // 32 bytes of 7, with the line end that programs print.
    let key = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n";
    let (sign_in, store) = secret("key", key)?;
    let address = host.accounts.invite(&sign_in)?.address;
    let mut browser = Browser::default();
    let back = browser.goes_away(&host.accounts, &address).await?;
    assert_eq!(
        browser.get(&host.accounts, &back).await.status(),
        StatusCode::OK
    );
    assert!(sign_in.authorization().await?.is_some());
    assert_eq!(store.of_principals().await?.len(), 1);
    assert!(!host.principals().join("key").exists());
    // The same key in a file opens it, too; none of it does not.
    let file = host.folder.path().join("operators.key");
    fs::write(&file, [7; 32])?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
    let store = host.store().sealed_by(Some(KeySource::File(file)));
    assert_eq!(store.of_principals().await?.len(), 1);
    assert_eq!(host.token("ada").await?, None);
    for (name, text) in [
        ("raw", "7777777"),
        ("short", "BwcHBw=="),
        ("text", "hunter2!"),
    ] {
        let (_, store) = secret(name, text)?;
        let refused = store.of_principals().await.expect_err("not a key");
        let refused = refused.to_string();
        assert!(
            refused.contains("a key has 32 bytes, in base64") && !refused.contains(text),
            "{refused}"
        );
    }
    Ok(())
}

impl Host {
    /// As if a sign-in was used so long ago for the last time.
    fn unused_for(&self, principal: &str, time: Duration) -> anyhow::Result<()> {
        let file = fs::File::open(self.file(principal)?)?;
        Ok(file.set_modified(SystemTime::now() - time)?)
    }

    fn unused(&self, principal: &str) -> anyhow::Result<Duration> {
        let used = fs::metadata(self.file(principal)?)?.modified()?;
        Ok(used.elapsed().unwrap_or_default())
    }
}

#[tokio::test]
async fn a_sign_in_that_nobody_used_for_long_is_used_no_more_and_goes() -> anyhow::Result<()> {
    const DAY: Duration = Duration::from_hours(24);
    let host = Host::new().await?;
    host.signs_in("ada").await?;
    host.signs_in("grace").await?;
    host.unused_for("ada", 29 * DAY)?;
    host.unused_for("grace", 31 * DAY)?;
    assert_eq!(host.token("grace").await?, None);
    // That it is listed is no use of it.
    let listed = host.store().of_principals().await?;
    let names: Vec<&str> = listed.iter().map(|it| &*it.principal).collect();
    assert_eq!(names, ["ada"]);
    assert!(host.unused("ada")? > 28 * DAY);
    assert!(!host.file("grace")?.exists());
    assert!(host.token("ada").await?.is_some());
    assert!(host.unused("ada")? < DAY);

    // The operator says how long.
    let store = host.store().kept_for(Some(8 * DAY));
    let held = host.of("ada")?.kept_in(store.clone());
    assert!(held.authorization().await?.is_some());
    // Whoever uses it keeps it, also if they hold it and need not read it.
    host.unused_for("ada", 7 * DAY)?;
    assert!(held.authorization().await?.is_some());
    assert!(host.unused("ada")? < DAY);
    // To note that changes the file's time, and it is not read again for that.
    let place = held.0.options.place();
    let seen = held.0.state.lock().await.seen.clone();
    assert_eq!(seen, store.stamp(&place));
    host.unused_for("ada", 7 * DAY)?;
    store.note_use(&place);
    assert!(host.unused("ada")? < DAY);
    // Whoever looks whose it is does not use it.
    host.unused_for("ada", 7 * DAY)?;
    assert!(store.signed_in(&held.0.options).await?.is_some());
    assert!(host.unused("ada")? > 6 * DAY);
    host.unused_for("ada", 9 * DAY)?;
    assert_eq!(held.authorization().await?, None);
    assert!(host.token("ada").await?.is_some());
    host.unused_for("ada", 9 * DAY)?;
    assert_eq!(store.of_principals().await?, []);
    assert_eq!(host.token("ada").await?, None);
    Ok(())
}

#[tokio::test]
async fn an_unused_sign_in_is_removed_once_another_one_is_kept() -> anyhow::Result<()> {
    const DAY: Duration = Duration::from_hours(24);
    let host = Host::new().await?;
    let store = host.store().kept_for(Some(8 * DAY));
    host.signs_in("ada").await?;
    host.unused_for("ada", 9 * DAY)?;
    let grace = host.of("grace")?.kept_in(store);
    let client = grace.0.options.place().of_client().name();
    let client = host.principals().join(format!("{client}.sealed"));
    fs::File::open(&client)?.set_modified(SystemTime::now() - 9 * DAY)?;
    let address = host.accounts.invite(&grace)?.address;
    let mut browser = Browser::default();
    let back = browser.goes_away(&host.accounts, &address).await?;
    // The client is used by this sign-in, and is kept for a month in any case.
    let used = fs::metadata(&client)?.modified()?;
    assert!(used.elapsed().unwrap_or_default() < DAY);
    fs::File::open(&client)?.set_modified(SystemTime::now() - 9 * DAY)?;
    let back = browser.get(&host.accounts, &back).await;
    assert_eq!(back.status(), StatusCode::OK);
    assert!(host.file("grace")?.exists());
    assert!(!host.file("ada")?.exists());
    assert!(client.exists());
    Ok(())
}
