//! Services, and the forms of their keys.
//!
//! Where a service documents its form, that is named; the others are as their own clients and the
//! rules of secret scanners (GitHub's "supported secret scanning patterns", gitleaks) have them.

/// A service's keys.
pub(super) struct Service {
    /// What it is called.
    pub(super) name: &'static str,
    /// How its keys begin: never with fewer than three signs.
    pub(super) beginnings: &'static [&'static str],
    /// All of a key; what is in its first group, if it has one, is secret.
    pub(super) form: &'static str,
    /// How long one is at least, in bytes.
    pub(super) least: usize,
}

const fn service(
    name: &'static str,
    beginnings: &'static [&'static str],
    form: &'static str,
    least: usize,
) -> Service {
    Service {
        name,
        beginnings,
        form,
        least,
    }
}

/// All of them.
pub(super) const SERVICES: &[Service] = &[
    // docs.aws.amazon.com, IAM: "Understanding unique ID prefixes".
    service("aws", &["AKIA", "ASIA"], "A[KS]IA[A-Z2-7]{16}", 20),
    // AWS's own examples of configuration files; the secret has no prefix.
    service(
        "aws",
        &["aws_secret_access_key"],
        r#"aws_secret_access_key["']?\s{0,3}[:=]\s{0,3}["']?([A-Za-z0-9/+]{40})"#,
        60,
    ),
    // github.blog, 2021: "Behind GitHub's new authentication token formats".
    service(
        "github",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        "gh[pousr]_[A-Za-z0-9]{36,251}",
        40,
    ),
    service(
        "github",
        &["github_pat_"],
        "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
        93,
    ),
    // docs.gitlab.com: "Token overview", token prefixes.
    service(
        "gitlab",
        &[
            "glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-", "glcbt-", "gloas-",
        ],
        "gl(?:pat|dt|rt|ptt|ft|soat|cbt|oas)-[A-Za-z0-9_.-]{20,120}",
        25,
    ),
    // api.slack.com: "Token types".
    service(
        "slack",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-"],
        "xox[abeprs]-[A-Za-z0-9-]{20,250}",
        25,
    ),
    service(
        "slack",
        &["xapp-"],
        r"xapp-\d-[A-Z0-9]+-\d+-[a-f0-9]{20,}",
        30,
    ),
    service(
        "slack",
        &["hooks.slack.com/services/"],
        "hooks.slack.com/services/(T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{20,30})",
        60,
    ),
    // docs.stripe.com: "API keys".
    service(
        "stripe",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        "[sr]k_(?:live|test)_[A-Za-z0-9]{16,247}",
        24,
    ),
    service("stripe", &["whsec_"], "whsec_[A-Za-z0-9+/=]{32,64}", 38),
    // cloud.google.com: "Use API keys"; OAuth 2.0 clients.
    service("google", &["AIza"], "AIza[A-Za-z0-9_-]{35}", 39),
    service("google", &["GOCSPX-"], "GOCSPX-[A-Za-z0-9_-]{28}", 35),
    service("google", &["ya29."], r"ya29\.[A-Za-z0-9_-]{30,380}", 35),
    // platform.openai.com: keys of projects, service accounts and administrators.
    service(
        "openai",
        &["sk-proj-", "sk-svcacct-", "sk-admin-"],
        "sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,200}",
        48,
    ),
    // Older keys: `T3BlbkFJ` is "OpenAI" in base64.
    service(
        "openai",
        &["sk-"],
        "sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}",
        51,
    ),
    // docs.anthropic.com: "API keys".
    service(
        "anthropic",
        &["sk-ant-"],
        r"sk-ant-[a-z0-9]{3,10}-[A-Za-z0-9_-]{80,120}",
        90,
    ),
    // openrouter.ai: "Authentication".
    service("openrouter", &["sk-or-v1-"], "sk-or-v1-[a-f0-9]{64}", 73),
    // github.blog, 2021: npm's new tokens.
    service("npm", &["npm_"], "npm_[A-Za-z0-9]{36}", 40),
    // The package index documents: tokens are macaroons; this is its own name in base64.
    service(
        "pypi",
        &["pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"],
        "pypi-Ag[A-Za-z0-9_-]{60,380}",
        64,
    ),
    // doc.rust-lang.org, the registry's pull request "New token format".
    service("crates-io", &["cio"], "cio[A-Za-z0-9]{32}", 35),
    // guides.rubygems.org: "API key scopes".
    service("rubygems", &["rubygems_"], "rubygems_[a-f0-9]{48}", 57),
    // twilio.com/docs: "API keys".
    service(
        "twilio",
        &[
            "SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb",
            "SKc", "SKd", "SKe", "SKf",
        ],
        "SK[a-f0-9]{32}",
        34,
    ),
    // docs.sendgrid.com: "API keys".
    service(
        "sendgrid",
        &["SG."],
        r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
        69,
    ),
    // documentation.mailgun.com.
    service("mailgun", &["key-"], "key-[a-f0-9]{32}", 36),
    // shopify.dev: "Access tokens".
    service(
        "shopify",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
        38,
    ),
    // developer.squareup.com.
    service(
        "square",
        &["EAAA", "sq0atp-", "sq0csp-"],
        "(?:EAAA[A-Za-z0-9_-]{60}|sq0atp-[A-Za-z0-9_-]{22}|sq0csp-[A-Za-z0-9_-]{43})",
        29,
    ),
    // huggingface.co/docs: "User access tokens".
    service(
        "huggingface",
        &["hf_"],
        "hf_[A-Za-z]{34}|hf_[A-Za-z0-9]{34}",
        37,
    ),
    // docs.digitalocean.com: "Token prefixes".
    service(
        "digitalocean",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        "do[por]_v1_[a-f0-9]{64}",
        71,
    ),
    // developers.linear.app.
    service(
        "linear",
        &["lin_api_", "lin_oauth_"],
        "lin_(?:api|oauth)_[A-Za-z0-9]{40,64}",
        48,
    ),
    // developers.notion.com, changelog of September 2024.
    service(
        "notion",
        &["ntn_", "secret_"],
        "(?:ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43})",
        44,
    ),
    // airtable.com/developers: "Personal access tokens".
    service(
        "airtable",
        &["pat"],
        r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",
        82,
    ),
    // docs.sentry.io: "Auth tokens".
    service(
        "sentry",
        &["sntryu_", "sntrys_"],
        "sntry(?:u_[a-f0-9]{64}|s_[A-Za-z0-9+/=_-]{60,380})",
        67,
    ),
    // grafana.com/docs: service accounts and access policies.
    service(
        "grafana",
        &["glsa_", "glc_"],
        "(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,390})",
        36,
    ),
    // docs.databricks.com.
    service("databricks", &["dapi"], "dapi[a-f0-9]{32}(?:-[0-9])?", 36),
    // docs.newrelic.com: "API keys".
    service("newrelic", &["NRAK-"], "NRAK-[A-Z0-9]{27}", 32),
    // developer.hashicorp.com: "Tokens"; Terraform's have their own.
    service(
        "hashicorp",
        &["hvs.", "hvb."],
        r"hv[sb]\.[A-Za-z0-9_-]{24,380}",
        28,
    ),
    // docs.doppler.com, planetscale.com/docs, supabase.com/docs.
    service(
        "doppler",
        &["dp.pt.", "dp.st."],
        r"dp\.(?:pt|st)\.[A-Za-z0-9._-]{40,60}",
        46,
    ),
    service(
        "planetscale",
        &["pscale_pw_", "pscale_tkn_"],
        r"pscale_(?:pw|tkn)_[A-Za-z0-9_.=-]{32,64}",
        42,
    ),
    service(
        "supabase",
        &["sbp_", "sb_secret_"],
        "(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{30,50})",
        40,
    ),
    // docs.docker.com: "Personal access tokens".
    service("docker", &["dckr_pat_"], "dckr_pat_[A-Za-z0-9_-]{27}", 36),
    // postman.com, learning center.
    service("postman", &["PMAK-"], "PMAK-[a-f0-9]{24}-[a-f0-9]{34}", 64),
    // figma.com/developers.
    service("figma", &["figd_"], "figd_[A-Za-z0-9_-]{36,64}", 41),
    // support.atlassian.com: API tokens with a check.
    service(
        "atlassian",
        &["ATATT3"],
        "ATATT3[A-Za-z0-9_=-]{100,380}",
        106,
    ),
    // core.telegram.org/bots: the number of a bot, and 35 signs.
    service("telegram", &[":AA"], ":(AA[A-Za-z0-9_-]{33})", 36),
    // learn.microsoft.com: connection strings of Azure Storage and Service Bus.
    service(
        "azure",
        &["AccountKey="],
        "AccountKey=([A-Za-z0-9+/]{86}==)",
        99,
    ),
    service(
        "azure",
        &["SharedAccessKey="],
        "SharedAccessKey=([A-Za-z0-9+/]{43}=)",
        60,
    ),
    // mapbox.com: secret tokens are JWTs with this before them.
    service(
        "mapbox",
        &["sk.eyJ"],
        r"sk\.eyJ[A-Za-z0-9_-]{60,200}\.[A-Za-z0-9_-]{20,}",
        80,
    ),
    // RFC 7519: three parts in base64url, of which two are JSON.
    service(
        "jwt",
        &["eyJ"],
        r"eyJ[A-Za-z0-9_-]{10,180}\.eyJ[A-Za-z0-9_-]{4,600}\.[A-Za-z0-9_-]{20,600}",
        40,
    ),
    // RFC 7468: private keys as text; what follows the first line is the key.
    service(
        "private key",
        &["-----BEGIN "],
        r"-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\:,.-]{40,8000}?-----END (?:[A-Z]{2,10} )?PRIVATE KEY(?: BLOCK)?-----",
        27,
    ),
];
