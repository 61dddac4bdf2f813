import logging, io, sys, json, warnings

stream = io.StringIO()
handler = logging.StreamHandler(stream); handler.setFormatter(logging.Formatter("{levelname:<8}|{name}|{funcName}|{message}", style="{"))
log = logging.getLogger("app.db"); log.setLevel("DEBUG"); log.addHandler(handler); log.propagate = False
def work():
    log.debug("rows=%d in %.2fs", 5, 0.123); log.info("dict %(a)s", {"a": 1}); log.warning("100%"); log.error("bad %s", [1])
    try: 1 / 0
    except ZeroDivisionError: log.exception("failed")
    log.log(25, "custom"); logging.addLevelName(25, "NOTICE"); log.log(25, "named", stack_info=False)
work(); lines = stream.getvalue().splitlines(); print(*[l for l in lines if not l.startswith((" ", "Traceback"))], sep="\n"); print(sum(l.startswith("Traceback") for l in lines))
class JsonFormatter(logging.Formatter):
    def format(self, r): return json.dumps({"level": r.levelname, "msg": r.getMessage(), "line": r.lineno > 0, **getattr(r, "extra", {}), "user": getattr(r, "user", None)})
class Redact(logging.Filter):
    def filter(self, record): record.msg = str(record.msg).replace("secret", "***"); return "drop" not in record.msg
out = memory = logging.StreamHandler(sys.stdout); out.setFormatter(JsonFormatter()); memory.addFilter(Redact())
other = logging.getLogger("other"); other.addHandler(memory); other.setLevel(logging.INFO); other.propagate = False
other.info("my secret", extra={"user": "ann"}); other.info("drop me"); other.debug("no"); other.error("flush %s", "now")
print(log.getEffectiveLevel(), logging.getLogger("app.db.child").getEffectiveLevel(), log.parent.name, log.isEnabledFor(5), logging.getLevelName(30), logging.getLevelName("INFO"), log, logging.getLogger("app.db") is log, logging.getLevelNamesMapping()["WARN"])
logging.basicConfig(stream=sys.stdout, level="INFO", format="%(levelname)s:%(name)s:%(message)s", force=True); logging.info("root"); logging.getLogger("x.y").warning("from %s", "child"); logging.debug("hidden"); 
adapter = logging.LoggerAdapter(logging.getLogger("ad"), {"id": 7}); adapter.process = lambda msg, kw: (f"[{adapter.extra['id']}] {msg}", kw); adapter.info("adapted")
logging.captureWarnings(True); warnings.warn("captured", UserWarning) if False else None; logging.captureWarnings(False); logging.disable(logging.WARNING); logging.warning("nothing"); logging.disable(0)
log.handlers[0].setFormatter(logging.Formatter("%(asctime)s", "%Y")); print(len(logging.Formatter("%(asctime)s").formatTime(logging.makeLogRecord({"created": 0, "msecs": 5.0}))), logging.Formatter(datefmt="%Y-%m-%d").formatTime(logging.makeLogRecord({"created": 86400}), "%Y-%m-%d"))
