kept = []
while True:
    kept.append([len(kept)] * 1000)
