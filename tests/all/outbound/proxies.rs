//! The proxies that the environment names: requests of scripts go past them, unless the operator
//! says otherwise.

use ampoule_tests::binary;
use ampoule_tests::command::{Workplace, ended};
use serde_json::json;

use super::Server;

#[tokio::test]
async fn proxies_of_the_environment_are_used_only_where_the_operator_says_so() {
    let server = Server::answering(|_| super::found(&json!("of the server"))).await;
    let proxy = Server::answering(|_| super::found(&json!("of the proxy"))).await;
    let source = format!("return await (await fetch('{}/a')).json()", server.origin);
    for (is_used, answered) in [(false, "of the server"), (true, "of the proxy")] {
        let workplace = Workplace::default();
        let config = format!(
            "[outbound]\nproxy = {is_used}\n[[outbound.allow]]\nhosts = ['{}']\nprivate = true\n",
            server.origin
        );
        workplace.file("ampoule.toml", config);
        let mut command = workplace.command(binary(), &["run", "--quiet", "-e", &source]);
        workplace.at_home(&mut command);
        command
            .env("http_proxy", &proxy.origin)
            .env("HTTP_PROXY", &proxy.origin)
            .env("no_proxy", "")
            .env("NO_PROXY", "");
        let ran = ended(command).await;
        assert_eq!(ran.stdout.trim(), answered, "{ran:?}");
    }
    let of_proxy = proxy.got.lock().unwrap();
    let asked = format!("GET {}/a HTTP/1.1\r\n", server.origin);
    assert!(
        of_proxy.len() == 1 && of_proxy[0].starts_with(&asked),
        "{of_proxy:?}"
    );
}
