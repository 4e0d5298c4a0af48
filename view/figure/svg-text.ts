import type { Drawing, Mark } from './mark.ts';
import { visible } from '../../domain/text/visible.ts';

const NAMED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text that is safe between tags and in attributes of HTML, SVG and XML, which has no U+FFFE and U+FFFF. */
export const escapeText = (text: string): string =>
  visible(text).replace(/[&<>"'\ufffe\uffff]/g, (character) => NAMED[character] ?? 'U+FFFF');

const NAME = /^[a-zA-Z][a-zA-Z0-9-]*$/;

/** The SVG of an element. Throws where a name is none. */
export function markText({ tag, attrs, children }: Mark): string {
  if (!NAME.test(tag)) throw new Error(`Expected the name of an element, got ${JSON.stringify(tag)}.`);
  const given = Object.entries(attrs).map(([key, value]) => {
    if (!NAME.test(key)) throw new Error(`Expected the name of an attribute, got ${JSON.stringify(key)}.`);
    return ` ${key}="${escapeText(String(value))}"`;
  });
  const inner = children.map((child) => (typeof child === 'string' ? escapeText(child) : markText(child))).join('');
  // With a closing tag even where it is empty: HTML knows no `<p/>`.
  return `<${tag}${given.join('')}>${inner}</${tag}>`;
}

/** A drawing inside a page: without its name space, and sized by its place. */
export const drawingElement = ({ width, height, title, marks }: Drawing): Mark => ({
  tag: 'svg',
  attrs: { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': title },
  children: marks,
});

/** A drawing as a file of its own: vectors and text, no script, no raster, no font that must be fetched. */
export function svgFile(drawing: Drawing): string {
  const element = drawingElement(drawing);
  const attrs = { xmlns: 'http://www.w3.org/2000/svg', ...element.attrs, 'font-family': FONT };
  const title: Mark = { tag: 'title', attrs: {}, children: [drawing.title] };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${markText({ ...element, attrs, children: [title, ...drawing.marks] })}\n`;
}

const FONT = 'system-ui, -apple-system, Segoe UI, Helvetica, Arial, DejaVu Sans, sans-serif';
