return { n: 1, x: 1.5, text: 'grüße ✓ 🎈', nothing: null, list: [1, [2, []]], yes: true, large: 9007199254740991, '': 'empty' };
