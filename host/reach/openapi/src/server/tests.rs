use super::*;

fn base(configured: Option<&str>, document: &str) -> Result<String, String> {
    let documents = Documents::of(document);
    let base = Base::new(configured)?;
    base.of(&documents, None, None).map(String::from)
}

#[test]
fn addresses_come_from_the_document_unless_one_is_configured() {
    let document = "openapi: 3.1.0\nservers:\n- url: https://{region}.example.com/{version}\n  variables:\n    region: {default: eu}\n    version: {default: 2}\n";
    assert_eq!(base(None, document).unwrap(), "https://eu.example.com/2");
    let other = base(Some("http://127.0.0.1:8080/x?key=1"), document);
    assert_eq!(other.unwrap(), "http://127.0.0.1:8080/x?key=1");
    let swagger = "swagger: '2.0'\nhost: api.example.com\nbasePath: /v1/\nschemes: [http, https]\n";
    assert_eq!(base(None, swagger).unwrap(), "https://api.example.com/v1");
    for (document, why) in [
        (
            "openapi: 3.0.0\n",
            "the document doesn't say at which address the server is; set `base-url`",
        ),
        (
            "openapi: 3.0.0\nservers: [{url: /v1}]\n",
            "the document doesn't say at which address the server is; set `base-url`",
        ),
        (
            "openapi: 3.0.0\nservers: [{url: 'https://{x}.example.com'}]\n",
            "the address of the document's server has the variable `x`, which has no default; set `server-variables.x`, or `base-url`",
        ),
    ] {
        assert_eq!(base(None, document).unwrap_err(), why);
    }
    assert!(base(Some("ftp://example.com"), document).is_err());
}

const SERVERS: &str = "openapi: 3.1.0
servers:
- {url: 'https://api.example.com', description: Production}
- url: 'https://{region}.sandbox.example.com/{version}'
  description: Sandbox
  variables: {region: {default: eu, enum: [eu, us]}, version: {default: 1}}
- {url: 'https://{tenant}.example.com'}
";

fn chosen(server: Option<&str>, variables: &[(&str, &str)]) -> Result<String, String> {
    let documents = Documents::of(SERVERS);
    let variables = variables.iter();
    let server = ApiServer {
        server: server.map(str::to_owned),
        server_variables: variables
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        ..ApiServer::new(documents.source().clone())
    };
    let base = Base::of_server(&server)?;
    base.of(&documents, None, None).map(String::from)
}

#[test]
fn a_server_of_the_document_is_chosen_and_its_variables_are_filled_in() {
    for (server, variables, expected) in [
        (None, &[][..], "https://api.example.com/"),
        (Some("sandbox"), &[], "https://eu.sandbox.example.com/1"),
        (
            Some("2"),
            &[("region", "us"), ("version", "3")],
            "https://us.sandbox.example.com/3",
        ),
        (
            Some("https://{tenant}.example.com"),
            &[("tenant", "acme")],
            "https://acme.example.com/",
        ),
    ] {
        assert_eq!(chosen(server, variables).unwrap(), expected);
    }
    for (server, variables, why) in [
        (
            Some("0"),
            &[][..],
            "the document has no server `0`; `server` may be the number, the address or the description of one of these: 1: `https://api.example.com`, \"Production\"; 2: `https://{region}.sandbox.example.com/{version}`, \"Sandbox\"; 3: `https://{tenant}.example.com`",
        ),
        (
            Some("Sandbox"),
            &[("region", "asia")],
            "`server-variables.region` may be: eu, us",
        ),
        (
            None,
            &[("region", "us")],
            "the address of the document's server, `https://api.example.com`, has no variable `region`, which `server-variables` names",
        ),
        (
            Some("3"),
            &[],
            "the address of the document's server has the variable `tenant`, which has no default; set `server-variables.tenant`, or `base-url`",
        ),
    ] {
        assert_eq!(chosen(server, variables).unwrap_err(), why);
    }
    let both = ApiServer {
        base_url: Some("https://example.com".to_owned()),
        server: Some("1".to_owned()),
        ..ApiServer::new(Source::File("a.yaml".into()))
    };
    let why = Base::of_server(&both).map(|_| ()).unwrap_err();
    assert!(
        why.starts_with("`base-url` is the address already"),
        "{why}"
    );
}
