//! What the entry of an HTTP API says.

use super::*;

#[test]
fn an_api_that_a_document_describes() {
    let config = parse(
        r#"
        [servers.pets]
        openapi = "pets.yaml"
        base-url = "http://localhost:3000/v1?key=${TOKEN}"
        headers = { X-Team = "birch" }
        credentials = { "api key" = "${TOKEN}" }
        tls = { authority = "ca.pem" }
        rate = "10/s"
        tools = { deny = ["delete_*"] }
        [servers.far]
        openapi = "https://example.com/openapi.json?key=${TOKEN}"
        server = "Sandbox"
        server-variables = { region = "us" }
        "#,
    )
    .unwrap();
    let api = |name: &str| match &config.servers[name].reach {
        Reach::Api(api) => api,
        other => panic!("{other:?}"),
    };
    let pets = api("pets");
    assert_eq!(pets.document, "/srv/etc/pets.yaml");
    let base = "http://localhost:3000/v1?key=hunter2-hunter2";
    assert_eq!(pets.base_url.as_deref(), Some(base));
    assert_eq!(pets.credentials["api key"], "hunter2-hunter2");
    assert_eq!(pets.headers["X-Team"], "birch");
    assert!(!format!("{pets:?}").contains("hunter2"));
    assert_eq!(config.servers["pets"].written, "pets.yaml");
    let document = "https://example.com/openapi.json?key=hunter2-hunter2";
    assert_eq!(api("far").document, document);
    assert_eq!(api("far").server.as_deref(), Some("Sandbox"));
    assert_eq!(api("far").server_variables["region"], "us");
    assert_eq!(
        config.servers["far"].written,
        "https://example.com/openapi.json"
    );
}

#[test]
fn what_means_nothing_for_an_api_is_refused() {
    for (entry, why) in [
        (
            "openapi = \"a.json\"\nurl = \"https://example.com\"",
            "a server has a `command`, a `url`, `openapi` or `graphql`; remove what is not meant",
        ),
        (
            "openapi = \"a.json\"\nargs = []",
            "this is for a server with a `command`",
        ),
        (
            "openapi = \"a.json\"\nidle-timeout = \"1s\"",
            "this is for an MCP server",
        ),
        (
            "openapi = \"a.json\"\nauth = {}",
            "to sign in to an API, give its `base-url`",
        ),
        (
            "openapi = \"a.json\"\nbase-url = \"example.com\"",
            "an address, such as",
        ),
        (
            "openapi = \"a.json\"\nbase-url = \"https://example.com\"\nserver = \"2\"",
            "`base-url` is the address already; remove one of them",
        ),
        (
            "url = \"https://example.com\"\ncredentials = {}",
            "this is for a server with `openapi` or `graphql`",
        ),
    ] {
        let config = parse(&format!("[servers.pets]\n{entry}\n")).unwrap();
        let told = config.disabled["pets"].to_string();
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn a_graphql_api_has_an_address_and_may_have_its_schema_elsewhere() {
    let config = parse(
        r#"
        [servers.asked]
        graphql = "https://example.com/graphql?key=${TOKEN}"
        credentials = { bearer = "${TOKEN}" }
        [servers.told]
        graphql = "schema.graphql"
        base-url = "https://example.com/graphql"
        documents = true
        tools.hints.read-only = true
        [servers.signed]
        graphql = "https://example.com/graphql"
        auth = { client-id = "x" }
        [servers.signed.accounts.work.auth.endpoints]
        authorization = "https://login.example.com/authorize?tenant=1"
        token = "https://login.example.com/token"
        "#,
    )
    .unwrap();
    let api = |name: &str| match &config.servers[name].reach {
        Reach::Graphql(api) => api,
        other => panic!("{other:?}"),
    };
    let asked = api("asked");
    assert_eq!(
        asked.endpoint,
        "https://example.com/graphql?key=hunter2-hunter2"
    );
    assert_eq!((asked.schema.as_ref(), asked.documents), (None, false));
    assert_eq!(asked.credentials["bearer"], "hunter2-hunter2");
    assert!(!format!("{asked:?}").contains("hunter2"));
    let written = &config.servers["asked"].written;
    assert_eq!(written, "https://example.com/graphql");
    let told = api("told");
    assert_eq!(told.endpoint, "https://example.com/graphql");
    assert_eq!(told.schema.as_deref(), Some("/srv/etc/schema.graphql"));
    assert!(told.documents);
    assert_eq!((&told.auth, &asked.auth), (&None, &None));
    let auth = api("signed@work").auth.as_ref().unwrap();
    assert_eq!(auth.client_id.as_deref(), Some("x"));
    let endpoints = auth.endpoints.as_ref().unwrap();
    let shown = |url: &Option<url::Url>| url.as_ref().unwrap().to_string();
    assert_eq!(
        shown(&endpoints.authorization),
        "https://login.example.com/authorize?tenant=1"
    );
    assert_eq!(shown(&endpoints.token), "https://login.example.com/token");
}

#[test]
fn what_means_nothing_for_a_graphql_api_is_refused() {
    for (entry, why) in [
        (
            "graphql = \"schema.graphql\"",
            "this is a file with the schema; add `base-url`, the address of the API",
        ),
        (
            "graphql = \"https://example.com\"\nopenapi = \"a.json\"",
            "a server has a `command`, a `url`, `openapi` or `graphql`; remove what is not meant",
        ),
        (
            "graphql = \"https://example.com\"\ncredentials = { bearer = 'x' }\nauth = {}",
            "`auth` and `credentials` both say who asks; remove one of them",
        ),
        (
            "graphql = \"https://example.com\"\nauth = { grant = 'jwt-bearer' }",
            "for `jwt-bearer`, give `assertion`",
        ),
        (
            "graphql = \"https://example.com\"\ndocuments = true\ntools = { deny = [\"x\"] }",
            "with `documents`, scripts can call every operation",
        ),
        (
            "graphql = \"https://example.com\"\nroots = []",
            "this is for an MCP server",
        ),
        (
            "openapi = \"a.json\"\ndocuments = true",
            "this is for a server with `graphql`",
        ),
    ] {
        let config = parse(&format!("[servers.shop]\n{entry}\n")).unwrap();
        let told = config.disabled["shop"].to_string();
        assert!(told.contains(why), "{told}");
    }
}
