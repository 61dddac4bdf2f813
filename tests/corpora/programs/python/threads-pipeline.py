"""A pipeline of stages with unbounded queues."""
import queue, threading, string

class Stage(threading.Thread):
    def __init__(self, function, source, target):
        super().__init__(name=function.__name__)
        self.function, self.source, self.target = function, source, target
    def run(self):
        for item in iter(self.source.get, None):
            for result in self.function(item):
                self.target.put(result)
        self.target.put(None)

def split(line): yield from line.split()
def clean(word):
    word = word.strip(string.punctuation).lower()
    if word: yield word
def tag(word): yield word, len(word)

queues = [queue.SimpleQueue() for _ in range(4)]
stages = [Stage(f, a, b) for f, a, b in zip((split, clean, tag), queues, queues[1:])]
for line in ("The quick, brown -- fox!", "It's (very) quick.", "THE END"):
    queues[0].put(line)
queues[0].put(None)
for stage in stages:
    stage.start()
for stage in stages:
    stage.join(timeout=5)
    print(stage.name, stage.is_alive())
out = list(iter(queues[-1].get, None))
print(out)
longest = max(out, key=lambda pair: pair[1])
print(longest, len({w for w, _ in out}), queues[-1].empty(), queues[0].qsize())
