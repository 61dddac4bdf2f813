"""Modules that are not here, and what to use instead."""

from .own import __builtins__

import sys
from difflib import get_close_matches

import _ampoule

from .absent import NETWORK, NOBODY, PROCESSES

TABLES = (
    "There are no packages for tables here: rows are lists of dicts; use comprehensions, sorted, itertools.groupby, collections.Counter, "
    "csv and statistics."
)
NUMBERS = "There are no packages for numbers here: use lists, math, statistics, random, fractions and decimal."
PLOTS = "Nothing can be drawn here: return the numbers, or give them to a tool that draws."
ENVIRONMENT = "Read configuration from `env`."
YAML = "There is no YAML here: use json, tomllib or configparser; or call a tool that reads it."
MODELS = "There are no packages for models here: use dataclasses, TypedDict or plain dicts. Arguments are checked against each tool's schema."
DATES = "Use datetime, zoneinfo, calendar and time."
LLM = "There is no network here, so no model can be asked: call one of the granted tools; tools.search(\"words\") finds them."
HTML = "Use html.parser.HTMLParser, re, or xml.etree.ElementTree; tools.search(\"fetch page\") finds tools that read pages."
TOOLS = "The tools are here already: call `await tools.<server>.<tool>(...)`; tools.search(\"words\") finds them."
SHOW = "Write with print(...): the output is text."
FILES = "There are no packages for such files here: tools.search(\"words\") finds tools that read or write them, if there are any."
DATABASES = "There are no databases here: call a granted tool that asks one; tools.search(\"query database\") finds it."
PACKAGES = "Nothing can be installed here: use Python's standard library and the granted tools."
NATIVE = "Native code can't be loaded here: use Python itself; struct and array hold binary data."
SCREEN = "There is no screen here: show values with print(...)."
CRYPTO = "Use hashlib, hmac and secrets."
LOOPS = "asyncio is the event loop here, and may be entered again: `await`, asyncio.gather and asyncio.run work as they are."
SYSTEM = "There is no operating system to ask here: a script has its own data and the granted tools."
RETRIES = "Use a loop with `try` and `except`, and asyncio.sleep between the tries."
TYPES = "Use typing."
TEMPLATES = "Use string.Template, or f-strings."
CACHES = "Use functools.cache, or functools.lru_cache."
JSON = "Use json."
PACKING = "Use zlib, gzip, bz2, lzma or compression.zstd; zipfile and tarfile read and write archives."
SEARCH = "Use difflib, re and sorted."
TESTS = "Use unittest or assert."

# Modules that people install, by what to use instead.
INSTALLED = {
    TABLES: "pandas polars pyarrow dask duckdb tabulate xarray vaex modin datatable",
    NUMBERS: "numpy scipy sympy sklearn statsmodels torch tensorflow jax numba networkx xgboost lightgbm cupy keras transformers",
    PLOTS: "matplotlib seaborn plotly bokeh altair pylab PIL cv2 skimage imageio wordcloud graphviz pyplot",
    NETWORK: (
        "requests httpx aiohttp urllib3 httplib2 websockets websocket grpc paramiko boto3 botocore google googleapiclient azure kubernetes "
        "docker github gitlab slack_sdk discord telegram tweepy notion_client stripe twilio flask fastapi django starlette uvicorn tornado "
        "selenium playwright scrapy requests_html feedparser pycurl zmq"
    ),
    HTML: "bs4 lxml html5lib parsel readability trafilatura markdownify html2text soupsieve",
    ENVIRONMENT: "dotenv decouple environs dynaconf pydantic_settings",
    YAML: "yaml ruamel ruyaml oyaml toml tomli",
    MODELS: "pydantic attr attrs marshmallow cattrs jsonschema msgspec typeguard beartype",
    DATES: "dateutil pytz arrow pendulum tzlocal dateparser maya tzdata",
    LLM: "openai anthropic cohere mistralai litellm langchain langchain_core llama_index tiktoken huggingface_hub ollama genai instructor",
    TOOLS: "fastmcp mcp_client composio",
    SHOW: "rich tqdm colorama termcolor click typer tabulate2 prettytable IPython ipywidgets loguru structlog emoji",
    FILES: "openpyxl xlsxwriter xlrd docx pptx PyPDF2 pypdf pdfplumber fitz reportlab markdown fpdf",
    DATABASES: "sqlalchemy psycopg2 psycopg asyncpg pymysql MySQLdb pymongo redis peewee sqlmodel cassandra elasticsearch motor aiosqlite",
    PACKAGES: "pip setuptools pkg_resources wheel poetry",
    CRYPTO: "cryptography nacl bcrypt jwt passlib Crypto",
    LOOPS: "nest_asyncio uvloop trio anyio curio gevent eventlet aiolimiter",
    PROCESSES: "joblib ray celery psutil sh pexpect multiprocess pathos",
    SEARCH: "fuzzywuzzy rapidfuzz Levenshtein thefuzz nltk spacy textblob regex",
    TESTS: "pytest nose hypothesis mock",
    NATIVE: "cffi Cython pybind11",
    RETRIES: "tenacity backoff retrying",
    TYPES: "typing_extensions mypy_extensions",
    TEMPLATES: "jinja2 mako chevron",
    CACHES: "cachetools diskcache",
    JSON: "simplejson orjson ujson rapidjson",
    PACKING: "zstandard zstd lz4 brotli snappy",
    SYSTEM: "aiofiles watchdog appdirs platformdirs filelock",
}

