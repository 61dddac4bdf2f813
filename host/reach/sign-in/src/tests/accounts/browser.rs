//! A browser that looks at the page: it keeps cookies as browsers do, as far as paths go.

use anyhow::Context as _;
use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, Method, Response, StatusCode};
use url::Url;

use crate::accounts::{Accounts, PageRequest};
use crate::tests::redirected;

#[derive(Default, Clone)]
pub(super) struct Browser {
    /// Their names, paths and values.
    pub(super) cookies: Vec<(String, String, String)>,
    /// What it says of where a form comes from.
    pub(super) site: Option<&'static str>,
}

impl Browser {
    pub(super) async fn get(&mut self, accounts: &Accounts, address: &str) -> Response<String> {
        self.send(accounts, &Method::GET, address, "").await
    }

    pub(super) async fn send(
        &mut self,
        accounts: &Accounts,
        method: &Method,
        address: &str,
        body: &str,
    ) -> Response<String> {
        let url = Url::parse(address).expect("an address");
        let mut headers = HeaderMap::new();
        let sent = self.cookies.iter();
        let sent = sent.filter(|(_, path, _)| url.path().starts_with(path));
        let sent: Vec<String> = sent
            .map(|(name, _, value)| format!("{name}={value}"))
            .collect();
        if !sent.is_empty() {
            headers.insert(COOKIE, sent.join("; ").parse().expect("cookies"));
        }
        if let Some(site) = self.site {
            headers.insert("sec-fetch-site", site.parse().expect("a word"));
        }
        let response = accounts
            .handle(PageRequest {
                method,
                path: url.path().strip_prefix("/auth/").expect("it is beneath"),
                query: url.query(),
                headers: &headers,
                body: body.as_bytes(),
            })
            .await;
        for set in response.headers().get_all(SET_COOKIE) {
            self.keep(set.to_str().expect("text"));
        }
        response
    }

    fn keep(&mut self, set: &str) {
        let mut parts = set.split("; ");
        let (name, value) = parts
            .next()
            .and_then(|it| it.split_once('='))
            .expect("a cookie");
        let path = parts
            .find_map(|it| it.strip_prefix("Path="))
            .expect("a path");
        self.cookies
            .retain(|(one, beneath, _)| one != name || beneath != path);
        if !set.contains("Max-Age=0") {
            let kept = (name.to_owned(), path.to_owned(), value.to_owned());
            self.cookies.push(kept);
        }
    }

    /// Opens an address, presses the button, and signs in: where it is sent back to then.
    pub(super) async fn goes_away(
        &mut self,
        accounts: &Accounts,
        address: &str,
    ) -> anyhow::Result<String> {
        let shown = self.get(accounts, address).await;
        anyhow::ensure!(shown.status() == StatusCode::OK, "{}", shown.body());
        let form = format!(
            "form={}",
            between(shown.body(), "name=\"form\" value=\"", "\"")?
        );
        let onward = self.send(accounts, &Method::POST, address, &form).await;
        anyhow::ensure!(onward.status() == StatusCode::OK, "{}", onward.body());
        let link = between(onward.body(), "href=\"", "\"")?.replace("&amp;", "&");
        redirected(&Url::parse(&link)?).await
    }
}

/// What stands between two texts.
pub(super) fn between<'t>(text: &'t str, start: &str, end: &str) -> anyhow::Result<&'t str> {
    let (_, rest) = text.split_once(start).context("the start")?;
    let (found, _) = rest.split_once(end).context("the end")?;
    Ok(found)
}
