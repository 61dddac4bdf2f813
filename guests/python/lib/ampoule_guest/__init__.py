"""The Python guest above the interpreter: what a script finds when it runs, and what becomes of it.

`run` runs one script, in steps; native code calls it, once in the life of this interpreter. Everything else happens before the snapshot.

- `source`, `fence`, `shape`: from a source as a model wrote it to code, and what its result is
- `scope`, `tools`, `calls`, `loop`: the granted tools, calls of them, and the event loop that waits for these
- `checks`: what is wrong with a script before anything of it runs
- `runners`, `running`: loops that scripts make, and which one runs; `works`, `threads`, `threading_objects`, `executors`: what has threads elsewhere
- `values`, `result`: from JSON to Python and back
- `modules`, `files`: what the program brings with it, the servers as packages; `bridge`: the module `mcp.runtime`
- `output`, `thrown`, `places`, `advice`: what the script writes, and the errors that it did not catch
- `absent`, `missing`: what is not here, and what to use instead; `outbound`: HTTP requests, where they are granted
- `lasting`: scripts of a session, each of which finds what the one before left
- `fresh`: what each run must have anew; `own`: what no script can replace; `forget`: for scripts that run before the snapshot
"""

from .install import install
from .lasting import begin, leave
from .run import run

install()