# Those of them that have packages of pure Python, by the names of the packages where these are others. The operator can add them.
PURE = (
    "networkx tabulate html5lib markdownify html2text soupsieve toml tomli pytz arrow openpyxl xlsxwriter xlrd pypdf markdown "
    "typing_extensions mypy_extensions tenacity backoff retrying chevron cachetools prettytable emoji simplejson termcolor"
)
PURE_BY_OTHER_NAMES = {
    "bs4": "beautifulsoup4", "dateutil": "python-dateutil", "attr": "attrs", "attrs": "attrs", "ruamel": "ruamel.yaml",
}

# What is said of those.
ADD = " If it is needed, the operator can add it: `ampoule python add {}`."

# Modules of Python's own library that can't work here, by what to use instead.
REFUSED = {
    PROCESSES: "multiprocessing pty",
    NETWORK: "ssl _ssl http.server xmlrpc.server telnetlib nntplib",
    NATIVE: "ctypes _ctypes mmap",
    SCREEN: "tkinter turtle curses idlelib turtledemo _tkinter",
    NOBODY: "readline termios tty",
    PACKAGES: "ensurepip venv",
    SYSTEM: "fcntl resource syslog pwd grp winreg msvcrt posixshmem",
}


# What to say of a skill that is not there.
SKILLS = "No skill of that name is saved: `await skills.list()` gives those that are. To call that, import nothing."

# The names of the program's own modules.
own_names = set()


def by_name(table):
    return {name: advice for advice, names in table.items() for name in names.split()}


INSTALLED = by_name(INSTALLED)
REFUSED = by_name(REFUSED)
PURE = {name: name for name in PURE.split()} | PURE_BY_OTHER_NAMES


def error(name, advice):
    if advice is NETWORK:
        # It needs tools, whose errors need what is said here.
        from . import outbound

        if outbound.tool() is not None:
            advice = outbound.INSTEAD
    return ModuleNotFoundError(f"There is no module `{name}` here. {advice}", name=name)


def advice_for(name):
    """What to say of a module that nobody knows."""
    if name in sys.stdlib_module_names:
        return "It is a part of Python's standard library that this guest does not have."
    known = [*own_names, "servers", "mcp", *(known for known in sys.stdlib_module_names if known[:1] != "_")]
    near = get_close_matches(name, known, 3, 0.75)
    guess = f"Did you mean {', '.join(f'`{one}`' for one in near)}? " if near else ""
    return (
        f"{guess}Python's standard library, the program's own modules and the granted tools can be used; a script can install nothing. "
        "The operator adds packages of pure Python: `ampoule python add NAME`."
    )


def server_advice(name):
    """What to say of a module that is a server."""
    try:
        server = _ampoule.server_name(name)
    except _ampoule.UnknownName:
        return None
    return f"`{server}` is a server: leave the import out, and call `await {name}.<tool>(...)`."


def installed_advice(name):
    """What to say of a module that people install; a package of pure Python can be added."""
    advice = INSTALLED.get(name)
    return advice + ADD.format(PURE[name]) if advice and name in PURE else advice


def is_question(frame):
    """Whether somebody asks whether a module exists, and does not import it."""
    return frame.f_code.co_name == "find_spec"


class Refused:
    """Comes before Python's own finders, for modules that could be found and would fail."""

    def find_spec(self, name, path=None, target=None):
        advice = REFUSED.get(name)
        if advice is None or is_question(sys._getframe(2)):
            return None
        raise error(name, advice)


class Missing:
    """Comes after all other finders."""

    def find_spec(self, name, path=None, target=None):
        if name[:1] == "_" or is_question(sys._getframe(2)):
            return None
        top, _, rest = name.partition(".")
        if top == "skills" and server_advice(top):
            raise error(name, SKILLS)
        if rest and top in sys.modules:
            if top == "mcp":
                raise error(name, TOOLS)
            return None
        raise error(name, server_advice(top) or installed_advice(top) or advice_for(name))


def install():
    """Puts the finders in place, before the snapshot."""
    for name in REFUSED:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Refused())
    sys.meta_path.append(Missing())
