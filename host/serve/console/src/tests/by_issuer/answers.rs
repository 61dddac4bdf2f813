//! What browsers come back with, and what the issuer gives for it.

use super::*;
use crate::tests::company::CompanyState;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_at_the_company_and_comes_to_the_page_that_was_shared() {
    let desk = Desk::new().await;
    let shared = "/console/runs?search=a%20b";
    let page = desk.get(shared, &[]).await;
    assert_eq!(page.status, StatusCode::SEE_OTHER, "{page:?}");
    let page = desk.get(page.header("location"), &[]).await;
    let link = "href=\"https://ampoule.example/console/sign-in/issuer?to=%2Fconsole%2Fruns%3Fsearch%3Da%2520b\"";
    assert!(page.text.contains(link), "{page:?}");
    let (cookie, back) = desk
        .signs_in("ada", "?to=%2Fconsole%2Fruns%3Fsearch%3Da%2520b")
        .await;
    // A page, and not a redirect, which would come without the cookie.
    let led = format!("<meta http-equiv=\"refresh\" content=\"0; url={shared}\">");
    assert!(back.text.contains(&led), "{back:?}");
    let gone = back.headers.get_all(SET_COOKIE).iter();
    let gone = gone
        .filter(|it| it.to_str().unwrap().contains("Max-Age=0"))
        .count();
    assert_eq!(gone, 1, "the cookie of the way to the issuer is gone");
    let me = desk.me(&cookie).await;
    assert_eq!(me.json()["principal"], "ada", "{me:?}");
    assert_eq!(me.json()["operator"], false);
    let (olga, _) = desk.signs_in("olga", "").await;
    assert_eq!(desk.me(&olga).await.json()["operator"], true);
    // What the token endpoint was sent: the code with its proof, and who the client is.
    let form = desk.company.told.lock().forms[0].clone();
    assert_eq!(
        form["redirect_uri"],
        format!("https://ampoule.example{CALLBACK}")
    );
    assert_eq!(form["resource"], AUDIENCE);
    assert_eq!(form["code_verifier"].len(), 43);
    assert!(!form.contains_key("client_secret"), "{form:?}");
    assert!(!back.text.contains("refresh-"), "tokens stay in the host");
    let log = desk
        .get("/api/v1/audit?kind=sign-in", &[("cookie", &*cookie)])
        .await;
    let log = log.json();
    assert_eq!(log["items"][0]["principal"], "ada", "{log}");
    assert_eq!(log["items"][0]["outcome"], "signed-in", "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_signs_in_one_browser_once() {
    let desk = Desk::new().await;
    let (ada, bob) = (desk.leaves("").await, desk.leaves("").await);
    let answer = desk.company.signs_in("ada", &ada.address);
    // Another browser, and one that began nothing, with a good answer.
    for (what, cookie) in [
        ("another browser", Some(bob.cookie.clone())),
        ("no cookie", None),
        (
            "two cookies",
            Some(format!("{}; {}", ada.cookie, ada.cookie)),
        ),
        ("a cookie that is longer", Some(format!("{}x", ada.cookie))),
        (
            "the cookie of another port",
            Some(ada.cookie.replace("-443=", "-444=")),
        ),
    ] {
        let refused = desk.comes_back(&answer, cookie.as_deref()).await;
        signs_nobody_in(&refused, what);
    }
    // A state that was changed, repeated, or guessed.
    let state = answer.split("state=").nth(1).unwrap();
    let state = state.split('&').next().unwrap();
    for query in [
        answer.replace(state, &format!("{state}x")),
        answer.replace(state, "0.AAAA.AAAA"),
        answer.replace(state, ""),
        format!("{answer}&state={state}"),
        "code=1".to_owned(),
        String::new(),
    ] {
        let refused = desk.comes_back(&query, Some(&ada.cookie)).await;
        signs_nobody_in(&refused, &query);
    }
    assert_eq!(desk.asked(), 0, "the issuer was not asked for any of these");
    // It is good, and it is good once.
    let first = desk.comes_back(&answer, Some(&ada.cookie)).await;
    assert!(session_of(&first).is_some(), "{first:?}");
    let again = desk.comes_back(&answer, Some(&ada.cookie)).await;
    signs_nobody_in(&again, "the same answer again");
    assert_eq!(desk.asked(), 1);
}

/// Names an issuer, as an answer does.
fn names(issuer: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(issuer.as_bytes()).collect();
    format!("iss={encoded}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_of_another_sign_in_or_issuer_is_not_taken() {
    let desk = Desk::new().await;
    let other = Company::start().await;
    let (own, evil) = (names(&desk.company.base), names(&other.base));
    let replaced = |answer: &str| answer.replace(&own, &evil);
    let text = desk.refuses("another issuer", replaced).await;
    assert!(text.contains("of another issuer"), "{text}");
    let without = |answer: &str| answer.replace(&format!("&{own}"), "");
    let text = desk.refuses("no issuer", without).await;
    assert!(text.contains("which issuer it is from"), "{text}");
    let twice = |answer: &str| format!("{answer}&{evil}");
    let text = desk.refuses("two issuers", twice).await;
    assert!(text.contains("twice"), "{text}");
    // What another issuer says of an error is not shown.
    let error = |answer: &str| format!("error=see-evil.example&{}", replaced(answer));
    let text = desk.refuses("an error of another", error).await;
    assert!(!text.contains("evil"), "{text}");
    assert_eq!(desk.asked(), 0, "no code has gone anywhere");
    // The attacker's own code, which their browser got, in the victim's answer: PKCE tells them apart.
    let attacker = desk.leaves("").await;
    let theirs = desk.company.signs_in("mallory", &attacker.address);
    let code = |answer: &str| answer.split('&').next().unwrap().to_owned();
    let injected = |answer: &str| answer.replace(&code(answer), &code(&theirs));
    let text = desk.refuses("the code of another", injected).await;
    assert!(text.contains("invalid_grant"), "{text}");
    let declined = |answer: &str| format!("error=access_denied&{answer}");
    let text = desk.refuses("a person who declines", declined).await;
    assert!(text.contains("the sign-in was declined"), "{text}");
}

/// How the company goes wrong.
type Change = fn(&mut CompanyState);

const WRONG: [(&str, Change); 15] = [
    ("a token for another audience", |told| {
        told.access = json!({ "aud": "https://other.example/mcp" });
    }),
    ("a token of another issuer", |told| {
        told.access = json!({ "iss": "https://evil.example" });
    }),
    ("a token that has ended", |told| {
        told.access = json!({ "exp": 1 });
    }),
    ("a token of nobody", |told| {
        told.access = json!({ "sub": null });
    }),
    ("a token of this machine's user", |told| {
        told.access = json!({ "sub": "local" });
    }),
    ("a token that is not one", |told| {
        told.answer = json!({ "access_token": "opaque" });
    }),
    ("a token of another kind", |told| {
        told.answer = json!({ "token_type": "DPoP" });
    }),
    ("no token that says who signed in", |told| {
        told.answer = json!({ "id_token": null });
    }),
    ("one for another client", |told| {
        told.identity = json!({ "aud": "another-client" });
    }),
    ("one for clients of this server", |told| {
        told.identity = json!({ "aud": AUDIENCE });
    }),
    ("one of another sign-in", |told| {
        told.identity = json!({ "nonce": "of another" });
    }),
    ("one that was asked for by another", |told| {
        told.identity = json!({ "azp": "another-client" });
    }),
    ("one of another issuer", |told| {
        told.identity = json!({ "iss": "https://evil.example" });
    }),
    ("one that came with another token", |told| {
        told.identity = json!({ "at_hash": "AAAA" });
    }),
    ("tokens that another key has signed", |told| {
        told.signs_otherwise = true;
    }),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_the_issuer_gives_is_looked_at_as_a_clients_token_is() {
    let desk = Desk::new().await;
    for (what, change) in WRONG {
        change(&mut desk.company.told.lock());
        desk.refuses(what, str::to_owned).await;
        let mut told = desk.company.told.lock();
        told.access = Value::Null;
        told.identity = Value::Null;
        told.answer = Value::Null;
        told.signs_otherwise = false;
    }
    // Nothing that anybody pasted is at fault.
    desk.company.told.lock().answer = json!({ "access_token": "a\nb" });
    let text = desk.refuses("a token of two lines", str::to_owned).await;
    let wanted = "the issuer gave no token that this server can use";
    assert!(text.contains(wanted), "{text}");
    desk.company.told.lock().answer = Value::Null;
    let (cookie, _) = desk.signs_in("ada", "").await;
    assert_eq!(desk.me(&cookie).await.json()["principal"], "ada");
}
