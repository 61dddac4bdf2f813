"""HTTP requests, where they are granted: what scripts send, and what they get."""

import json
import unittest

from guest import run

GRANTED = """\
import _ampoule
_ampoule.SERVERS['outbound'] = None
_ampoule.TOOLS.append(_ampoule.Tool('outbound', '$fetch', ['url'], {answer!r}, {after}))
"""


def answer(status=200, text="OK", headers=(("content-type", "text/plain"),), **body):
    body = body or {"body": "hello"}
    return json.dumps({"status": status, "statusText": text, "headers": list(headers), "url": "", "redirected": False, **body})


def fetching(source, given=None, after=0):
    return run(GRANTED.format(answer=answer() if given is None else given, after=after) + source)


def sent(outcome):
    """The requests that were made."""
    return [json.loads(call.removeprefix("$fetch ")) for call in outcome.started]


class Outbound(unittest.TestCase):
    maxDiff = None

    def test_urlopen_gives_what_the_host_answers(self):
        outcome = fetching(
            "from urllib.request import urlopen\n"
            "with urlopen('https://x.io/a?b=1') as r:\n"
            "    found = [r.status, r.reason, r.headers['Content-Type'], r.getheader('x-none'), r.url, r.read().decode(), r.geturl()]\n"
            "found",
        )
        self.assertEqual(outcome.value, [200, "OK", "text/plain", None, "https://x.io/a?b=1", "hello", "https://x.io/a?b=1"])
        asked = sent(outcome)
        self.assertEqual(len(asked), 1)
        self.assertEqual(asked[0].pop("headers")[0][0], "User-Agent")
        self.assertEqual(asked[0], {"url": "https://x.io/a?b=1", "method": "GET", "redirect": "manual"})

    def test_requests_have_methods_headers_and_bodies(self):
        for source, method, body, headers in [
            ("Request('https://x.io', data=b'{}', headers={'Content-Type': 'application/json'})", "POST", {"body": "{}"}, ["Content-Type", "application/json"]),
            ("Request('https://x.io', data=b'\\xff\\x00', method='PUT')", "PUT", {"base64": "/wA="}, ["Content-Type", "application/x-www-form-urlencoded"]),
            ("Request('https://x.io', data=iter([b'ab', b'c0\\r\\n', b'']), headers={'X-A': 'b'})", "POST", {"body": "abc0\r\n"}, ["X-A", "b"]),
            ("Request('https://x.io', method='DELETE', headers={'Authorization': 'Bearer x'})", "DELETE", {}, ["Authorization", "Bearer x"]),
        ]:
            outcome = fetching(f"from urllib.request import urlopen, Request\nurlopen({source}).read().decode()")
            self.assertEqual(outcome.value, "hello", source)
            asked = sent(outcome)[0]
            self.assertEqual(asked["method"], method)
            self.assertEqual({name: asked[name] for name in ("body", "base64") if name in asked}, body)
            self.assertIn(headers, asked["headers"])
            names = {name.lower() for name, _ in asked["headers"]}
            self.assertFalse(names & {"host", "connection", "content-length", "transfer-encoding", "accept-encoding"}, names)

    def test_bytes_come_as_they_were(self):
        outcome = fetching("from urllib.request import urlopen\nlist(urlopen('https://x.io').read())", answer(base64="/wBB"))
        self.assertEqual(outcome.value, [255, 0, 65])
        outcome = fetching("import json\nfrom urllib.request import urlopen\njson.load(urlopen('https://x.io'))", answer(body='{"a": "ü"}'))
        self.assertEqual(outcome.value, {"a": "ü"})
        outcome = fetching("from urllib.request import urlopen\n[line.decode() for line in urlopen('https://x.io')]", answer(body="a\nb\n"))
        self.assertEqual(outcome.value, ["a\n", "b\n"])

    def test_failures_are_errors_as_anywhere(self):
        source = "import urllib.request, urllib.error\ntry:\n    urllib.request.urlopen('https://x.io')\nexcept urllib.error.HTTPError as e:\n    found = [e.code, e.reason, e.read().decode()]\nfound"
        self.assertEqual(fetching(source, answer(404, "Not Found")).value, [404, "Not Found", "hello"])
        outcome = fetching("import urllib.request\nurllib.request.urlopen('https://x.io')", "fail")
        self.assertEqual((outcome.name, outcome.message), ("URLError", "<urlopen error no such page>"))
        self.assertEqual(outcome.location[1], 5)
        outcome = fetching("import urllib.request\nurllib.request.urlopen('https://x.io', timeout=1)", after=5_000_000_000)
        self.assertEqual((outcome.name, outcome.message), ("URLError", "<urlopen error timed out>"))
        outcome = fetching("import http.client\nhttp.client.HTTPSConnection('x.io').request('GET', '/')", "fail")
        self.assertEqual((outcome.name, outcome.message), ("ConnectionError", "no such page"))

    def test_redirects_are_followed_request_by_request(self):
        moved = answer(302, "Found", [["location", "https://y.io/b"]], body="")
        source = "import urllib.request\nurllib.request.urlopen(urllib.request.Request('https://x.io/a', data=b'1'))"
        outcome = fetching(source, moved)
        self.assertEqual(outcome.name, "HTTPError")
        asked = sent(outcome)
        self.assertEqual([(one["method"], one["url"]) for one in asked[:2]], [("POST", "https://x.io/a"), ("GET", "https://y.io/b")])
        self.assertLess(len(asked), 12)

    def test_connections_take_one_request_after_another(self):
        outcome = fetching(
            "import http.client\n"
            "c = http.client.HTTPConnection('x.io', 8080, timeout=5)\n"
            "found = []\n"
            "for path in ['/a', '/b']:\n"
            "    c.request('GET', path, headers={'X-A': '1'})\n"
            "    r = c.getresponse()\n"
            "    found.append([r.status, r.getheader('content-type'), r.read().decode()])\n"
            "c.request('POST', '/c', body='text')\n"
            "found.append(c.getresponse().read().decode())\n"
            "c.putrequest('PUT', '/d')\n"
            "c.putheader('Content-Length', '2')\n"
            "c.endheaders()\n"
            "c.send(b'a')\n"
            "c.send(b'b')\n"
            "found.append(c.getresponse().read().decode())\n"
            "c.close()\n"
            "found",
        )
        self.assertEqual(outcome.value, [[200, "text/plain", "hello"], [200, "text/plain", "hello"], "hello", "hello"])
        urls = [(one["method"], one["url"], one.get("body")) for one in sent(outcome)]
        at = "http://x.io:8080"
        self.assertEqual(urls, [("GET", f"{at}/a", None), ("GET", f"{at}/b", None), ("POST", f"{at}/c", "text"), ("PUT", f"{at}/d", "ab")])

    def test_a_head_has_no_body(self):
        given = answer(headers=[["content-length", "7"]], body="")
        source = "import http.client\nc = http.client.HTTPSConnection('[::1]')\nc.request('HEAD', '/')\nr = c.getresponse()\n[r.getheader('content-length'), r.read().decode()]"
        outcome = fetching(source, given)
        self.assertEqual(outcome.value, ["7", ""])
        self.assertEqual(sent(outcome)[0]["url"], "https://[::1]/")

    def test_other_libraries_say_what_to_use(self):
        for name in ("requests", "httpx", "ssl"):
            self.assertIn("Use urllib.request", fetching(f"import {name}").message)
        self.assertIn("There are no sockets here", fetching("import socket\nsocket.create_connection(('x.io', 80))").message)

    def test_openers_and_retrieval_stand_on_it(self):
        source = "import urllib.request\nopener = urllib.request.build_opener()\nopener.addheaders = [('X-A', 'b')]\nopener.open('http://x.io/').read().decode()"
        outcome = fetching(source)
        self.assertEqual(outcome.value, "hello")
        self.assertIn(["X-A", "b"], sent(outcome)[0]["headers"])
        source = "import urllib.request\nurllib.request.urlopen('https://x.io', context=None).read().decode()"
        self.assertEqual(fetching(source).value, "hello")


if __name__ == "__main__":
    unittest.main()
