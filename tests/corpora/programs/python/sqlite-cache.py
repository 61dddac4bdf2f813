"""A cache with expiry and an LRU limit in SQLite, as a mapping."""
import sqlite3, pickle, json
from collections.abc import MutableMapping

class Cache(MutableMapping):
    def __init__(self, path=":memory:", limit=3, clock=iter(range(1000)).__next__):
        self.db, self.limit, self.clock = sqlite3.connect(path), limit, clock
        self.db.executescript("""
            CREATE TABLE IF NOT EXISTS cache(key TEXT PRIMARY KEY, value BLOB, used INT, expires INT);
            CREATE TRIGGER IF NOT EXISTS trim AFTER INSERT ON cache WHEN (SELECT count(*) FROM cache) > %d
            BEGIN DELETE FROM cache WHERE key = (SELECT key FROM cache ORDER BY used LIMIT 1); END;""" % limit)
    def __setitem__(self, key, value): self.put(key, value)
    def put(self, key, value, ttl=None):
        now = self.clock()
        self.db.execute("INSERT INTO cache VALUES (?, ?, ?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value, used = excluded.used",
                        (key, pickle.dumps(value), now, None if ttl is None else now + ttl))
    def __getitem__(self, key):
        now = self.clock()
        row = self.db.execute("UPDATE cache SET used = ? WHERE key = ? AND (expires IS NULL OR expires > ?) RETURNING value", (now, key, now)).fetchone()
        if row is None: raise KeyError(key)
        return pickle.loads(row[0])
    def __delitem__(self, key):
        if not self.db.execute("DELETE FROM cache WHERE key = ?", (key,)).rowcount: raise KeyError(key)
    def __iter__(self): return (k for (k,) in self.db.execute("SELECT key FROM cache ORDER BY used"))
    def __len__(self): return self.db.execute("SELECT count(*) FROM cache").fetchone()[0]

cache = Cache()
cache["a"] = {"x": (1, 2)}; cache["b"] = [None, 2.5, b"\0"]; cache["c"] = "text"
print(list(cache), cache["a"], len(cache)); cache["d"] = {1, 2}
print(list(cache), "b" in cache, cache.get("b", "gone"), cache.setdefault("a", 0))
cache.put("t", "soon gone", ttl=2); print(cache["t"], "t" in cache, "t" in cache, sorted(cache))
print(cache.pop("d"), cache.pop("d", None), {key: cache.get(key, "expired") for key in cache})
try: del cache["nope"]
except KeyError as error: print("KeyError", error)
for key in list(cache): del cache[key]
print(len(cache), bool(cache), cache == {}); cache.update(z=1, y=2); print({**cache})
