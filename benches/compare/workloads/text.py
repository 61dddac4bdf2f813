import re

answer = host.text()
text = answer["text"]
counts = {}
words = text.split()
for word in words:
    counts[word] = counts.get(word, 0) + 1
common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:5]
orders = len(re.findall(r"order-\d+", text))
lines = "\n".join([f"{word}: {count}" for word, count in common])
result = {"words": len(words), "orders": orders, "common": lines}
result
