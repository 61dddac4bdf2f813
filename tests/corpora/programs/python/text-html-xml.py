import html, re
from html.parser import HTMLParser
import xml.etree.ElementTree as ET
from xml.dom import minidom
from xml.sax.saxutils import escape, quoteattr, unescape

print(html.escape('<a href="x">\'&</a>'), html.unescape("&lt;&amp;&eacute;&#8364;&#x1F600;&nbsp;&unknown;&copy &notit; &#0;"), escape("<&>", {"\n": "&#10;"}), quoteattr('say "hi"'), unescape("&lt;&amp;lt;"))
class Links(HTMLParser):
    def __init__(self): super().__init__(convert_charrefs=False); self.events, self.depth = [], 0
    def handle_starttag(self, tag, attrs): self.events.append((tag, dict(attrs), self.getpos())); self.depth += 1
    def handle_endtag(self, tag): self.events.append("/" + tag)
    def handle_data(self, data): data.strip() and self.events.append(data.strip())
    def handle_comment(self, data): self.events.append(("comment", data))
    def handle_entityref(self, name): self.events.append("&" + name)
    def handle_decl(self, d): self.events.append(d)
parser = Links(); parser.feed("<!DOCTYPE html><p class=a id='b' hidden>Hi &amp; <a href=\"/x?a=1&b=2\">there</a><!-- note --><br/><script>if (a < b) {}</script></p>\n<P DATA-X=1>unclosed"); parser.close()
for event in parser.events: print(event)
doc = """<?xml version="1.0"?><!-- c --><shop xmlns:x="urn:x" currency="EUR"><item id="1" x:tag="t"><name>Pen &amp; ink</name><price>1.50</price></item><item id="2"><name>Büch</name><price>12</price>tail</item><empty/></shop>"""
root = ET.fromstring(doc)
print(root.tag, root.attrib, [(i.get("id"), i.findtext("name"), float(i.find("price").text)) for i in root.iter("item")], root.find("item[@id='2']/name").text, root.findall(".//price")[1].tail, root[0].attrib, len(root), root.find("nope"))
new = ET.SubElement(root, "item", id="3"); ET.SubElement(new, "name").text = "<x>"; root.remove(root.find("empty")); ET.indent(root, "  ")
print(ET.tostring(root, encoding="unicode")); print(ET.tostring(new, xml_declaration=True, encoding="us-ascii", short_empty_elements=False))
for bad in ("<a><b></a>", "<a>", "", "<a b=c/>", "<a>&undefined;</a>", "<a/><b/>", "<a b='1' b='2'/>"):
    try: ET.fromstring(bad)
    except ET.ParseError as error: print(error, error.position)
print([(e, el.tag) for e, el in ET.iterparse(__import__("io").BytesIO(b"<r><a/><b>t</b></r>"), events=("start", "end"))], ET.canonicalize("<a  z='1' b='2'/>"), "".join(root.itertext()).split())
dom = minidom.parseString("<a><b c='1'>t</b><b/></a>"); print(dom.documentElement.getElementsByTagName("b")[0].getAttribute("c"), dom.toprettyxml(indent=" "), dom.firstChild.childNodes.length)
