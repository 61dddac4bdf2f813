import builtins
before = 'undefined' if not hasattr(builtins, 'left') else 'left'
builtins.left = 1
return [before, False]
