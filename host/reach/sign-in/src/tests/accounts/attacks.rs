//! What must not work.

use super::*;

/// A browser presses the button with what a form would hold.
async fn pressed(host: &Host, browser: &mut Browser, address: &str, form: &str) -> StatusCode {
    let form = format!("form={form}");
    let pressed = browser.send(&host.accounts, &Method::POST, address, &form);
    pressed.await.status()
}

#[tokio::test]
async fn ids_are_not_guessed_and_nothing_tells_which_are_right() -> anyhow::Result<()> {
    let host = Host::new().await?;
    let address = host.invited("ada")?;
    let (base, id) = address.rsplit_once('/').context("an id")?;
    assert_eq!(id.len(), 43, "256 bits");
    let mut browser = Browser::default();
    let (shorter, other) = (&id[1..], host.invited("grace")?);
    for wrong in [
        "",
        "x",
        shorter,
        &"a".repeat(43),
        &"a".repeat(9000),
        "../callback",
        "%2e",
    ] {
        let shown = browser
            .get(&host.accounts, &format!("{base}/{wrong}"))
            .await;
        assert_ne!(shown.status(), StatusCode::OK, "{wrong}");
        assert!(browser.cookies.is_empty(), "{wrong}");
    }
    assert_ne!(other, address);
    for (method, path) in [
        (Method::PUT, address.as_str()),
        (Method::HEAD, &address),
        (
            Method::POST,
            "http://127.0.0.1:8080/auth/callback?state=x&code=y",
        ),
        (Method::GET, "http://127.0.0.1:8080/auth/callback"),
        (
            Method::GET,
            "http://127.0.0.1:8080/auth/callback?state=&code=y",
        ),
        (
            Method::GET,
            "http://127.0.0.1:8080/auth/callback?state=x&code=y",
        ),
        (Method::GET, "http://127.0.0.1:8080/auth/start"),
        (Method::GET, "http://127.0.0.1:8080/auth/other/x"),
    ] {
        let answered = browser.send(&host.accounts, &method, path, "").await;
        assert!(answered.status().is_client_error(), "{method} {path}");
    }
    assert!(host.server.told.lock().asked.is_empty());
    Ok(())
}

#[tokio::test]
async fn a_form_of_another_site_or_browser_begins_nothing() -> anyhow::Result<()> {
    let host = Host::new().await?;
    let address = host.invited("mallory")?;
    let mut mallory = Browser::default();
    let shown = mallory.get(&host.accounts, &address).await;
    let form = between(shown.body(), "name=\"form\" value=\"", "\"")?.to_owned();
    // Mallory's page sends the form from Ada's browser, which has no cookie for it, or its own.
    let mut ada = Browser::default();
    assert_eq!(pressed(&host, &mut ada, &address, &form).await, 403);
    ada.get(&host.accounts, &address).await;
    assert_eq!(pressed(&host, &mut ada, &address, &form).await, 403);
    assert_eq!(pressed(&host, &mut ada, &address, "").await, 403);
    // A browser that says so is believed even where the cookie is right.
    let mut elsewhere = mallory.clone();
    elsewhere.site = Some("cross-site");
    assert_eq!(pressed(&host, &mut elsewhere, &address, &form).await, 403);
    // The form of one address is not a form of another.
    let other = host.invited("ada")?;
    assert_eq!(pressed(&host, &mut mallory, &other, &form).await, 403);
    // Two cookies of the name: a neighbour may have added one.
    let mut doubled = mallory.clone();
    doubled.cookies.push((
        "ampoule_sign_in".to_owned(),
        "/".to_owned(),
        "chosen".to_owned(),
    ));
    assert_eq!(pressed(&host, &mut doubled, &address, &form).await, 403);
    assert!(host.server.told.lock().asked.is_empty());
    mallory.site = Some("same-origin");
    assert_eq!(pressed(&host, &mut mallory, &address, &form).await, 200);
    Ok(())
}

#[tokio::test]
async fn callbacks_that_are_swapped_sign_in_nobody() -> anyhow::Result<()> {
    let host = Host::new().await?;
    let (mut ada, mut mallory) = (Browser::default(), Browser::default());
    let address = host.invited("ada")?;
    let of_ada = ada.goes_away(&host.accounts, &address).await?;
    let address = host.invited("mallory")?;
    let of_mallory = mallory.goes_away(&host.accounts, &address).await?;
    // Each browser with the other's answer, which is left for the one that it is for.
    for (browser, answer) in [(&mut ada, &of_mallory), (&mut mallory, &of_ada)] {
        let refused = browser.get(&host.accounts, answer).await;
        assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    }
    let nobodys = Browser::default().get(&host.accounts, &of_ada).await;
    assert_eq!(nobodys.status(), StatusCode::FORBIDDEN);
    for principal in ["ada", "mallory"] {
        assert_eq!(host.token(principal).await?, None, "{principal}");
    }
    // Mallory's code with Ada's state, in Ada's browser: the code is not of Ada's challenge.
    let code = between(&of_mallory, "code=", "&")?;
    let own = between(&of_ada, "code=", "&")?;
    let mixed = of_ada.replace(own, code);
    let refused = ada.get(&host.accounts, &mixed).await;
    assert_eq!(
        refused.status(),
        StatusCode::BAD_REQUEST,
        "{}",
        refused.body()
    );
    assert_eq!(host.token("ada").await?, None);
    assert_eq!(host.failures().len(), 1);
    Ok(())
}

