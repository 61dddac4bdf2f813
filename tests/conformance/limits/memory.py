all = []
while True:
    all.append('x' * 1000 + str(len(all)))
