import threading
from collections import ChainMap, deque
from contextlib import contextmanager
from decimal import Decimal
from types import MappingProxyType

class InsufficientFunds(Exception):
    def __init__(self, account, missing):
        super().__init__(f"{account.name} lacks {missing}")
        self.missing = missing

class Account:
    __slots__ = ("name", "_balance", "history", "_lock")
    def __init__(self, name, balance=0):
        self.name, self._balance, self.history, self._lock = name, Decimal(balance), deque(maxlen=3), threading.RLock()
    @property
    def balance(self): return self._balance
    def post(self, amount):
        with self._lock:
            if self._balance + amount < 0:
                raise InsufficientFunds(self, -(self._balance + amount))
            self._balance += amount
            self.history.append(amount)
    def __repr__(self): return f"<{type(self).__name__} {self.name} {self.balance:,.2f}>"

@contextmanager
def transaction(*accounts):
    saved = [(a, a._balance, a.history.copy()) for a in accounts]
    try:
        yield
    except InsufficientFunds as error:
        for account, balance, history in saved:
            account._balance, account.history = balance, history
        error.add_note("rolled back")
        raise

a, b = Account("ann", "100.10"), Account("bob")
for amount in ("50.05", "25", "30"):
    try:
        with transaction(a, b):
            b.post(Decimal(amount))
            a.post(-Decimal(amount))
        print("moved", amount, a, b)
    except InsufficientFunds as error:
        print("refused", error, error.missing, error.__notes__, a, b)
print(a.history, list(b.history))
for attempt in ("a.balance = 5", "a.extra = 1"):
    try:
        exec(attempt)
    except AttributeError as error:
        print(error)
rates = ChainMap({"USD": Decimal("1.08")}, {"USD": Decimal(1), "EUR": Decimal(1)})
print(rates["USD"], rates["EUR"], rates.parents["USD"], len(rates), MappingProxyType(dict(rates)))
