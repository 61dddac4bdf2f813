import re, ipaddress, urllib.parse as up
EMAIL = re.compile(r"[^@\s\"(),:;<>\[\\\]]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}", re.I)
SEMVER = re.compile(r"v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([\da-z-]+(?:\.[\da-z-]+)*))?(?:\+([\da-z.-]+))?", re.I)
CARD = re.compile(r"(?:(?P<visa>4\d{15})|(?P<master>5[1-5]\d{14})|(?P<amex>3[47]\d{13}))")
for text in ("a.b+c@x-y.co.uk", "no@tld", "two@@x.org", "ünï@exämple.org", "x@-bad.org"):
    print(f"{text:20}", bool(EMAIL.fullmatch(text)))
for text in ("1.2.3", "v10.0.0-rc.1+build.5", "1.02.3", "1.2", "1.0.0-α"):
    m = SEMVER.fullmatch(text); print(f"{text:22}", m and m.groups())
def key(version):
    major, minor, patch, pre, _ = SEMVER.fullmatch(version).groups()
    return (int(major), int(minor), int(patch), pre is None, [(p.isdigit() and int(p), p) if p.isdigit() else (float("inf"), p) for p in (pre or "").split(".")])
print(sorted(["1.0.0", "1.0.0-rc.1", "1.0.0-beta.11", "1.0.0-beta.2", "0.9.10", "0.9.9"], key=key))
for number in ("4111 1111 1111 1111", "5500-0000-0000-0004", "340000000000009", "1234"):
    m = CARD.fullmatch(re.sub(r"[\s-]", "", number)); print(number, m.lastgroup if m else None)
for url in ("https://user:p%40ss@Example.com:8443/a/b;p?q=1&q=2&e=#frag", "//host/path", "mailto:a@b.c", "http://[::1]:80/x", "ftp://x:99999/"):
    parts = up.urlsplit(url)
    try: print(parts.scheme, parts.hostname, parts.port, parts.path, up.parse_qs(parts.query, keep_blank_values=True), parts.fragment, parts.password)
    except ValueError as error: print("ValueError:", error)
print(up.urljoin("http://a/b/c?d", "../x/./y"), up.quote("a b/ü?"), up.quote_plus("a b&c"), up.unquote("%E2%82%AC%zz"), up.urlencode({"k": ["a", 1], "é": None}, doseq=True), up.urlparse("http://h/p;x?y")[2:4])
for text in ("192.168.1.5/24", "10.0.0.0/8", "2001:db8::1", "300.1.1.1", "::ffff:1.2.3.4"):
    try: value = ipaddress.ip_interface(text); print(value, value.network, value.is_private, value.version)
    except ValueError as error: print("ValueError:", error)
net = ipaddress.ip_network("192.168.0.0/29"); print([str(h) for h in net.hosts()][:3], net.num_addresses, list(map(str, net.subnets(new_prefix=30))), ipaddress.ip_address("192.168.0.3") in net, int(ipaddress.ip_address("1.2.3.4")), net.broadcast_address, ipaddress.summarize_address_range(ipaddress.ip_address("10.0.0.0"), ipaddress.ip_address("10.0.0.5")).__class__.__name__, ipaddress.ip_address("2001:db8::1").exploded)
