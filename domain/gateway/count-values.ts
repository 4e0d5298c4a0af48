const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT] = ['"', '\\', ',', '[', '{'].map((sign) => sign.charCodeAt(0));

/** Number of commas and opening brackets of a JSON text, outside of its texts: about the number of its values. */
export function countValues(json: Uint8Array): number {
  let values = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) isInText = !isInText;
    else if (isInText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA || byte === LIST || byte === OBJECT) values += 1;
  }
  return values;
}