#[tokio::test]
async fn nothing_is_used_twice() -> anyhow::Result<()> {
    let host = Host::new().await?;
    let mut browser = Browser::default();
    let address = host.invited("ada")?;
    let back = browser.goes_away(&host.accounts, &address).await?;
    let again = browser.goes_away(&host.accounts, &address).await;
    assert!(again.is_err(), "an address that was used");
    let held = browser.clone();
    let done = browser.get(&host.accounts, &back).await;
    assert_eq!(done.status(), StatusCode::OK);
    let token = host.token("ada").await?;
    for mut browser in [browser, held] {
        let replayed = browser.get(&host.accounts, &back).await;
        assert_eq!(replayed.status(), StatusCode::FORBIDDEN);
    }
    assert_eq!(host.token("ada").await?, token);
    assert_eq!(
        host.server.told.lock().forms.len(),
        1,
        "one code was redeemed, once"
    );
    // Two states: it is not said which one counts.
    let address = host.invited("ada")?;
    let back = browser_back(&host, &address).await?;
    let (mut browser, back) = back;
    let doubled = browser
        .get(&host.accounts, &format!("{back}&state=x"))
        .await;
    assert_eq!(doubled.status(), StatusCode::FORBIDDEN);
    Ok(())
}

async fn browser_back(host: &Host, address: &str) -> anyhow::Result<(Browser, String)> {
    let mut browser = Browser::default();
    let back = browser.goes_away(&host.accounts, address).await?;
    Ok((browser, back))
}

#[tokio::test]
async fn all_of_it_is_over_after_ten_minutes() -> anyhow::Result<()> {
    let host = Host::new().await?;
    let address = host.invited("ada")?;
    host.accounts.age(Duration::from_mins(9));
    let (mut browser, back) = browser_back(&host, &address).await?;
    host.accounts.age(Duration::from_mins(9));
    let other = host.invited("ada")?;
    host.accounts.age(Duration::from_mins(1));
    let late = browser.get(&host.accounts, &back).await;
    assert_eq!(late.status(), StatusCode::FORBIDDEN);
    host.accounts.age(Duration::from_mins(9));
    let late = Browser::default().get(&host.accounts, &other).await;
    assert_eq!(late.status(), StatusCode::NOT_FOUND);
    assert_eq!(host.token("ada").await?, None);
    Ok(())
}

#[tokio::test]
async fn an_answer_of_another_issuer_or_a_refusal_signs_in_nobody() -> anyhow::Result<()> {
    let host = Host::new().await?;
    host.server.told.lock().redirect_issuer = Some("https://evil.example".to_owned());
    let failed = host.signs_in("ada").await.expect_err("another issuer");
    assert!(failed.to_string().contains("Not signed in"), "{failed}");
    host.server.told.lock().redirect_issuer = None;
    let address = host.invited("ada")?;
    let (mut browser, back) = browser_back(&host, &address).await?;
    let (start, _) = back.split_once("?code=").context("a code")?;
    let rest = back.split_once("&state=").context("a state")?.1;
    let denied = format!("{start}?error=access_denied&state={rest}");
    let shown = browser.get(&host.accounts, &denied).await;
    assert_eq!(shown.status(), StatusCode::BAD_REQUEST);
    assert!(shown.body().contains("declined"), "{}", shown.body());
    assert_eq!(host.token("ada").await?, None);
    assert_eq!(host.failures().len(), 2);
    Ok(())
}

#[tokio::test]
async fn one_principal_takes_no_room_from_others() -> anyhow::Result<()> {
    let host = Host::new().await?;
    let of = |server: usize, principal: &str| {
        let options = SignInOptions::new(format!("notes-{server}"), host.server.resource());
        let sign_in = with(options, host.folder.path())?;
        Ok::<_, SignInError>(sign_in.owned_by(Owner::Principal(principal.into())))
    };
    for server in 0..64 {
        host.accounts.invite(&of(server, "mallory")?)?;
    }
    let refused = host.accounts.invite(&of(64, "mallory")?);
    let refused = refused.expect_err("too many").to_string();
    assert!(refused.contains("try again"), "{refused}");
    host.accounts.invite(&of(64, "ada")?)?;
    // Browsers that are away: the oldest of the same principal's makes room.
    let mut away = Vec::new();
    for server in 0..9 {
        let address = host.accounts.invite(&of(server, "mallory")?)?.address;
        away.push(browser_back(&host, &address).await?);
    }
    for (place, (mut browser, back)) in away.into_iter().enumerate() {
        let done = browser.get(&host.accounts, &back).await;
        assert_eq!(done.status() == StatusCode::OK, place > 0, "{place}");
    }
    Ok(())
}
