import io
import warnings
import pandas as pd

bad = "a,b,c\n1,2,3\n4,5\n6,7,8,9\n\n10,11,12\n"
for how in ("error", "skip", "warn"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            print(how, pd.read_csv(io.StringIO(bad), on_bad_lines=how).values.tolist())
        except pd.errors.ParserError as error:
            print(how, error)
        print([str(w.message).strip() for w in caught])
print(pd.read_csv(io.StringIO(bad), on_bad_lines=lambda line: line[:3], engine="python"))
for text in ("", "a,b\n", "\n\n", 'a,b\n"1,2\n'):
    try:
        df = pd.read_csv(io.StringIO(text))
        print(repr(text), df.shape, df.columns.tolist())
    except Exception as error:
        print(repr(text), type(error).__name__, error)
print(pd.read_csv(io.StringIO("a;b\n1;2"), sep=",").columns.tolist(), pd.read_csv(io.StringIO("# x\n\na b\n1 2 # y\n"), comment="#", sep=" ", skip_blank_lines=True))
print(pd.read_csv(io.StringIO("1,x\n2,y"), header=None).add_prefix("c").columns.tolist())
print(pd.read_csv(io.BytesIO("n\u00e4me;w\u00e4rt\n\u00fc;1".encode("latin-1")), sep=";", encoding="latin-1"), pd.read_csv(io.BytesIO(b"\xef\xbb\xbfa\n1")).columns.tolist())
try:
    pd.read_csv(io.BytesIO(b"a\n\xff\n"))
except UnicodeDecodeError as error:
    print(error)
