import pandas as pd

bookings = pd.DataFrame({"room": ["a", "a", "b"], "from": pd.to_datetime(["2026-05-01", "2026-05-04", "2026-05-02"]), "to": pd.to_datetime(["2026-05-03", "2026-05-08", "2026-05-05"])})
bookings["nights"] = (bookings["to"] - bookings["from"]).dt.days
print(bookings)
days = bookings.apply(lambda r: pd.Series({"room": r["room"], "day": list(pd.date_range(r["from"], r["to"], inclusive="left"))}), axis=1).explode("day")
print(days.groupby("day")["room"].agg(["count", ", ".join]))
pairs = bookings.merge(bookings, how="cross", suffixes=("_a", "_b"))
overlap = pairs[(pairs["room_a"] < pairs["room_b"]) & (pairs["from_a"] < pairs["to_b"]) & (pairs["from_b"] < pairs["to_a"])]
print(overlap[["room_a", "from_a", "room_b", "from_b"]])
intervals = pd.IntervalIndex.from_arrays(bookings["from"], bookings["to"], closed="left")
print([bool(i.overlaps(pd.Interval(pd.Timestamp("2026-05-03"), pd.Timestamp("2026-05-04"), closed="left"))) for i in intervals])
print(intervals.contains(pd.Timestamp("2026-05-02")).tolist(), intervals.length.tolist())
bands = pd.DataFrame({"tax": [0.0, 0.2, 0.4]}, index=pd.IntervalIndex.from_breaks([0, 100, 1000, 10000]))
print([bands.loc[x, "tax"] for x in (50, 100, 101, 5000)])
