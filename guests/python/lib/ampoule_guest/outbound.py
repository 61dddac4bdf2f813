"""HTTP requests, where they are granted: `http.client`, and what stands on it, such as `urllib.request`. A connection's socket is one that hands
whole requests to the host, which makes them: they are calls of `$fetch` of the server `outbound`."""

from .own import __builtins__

import io
from binascii import a2b_base64, b2a_base64

import _ampoule

from . import calls
from .tool import Tool

SERVER, FETCH = "outbound", "$fetch"

# What to use instead of other libraries.
INSTEAD = (
    "Use urllib.request: `urllib.request.urlopen(url).read()`, with `urllib.request.Request(url, data=..., headers=..., method=...)` for more; "
    "TLS is the host's, so leave `ssl` out."
)

# Headers that the host sends as HTTP wants them.
HOSTS_OWN = frozenset("host connection keep-alive te content-length transfer-encoding accept-encoding".split())

# Of a response: it has come whole, and decoded.
OF_THE_WAY = frozenset("connection keep-alive transfer-encoding content-length".split())


def tool():
    """What makes requests, if any are granted."""
    try:
        number = _ampoule.resolve(SERVER, FETCH)
    except _ampoule.UnknownName:
        return None
    # A tool of somebody's own whose name is like it is another.
    return Tool(number) if _ampoule.name_of(number)[1] == FETCH else None


def where_granted(function, refuse):
    """A function that refuses where no requests are granted."""

    def used(*args, **options):
        return (refuse if tool() is None else function)(*args, **options)

    used.__name__, used.__qualname__, used.__doc__ = function.__name__, function.__qualname__, function.__doc__
    return used


class Wire:
    """What stands for the socket of a connection: it takes requests as they would be sent, and gives responses as they would come."""

    def __init__(self, connection):
        self._connection = connection
        self._sent = bytearray()
        # Where the body begins, once all before it is there; its chunks so far, and where the next one begins.
        self._body = None
        self._chunks = []
        self._at = 0
        self._response = b""

    def sendall(self, data, flags=0):
        self._sent += data
        body = self._whole_body()
        if body is None:
            return
        lines = self._sent[: self._body - 4].decode("latin-1").split("\r\n")
        self._sent, self._body, self._chunks = bytearray(), None, []
        self._response = responded(self._connection, lines, body)

    send = sendall

    def _whole_body(self):
        """The body, if the request is whole."""
        if self._body is None:
            end = self._sent.find(b"\r\n\r\n")
            if end < 0:
                return None
            self._body = self._at = end + 4
            lines = self._sent[:end].lower().split(b"\r\n")
            self._is_chunked = any(line.startswith(b"transfer-encoding:") and b"chunked" in line for line in lines)
            lengths = [int(line[15:]) for line in lines if line.startswith(b"content-length:")]
            self._length = lengths[0] if lengths else 0
        if self._is_chunked:
            return self._whole_chunks()
        return bytes(self._sent[self._body :]) if len(self._sent) - self._body >= self._length else None

    def _whole_chunks(self):
        while (end := self._sent.find(b"\r\n", self._at)) >= 0:
            size = int(self._sent[self._at : end].partition(b";")[0], 16)
            after = end + 2 + size
            if len(self._sent) < after + 2:
                return None
            if not size:
                return b"".join(self._chunks)
            self._chunks.append(bytes(self._sent[end + 2 : after]))
            self._at = after + 2
        return None

    def makefile(self, *args, **options):
        response, self._response = self._response, b""
        return io.BytesIO(response)

    def close(self):
        pass

    def settimeout(self, timeout):
        self._connection.timeout = timeout

    def setsockopt(self, *args):
        pass

    shutdown = setsockopt


def responded(connection, lines, body):
    """The response to a request, as it would come over the wire."""
    method, target, _ = lines[0].split(" ")
    pairs = [[name, value.strip()] for name, _, value in (line.partition(":") for line in lines[1:])]
    asked = {"url": url_of(connection, target), "method": method, "redirect": "manual"}
    if headers := [pair for pair in pairs if pair[0].lower() not in HOSTS_OWN]:
        asked["headers"] = headers
    if body:
        try:
            asked["body"] = body.decode()
        except UnicodeDecodeError:
            asked["base64"] = b2a_base64(body, newline=False).decode()
    answer = fetched(asked, connection.timeout)
    encoded = answer.get("base64")
    content = a2b_base64(encoded) if encoded is not None else answer.get("body", "").encode("utf-8", "surrogatepass")
    head = [f"HTTP/1.1 {answer['status']} {answer['statusText']}"]
    head += [f"{name}: {value}" for name, value in answer["headers"] if method == "HEAD" or name not in OF_THE_WAY]
    if method != "HEAD":
        head.append(f"content-length: {len(content)}")
    return "\r\n".join([*head, "", ""]).encode("latin-1") + content


def url_of(connection, target):
    if target[:7].lower() == "http://" or target[:8].lower() == "https://":
        return target
    tunnel = getattr(connection, "_tunnel_host", None)
    host, port = (tunnel, connection._tunnel_port) if tunnel else (connection.host, connection.port)
    named = f"[{host}]" if ":" in host else host
    scheme = "https" if connection.default_port == 443 else "http"
    return f"{scheme}://{named}{'' if port in (None, connection.default_port) else f':{port}'}{target if target[:1] == '/' else f'/{target}'}"


def fetched(asked, timeout):
    """What the host answers, for which this waits."""
    call = tool()(**asked)
    try:
        return call.result(timeout if isinstance(timeout, (int, float)) else None)
    except TimeoutError:
        call.cancel()
        raise TimeoutError("timed out") from None
    except calls.ToolError as error:
        raise ConnectionError(error.message) from None


def connect(self):
    """`HTTPConnection.connect`: nothing is connected to before a request is whole."""
    self.sock = Wire(self)


def amend_client(module):
    """Makes connections of `http.client` lead to the host."""

    class HTTPSConnection(module.HTTPConnection):
        """A connection whose requests are made with HTTPS. TLS is the host's: a context is not needed."""

        default_port = 443

        def __init__(self, host, port=None, *, timeout=module.socket._GLOBAL_DEFAULT_TIMEOUT, source_address=None, context=None, blocksize=8192):
            super().__init__(host, port, timeout, source_address, blocksize=blocksize)

    HTTPSConnection.__module__, HTTPSConnection.__qualname__ = module.__name__, "HTTPSConnection"
    module.HTTPConnection.connect = connect
    module.HTTPSConnection = HTTPSConnection
    module._create_https_context = lambda http_version: None
    if "HTTPSConnection" not in module.__all__:
        module.__all__.append("HTTPSConnection")
