// atob and btoa. Messages differ between versions of Node, so only names and codes are shown.
const show = (f) => {
  try {
    console.log(f());
  } catch (e) {
    console.log(e.name, e.code, e instanceof DOMException);
  }
};
for (const text of ["", "f", "fo", "foo", "hello", "\xff\xfe", "\0", 12, null, undefined, true, [1, 2]]) show(() => btoa(text));
for (const text of ["", "Zg==", "Zg", "Zm8=", "Zm8", "Zm9v", " Zm 9v\n", "////", "AA==", null]) show(() => JSON.stringify(atob(text)));
for (const text of ["a", "a===", "Zg=", "Zg===", "Z=g=", "=", "==", "!!!!", "Zm9v=", "é", "-_-_", "Zm9vZ"]) show(() => atob(text));
show(() => btoa("€"));
show(() => btoa("😀"));
show(() => atob(btoa("any bytes \x00\x7f\x80\xff")).length);
