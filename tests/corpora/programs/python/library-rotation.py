"""Log files that are rotated, a buffer in memory, a queue, and a configuration as a dictionary."""
import glob, json, logging, logging.config, logging.handlers, queue, sys

rotating = logging.handlers.RotatingFileHandler("/tmp/rotated.log", maxBytes=30, backupCount=2)
log = logging.getLogger("rotated"); log.propagate = False; log.addHandler(rotating)
for n in range(6):
    log.error("message number %d", n)
print(sorted(glob.glob("/tmp/rotated.log*")), open("/tmp/rotated.log").read())
class Redact(logging.Filter):
    def filter(self, record):
        record.msg = str(record.msg).replace("secret", "***")
        return "drop" not in record.msg
out = logging.StreamHandler(sys.stdout); out.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
memory = logging.handlers.MemoryHandler(10, flushLevel=logging.ERROR, target=out); memory.addFilter(Redact())
other = logging.getLogger("other"); other.addHandler(memory); other.setLevel(logging.INFO); other.propagate = False
other.info("my secret"); other.info("drop me"); other.debug("no")
print("buffered", len(memory.buffer)); other.error("flush %s", "now")
records = queue.SimpleQueue(); handler = logging.handlers.QueueHandler(records)
queued = logging.getLogger("queued"); queued.addHandler(handler); queued.propagate = False; queued.warning("later %d", 5)
print(records.get().getMessage(), records.empty())
logging.config.dictConfig({"version": 1, "disable_existing_loggers": False, "formatters": {"f": {"format": "%(levelname)s:%(name)s:%(message)s"}},
    "handlers": {"h": {"class": "logging.StreamHandler", "formatter": "f", "stream": "ext://sys.stdout"}, "file": {"class": "logging.FileHandler", "filename": "/tmp/app.log", "formatter": "f", "mode": "w"}},
    "root": {"level": "INFO", "handlers": ["h", "file"]}})
logging.info("root"); logging.getLogger("x.y").warning("from %s", "child"); logging.debug("hidden")
print(open("/tmp/app.log").read().splitlines())
