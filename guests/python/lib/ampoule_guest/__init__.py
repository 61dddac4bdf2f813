"""Prototype."""
import json, re, asyncio, datetime, collections, itertools, dataclasses, decimal, fractions, csv, string, textwrap, random, hashlib, base64, uuid, statistics, math, traceback, linecache, logging, typing, enum, contextlib, functools, time
import _ampoule
def run(name, source, modules, env):
    try:
        g = {"__name__": "__main__"}
        exec(compile(source, name, "exec"), g)
        return ("ok", json.dumps(g.get("result")))
    except BaseException as e:
        return ("thrown", type(e).__name__, str(e), None, "".join(traceback.format_exception(e)), [])
def warm():
    for _ in range(20):
        run("script.py", "import json\nx = 1 + 1\ndef f(a): return a\nresult = [f(i) for i in range(3)]", [], "")
        run("script.py", "raise ValueError(1)", [], "")
    import gc
    gc.collect()
    gc.freeze()
