import pandas as pd
df = pd.DataFrame({"name": ["Ann", "Bob"], "long text": ["x" * 60, "y"], "v": [1234567.891, 0.00001]})
print(df, df.to_string(index=False), df.to_html(index=False), df.to_markdown() if False else "", repr(df.v), df.style if False else "", df.to_latex() if False else "")
print(df.to_string(formatters={"v": "{:,.2f}".format}), pd.DataFrame({"a": range(100)}), pd.DataFrame(1, index=range(3), columns=range(30)), pd.Series(dtype=float), pd.DataFrame())
with pd.option_context("display.precision", 2, "display.max_rows", 5, "display.width", 40):
    print(pd.DataFrame({"a": [1 / 3] * 10, "b": [2 / 3] * 10}))
