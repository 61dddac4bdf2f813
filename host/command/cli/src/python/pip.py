# Runs pip, and refuses what it would start to build a package, or to fetch one from a repository: code of a package runs in an isolate alone.
import sys

# Modules in the folder that the user is in are not pip's, nor those that this imports.
if sys.path[:1] == [""]:
    sys.path.pop(0)

import os
import runpy

REFUSED = {"git", "hg", "svn", "bzr"}


def refuse(event, arguments):
    if event != "subprocess.Popen":
        return
    program = arguments[1][0] if isinstance(arguments[1], (list, tuple)) else arguments[1]
    for named in (arguments[0], program):
        if named is not None:
            name = os.path.basename(os.fsdecode(named)).split()[0].removesuffix(".exe")
            if os.fsdecode(named) == sys.executable or name.startswith("python") or name in REFUSED:
                raise PermissionError("a package would have to be built on this machine, or fetched from a repository")


sys.addaudithook(refuse)
sys.argv[0] = "pip"
runpy.run_module("pip", run_name="__main__", alter_sys=True)
