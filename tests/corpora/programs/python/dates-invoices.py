"""Due dates, late fees and ageing buckets of invoices."""
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta

@dataclass(frozen=True, order=True)
class Invoice:
    due: date
    number: str
    amount: float

    def days_late(self, today: date) -> int:
        return max(0, (today - self.due).days)

TODAY = date(2024, 3, 1)
issued = [("A-1", date(2024, 1, 31), 30, 1200.5), ("A-2", date(2023, 12, 15), 60, 99.99),
          ("A-3", date(2024, 2, 29), 14, 10_000), ("A-4", date(2023, 2, 28), 366, 45.1)]
invoices = sorted(Invoice(day + timedelta(days=terms), number, amount) for number, day, terms, amount in issued)
buckets = defaultdict(list)
for invoice in invoices:
    late = invoice.days_late(TODAY)
    bucket = "current" if late == 0 else "1-30" if late <= 30 else "31+"
    buckets[bucket].append(invoice.number)
    fee = invoice.amount * 0.015 * late / 30
    print(f"{invoice.number:<5}{invoice.due:%d %b %Y} ({invoice.due:%a}) late={late:>3} fee={fee:10,.2f}")
for name in ("current", "1-30", "31+"):
    print(f"{name:>8}: {', '.join(buckets[name]) or '-'}")
print(invoices[0])
print(max(invoices).due.isocalendar(), invoices[0].due.timetuple().tm_yday)
