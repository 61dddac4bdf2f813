"""Built-in functions that a script can't replace.

Each module of this package begins with `from .own import __builtins__`: its functions then find `len` and the others in this
copy, and not where a script may have put something else.
"""

import builtins

__builtins__ = dict(builtins.__dict__)
