import configparser, tomllib, io, shlex, argparse, os, sys

INI = """
[DEFAULT]
root = /srv
debug = no
[server]
host = example.com
port: 8080
path = %(root)s/www
tags =
    one
    two
[paths "x"]
; comment
key with space = v = 1 # not a comment
empty
"""
config = configparser.ConfigParser(allow_no_value=True); config.read_string(INI)
print(config.sections(), config["server"]["path"], config.getint("server", "port"), config.getboolean("server", "debug"), config["server"]["tags"].split(), dict(config['paths "x"']), config.get("server", "none", fallback="fb"), "host" in config["server"])
config["new"] = {"A": "1", "b": "50%%"}; config.set("server", "port", "9"); out = io.StringIO(); config.write(out); print(out.getvalue())
for bad in (lambda: config.get("nope", "x"), lambda: config["server"]["zzz"], lambda: config.read_string("a = 1"), lambda: config.read_string("[s]\n[s]"), lambda: config.getint("server", "host"), lambda: configparser.ConfigParser().read_string("[a]\nx=%(y)s") or 1, lambda: config.set("new", "x", "5%")):
    try: print(bad())
    except (configparser.Error, KeyError, ValueError) as error: print(type(error).__name__, str(error).replace("\n", "|"))
toml = tomllib.loads('title = "T"\n[a.b]\nd = 2024-02-29T10:00:00Z\nt = 07:32:00\nn = [1, 2.5, 0xff, 1_000, inf]\n"q k" = { x = true, y = """\nmulti""" }\n[[p]]\nn=1\n[[p]]\nn=2'); print(toml)
for bad in ("a = ", "a = 1\na = 2", "[x\n", "a = 'x", "x = 2024-13-01", "a.b = 1\na = 2"):
    try: tomllib.loads(bad)
    except tomllib.TOMLDecodeError as error: print(error)
parser = argparse.ArgumentParser(prog="tool", description="Does things.", epilog="That's all.", exit_on_error=False, color=False)
parser.add_argument("files", nargs="+", help="input files"); parser.add_argument("-n", "--count", type=int, default=1, metavar="N", help="how many (default: %(default)s)"); parser.add_argument("-v", action="count", default=0); parser.add_argument("--mode", choices=["fast", "slow"]); parser.add_argument("--no-color", dest="color", action="store_false"); group = parser.add_mutually_exclusive_group(); group.add_argument("--a", action="append"); group.add_argument("--b", action=argparse.BooleanOptionalAction)
print(parser.parse_args(shlex.split("x 'y z' -vv -n3 --a 1 --a 2 --no-color"))); print(parser.format_help())
for args in (["f", "-n", "x"], ["f", "--mode", "odd"], ["f", "--a", "1", "--b"], ["f", "--unknown"], []):
    try: print(parser.parse_args(args))
    except argparse.ArgumentError as error: print("ArgumentError", error)
    except SystemExit as stop: print("exit", stop.code)
print(shlex.split("a \"b c\" 'd\\e' f\\ g # h", comments=True), shlex.quote("it's"), shlex.join(["a b", "c"]), parser.parse_known_args(["f", "--zzz", "1"])[1])
