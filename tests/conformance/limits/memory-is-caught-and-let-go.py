all = []
try:
    while True:
        all.append(bytearray(1_000_000))
except MemoryError:
    all = None
return 'on it goes'
