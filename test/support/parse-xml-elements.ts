const TAG = /<(\/?)([a-zA-Z][a-zA-Z0-9-]*)((?:\s+[a-zA-Z][a-zA-Z0-9:-]*="[^"<]*")*)\s*>/y;
const TEXT = /[^<&]+|&(?:amp|lt|gt|quot|#39);/y;

/** Elements of an XML text by their names, in order. Throws where a parser of XML would. */
export function parseXmlElements(xml: string): string[] {
  const text = xml.replace(/^<\?xml [^>]*\?>\s*/, '').trim();
  const [open, seen]: [string[], string[]] = [[], []];
  for (let at = 0; at < text.length;) {
    TEXT.lastIndex = TAG.lastIndex = at;
    const found = TEXT.exec(text) ?? TAG.exec(text);
    if (!found) throw new Error(`not well formed at ${at}: ${text.slice(at, at + 80)}`);
    at += found[0].length;
    const [whole, close, name] = found;
    if (name === undefined) {
      if (/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u.test(whole))
        throw new Error('a character that XML has not');
      continue;
    }
    if (close === '/') {
      const last = open.pop();
      if (last !== name) throw new Error(`</${name}> closes <${last}>`);
    } else {
      open.push(name);
      seen.push(name);
    }
  }
  if (open.length > 0) throw new Error(`<${open.join('>, <')}> stay open`);
  return seen;
}
