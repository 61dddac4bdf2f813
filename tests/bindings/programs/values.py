return {'n': 1, 'x': 1.5, 'text': 'grüße ✓ 🎈', 'nothing': None, 'list': [1, [2, []]], 'yes': True, 'large': 9007199254740991, '': 'empty'}
