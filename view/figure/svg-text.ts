import type { Drawing, Mark } from './mark.ts';
import { visible } from '../../domain/text/visible.ts';

const NAMED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for content and attributes of HTML, SVG and XML. XML forbids U+FFFE and U+FFFF. */
export const escapeText = (text: string): string =>
  visible(text).replace(/[&<>"'\ufffe\uffff]/g, (character) => NAMED[character] ?? 'U+FFFF');

const NAME = /^[a-zA-Z][a-zA-Z0-9-]*$/;

/** The markup of an element. Throws an Error for an invalid element or attribute name. */
export function markText({ tag, attrs, children }: Mark): string {
  if (!NAME.test(tag)) throw new Error(`Expected the name of an element, got ${JSON.stringify(tag)}.`);
  const given = Object.entries(attrs).map(([key, value]) => {
    if (!NAME.test(key)) throw new Error(`Expected the name of an attribute, got ${JSON.stringify(key)}.`);
    return ` ${key}="${escapeText(String(value))}"`;
  });
  const inner = children.map((child) => (typeof child === 'string' ? escapeText(child) : markText(child))).join('');
  // An empty element also gets a closing tag: HTML has no `<p/>`.
  return `<${tag}${given.join('')}>${inner}</${tag}>`;
}

/** A drawing as an `svg` element inside a page, without an XML namespace. */
export const drawingElement = ({ width, height, title, marks }: Drawing): Mark => ({
  tag: 'svg',
  attrs: { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': title },
  children: marks,
});

/** A drawing as an SVG file of vectors and text, without scripts, raster images or external fonts. */
export function svgFile(drawing: Drawing): string {
  const element = drawingElement(drawing);
  const attrs = { xmlns: 'http://www.w3.org/2000/svg', ...element.attrs, 'font-family': FONT };
  const title: Mark = { tag: 'title', attrs: {}, children: [drawing.title] };
  const svg = markText({ ...element, attrs, children: [title, ...drawing.marks] });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${svg}\n`;
}

const FONT = 'system-ui, -apple-system, Segoe UI, Helvetica, Arial, DejaVu Sans, sans-serif';
