import sys
print('one')
print('two', file=sys.stderr)
print('drei ✓')
return 3
