def check():
    raise LookupError('on purpose ✓')

check()
