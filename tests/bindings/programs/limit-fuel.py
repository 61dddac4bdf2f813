print('before')
while True:
    pass
