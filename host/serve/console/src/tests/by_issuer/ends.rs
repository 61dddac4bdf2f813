//! Sign-ins that are renewed, and those that end: the issuer forgets them as well.

use super::*;
use crate::access::CSRF_FIELD;
use crate::tests::company::now;

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_is_renewed_as_long_as_the_issuer_agrees() {
    let desk = Desk::new().await;
    // Each token is over, by less than what clocks may be apart.
    let over = json!({ "exp": now() - 5 });
    {
        let mut told = desk.company.told.lock();
        told.access = over.clone();
        told.answer = json!({ "expires_in": null });
    }
    let (cookie, _) = desk.signs_in("ada", "").await;
    let renewals = || desk.asked() - 1;
    for number in 1..4 {
        assert_eq!(desk.me(&cookie).await.json()["principal"], "ada");
        assert_eq!(renewals(), number, "each token is over at once");
    }
    // An issuer that can't be reached ends no sign-in.
    desk.company.told.lock().is_down = true;
    let down = desk.me(&cookie).await;
    assert_eq!(down.status, StatusCode::SERVICE_UNAVAILABLE, "{down:?}");
    assert!(down.text.contains("issuer can't be reached"), "{down:?}");
    let page = desk.get("/console/runs", &[("cookie", &cookie)]).await;
    assert_eq!(page.status, StatusCode::SERVICE_UNAVAILABLE, "{page:?}");
    desk.company.told.lock().is_down = false;

    // One who renews for somebody else ends it.
    let (cookie, _) = desk.signs_in("ada", "").await;
    desk.company.told.lock().access = json!({ "sub": "olga" });
    let other = desk.me(&cookie).await;
    assert_eq!(other.status, StatusCode::UNAUTHORIZED, "{other:?}");
    desk.company.told.lock().access = over;
    assert_eq!(desk.me(&cookie).await.status, StatusCode::UNAUTHORIZED);
    // One who refuses leaves the token that is there, until that ends.
    let (cookie, _) = desk.signs_in("ada", "").await;
    desk.company.told.lock().refuses = true;
    for _ in 0..2 {
        let asked = desk.asked();
        assert_eq!(desk.me(&cookie).await.status, StatusCode::OK);
        assert!(desk.asked() <= asked + 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_signs_out_is_forgotten_by_the_issuer_too() {
    let desk = Desk::new().await;
    let (cookie, _) = desk.signs_in("ada", "").await;
    let page = desk.get("/console/runs", &[("cookie", &cookie)]).await;
    assert!(
        page.text.contains("action=\"/console/sign-out\""),
        "{page:?}"
    );
    let csrf = page.text.split("name=\"csrf\" value=\"").nth(1).unwrap();
    let csrf = csrf.split('"').next().unwrap();
    let headers = [
        HOST,
        ("cookie", &*cookie),
        ("origin", "https://ampoule.example"),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let form = format!("{CSRF_FIELD}={csrf}");
    let out = browser(Method::POST, "/console/sign-out", &headers, &form);
    let out = desk.fixture.send(out).await;
    assert_eq!(out.status, StatusCode::SEE_OTHER, "{out:?}");
    assert_eq!(desk.me(&cookie).await.status, StatusCode::UNAUTHORIZED);
    is_revoked(&desk, "refresh-2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_that_makes_room_for_others_is_forgotten_by_the_issuer_too() {
    let desk = Desk::new().await;
    let (first, _) = desk.signs_in("ada", "").await;
    for _ in 1..16 {
        desk.signs_in("ada", "").await;
    }
    assert_eq!(desk.me(&first).await.status, StatusCode::OK);
    // The second one is now the one that was used longest ago.
    desk.signs_in("ada", "").await;
    is_revoked(&desk, "refresh-4").await;
    assert_eq!(desk.me(&first).await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_whose_token_is_refused_is_forgotten_by_the_issuer_too() {
    let desk = Desk::new().await;
    {
        let mut told = desk.company.told.lock();
        told.access = json!({ "exp": now() - 5 });
        told.answer = json!({ "expires_in": null });
    }
    let (cookie, _) = desk.signs_in("ada", "").await;
    desk.company.told.lock().access = json!({ "sub": "olga" });
    let other = desk.me(&cookie).await;
    assert_eq!(other.status, StatusCode::UNAUTHORIZED, "{other:?}");
    is_revoked(&desk, "refresh-3").await;
}

/// The issuer is asked to forget this token.
async fn is_revoked(desk: &Desk, token: &str) {
    let revoked = async {
        while !desk
            .company
            .told
            .lock()
            .revoked
            .iter()
            .any(|it| it == token)
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, revoked)
        .await
        .expect("the issuer hears of it");
}
