use super::*;

fn allows(resource: &str, private: bool, url: &str) -> bool {
    let parsed = |url| Url::parse(url).expect("a test's address is one");
    AddressPolicy::from(&parsed(resource), private).allows(&parsed(url))
}

#[test]
fn metadata_leads_into_no_private_network() {
    let public = "https://mcp.example.com/mcp";
    for refused in [
        "https://169.254.169.254/latest/meta-data",
        "https://[::ffff:169.254.169.254]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "https://[fd00:ec2::254]/",
        "https://10.0.0.1/",
        "https://100.64.0.1/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[fe80::1]/",
        "https://[fc00::1]/",
        "https://[2002:0a00:0001::]/",
        "https://0.0.0.0/",
        "http://auth.example.com/",
        "http://mcp.example.com/",
        "file:///etc/passwd",
    ] {
        assert!(!allows(public, false, refused), "{refused}");
    }
    for allowed in ["https://auth.example.com/", "https://93.184.215.14/"] {
        assert!(allows(public, false, allowed), "{allowed}");
    }
}

/// How many addresses of a name are left, or why none is.
async fn resolved(resource: &str, name: &str) -> Result<usize, String> {
    let rule = AddressPolicy::from(&Url::parse(resource).expect("an address"), false);
    let name = name.parse().expect("a name");
    let found = rule.resolve(name).await;
    found
        .map(Iterator::count)
        .map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_name_leads_no_further_than_its_addresses() {
    let refused = resolved("https://mcp.example.com/mcp", "localhost").await;
    assert_eq!(
        refused,
        Err("localhost is in a private network, where a server's metadata may not lead".to_owned())
    );
    // It is the operator's own.
    for own in ["http://localhost:3000/mcp", "http://127.0.0.1:3000/mcp"] {
        assert!(resolved(own, "localhost").await.is_ok_and(|left| left > 0));
    }
}

#[test]
fn of_a_names_addresses_the_public_ones_are_left() {
    let rule = AddressPolicy::from(&Url::parse("https://mcp.example.com/").unwrap(), false);
    let found = |addresses: &[&str]| -> Vec<SocketAddr> {
        let addresses = addresses.iter();
        addresses.map(|it| it.parse().expect("one")).collect()
    };
    let mixed = found(&["10.0.0.1:0", "93.184.215.14:0", "[fd00:ec2::254]:0"]);
    assert_eq!(
        rule.allowed("auth.example.com", mixed.into_iter()),
        Ok(found(&["93.184.215.14:0"]))
    );
    let inside = found(&["192.168.0.1:0", "169.254.169.254:0", "[::1]:0"]);
    assert!(
        rule.allowed("auth.example.com", inside.clone().into_iter())
            .is_err()
    );
    // The operator named this one; instance metadata is nobody's server.
    assert_eq!(
        rule.allowed("mcp.example.com", inside.into_iter()),
        Ok(found(&["192.168.0.1:0", "[::1]:0"]))
    );
}

#[test]
fn what_the_operator_configured_is_reached_wherever_it_is() {
    assert!(allows("http://10.0.0.5/mcp", false, "http://10.0.0.5:9/x"));
    assert!(!allows("http://10.0.0.5/mcp", false, "https://10.0.0.6/"));
    assert!(allows("http://10.0.0.5/mcp", true, "https://10.0.0.6/"));
    assert!(!allows("http://10.0.0.5/mcp", true, "https://127.0.0.1/"));
    let local = "http://127.0.0.1:3000/mcp";
    for allowed in ["http://127.0.0.1:4000/", "http://localhost:1/"] {
        assert!(allows(local, false, allowed), "{allowed}");
    }
    // Not even there, and not even where the operator allows private networks.
    for resource in [local, "http://169.254.169.254/mcp"] {
        assert!(!allows(resource, true, "http://169.254.169.254/"));
    }
    assert!(!allows(local, false, "http://10.0.0.1/"));
}
