//! Where a browser goes once it is signed in: to the page that it came for. The address may have been
//! written by anybody, so only pages of the console are taken, and only plain addresses.

/// The first page.
pub(super) const FIRST: &str = "/console";
/// The longest address that is taken, in bytes.
const MOST_BYTES: usize = 1000;
/// What no address is about that a browser goes back to.
const NEVER: [&str; 6] = [
    "/console/sign-in",
    "/console/sign-out",
    "/console/open",
    "/console/events",
    "/console/offers",
    "/console/assets",
];

/// The page of the console at this path and query, if it is one that a browser may be led to.
pub(super) fn own_page(address: &str) -> Option<&str> {
    let path = address.split('?').next()?;
    let rest = path.strip_prefix(FIRST)?;
    let is_beneath = rest.is_empty() || rest.starts_with('/');
    // Steps up, and slashes that browsers read as the beginning of a host, lead elsewhere.
    let is_direct = !path.contains("//") && !path.contains("..") && !has_steps(path);
    let is_plain = is_direct && address.bytes().all(is_plain);
    let is_page = NEVER.iter().all(|never| {
        let beyond = path.strip_prefix(never);
        beyond.is_none_or(|beyond| !beyond.is_empty() && !beyond.starts_with('/'))
    });
    let fits = address.len() <= MOST_BYTES && is_beneath && is_plain && is_page;
    fits.then_some(address)
}

/// Whether a part of a path is a step, `.` or `..`: browsers read `%2e` as a dot there.
fn has_steps(path: &str) -> bool {
    let path = path.to_ascii_lowercase().replace("%2e", ".");
    path.split('/').any(|part| matches!(part, "." | ".."))
}

/// What stands in the addresses of the console. Quotes, spaces, backslashes and semicolons do not.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/?&=%-_.~+:,@".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_goes_to_pages_of_the_console_alone() {
        for page in [
            "/console",
            "/console/",
            "/console?example=mistake&language=python",
            "/console/runs/0123-4",
            "/console/sessions/a%2Eb",
            "/console/runs?search=a%20b%2F%2Fc",
            "/console/tools/one?name=demo%2Elist_orders",
        ] {
            assert_eq!(own_page(page), Some(page));
        }
        for other in [
            "",
            "/",
            "/mcp",
            "/consoles",
            "/console.evil.example",
            "/console@evil.example",
            "/console:80",
            "https://evil.example/console",
            "//evil.example/console",
            "/\\evil.example/console",
            "/console//evil.example",
            "/console/..//evil.example",
            "/console/../mcp",
            "/console/%2e%2e/mcp",
            "/console/.%2E/mcp",
            "/console/%2E./mcp",
            "/console/./sign-out",
            "/console/%2e/sign-out",
            "/console/runs;url=https://evil.example",
            "/console\r\nset-cookie: a=b",
            "/console/\u{202e}",
            "/console/\" onload=",
            "/console/<script>",
            "javascript:alert(1)",
            "/console/sign-in",
            "/console/sign-in/issuer",
            "/console/sign-out",
            "/console/open?code=1",
            "/console/events",
            "/console/assets/0/console.js",
            &format!("/console?{}", "a".repeat(MOST_BYTES)),
        ] {
            assert_eq!(own_page(other), None, "{other}");
        }
    }
}
