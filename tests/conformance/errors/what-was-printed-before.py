print('before')
raise Exception('after')
