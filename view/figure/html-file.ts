import type { Cell } from './csv.ts';
import { mark, type Mark } from './mark.ts';
import { drawingElement, escapeText, markText } from './svg-text.ts';
import { momentText, type Section, type ExportedView } from './exported-view.ts';

const STYLE = `
:root{color-scheme:light}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:2rem 1.5rem 3rem;background:#fff;color:#1a1b1c;
font:400 15px/1.5 system-ui,-apple-system,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif;\
font-variant-numeric:tabular-nums}
h1{font-size:1.6rem;line-height:1.25;margin:0}
h2{font-size:1.05rem;margin:2rem 0 .5rem}
p{margin:.25rem 0}
.quiet,footer{color:#55595d;font-size:.85rem}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:.75rem 1.5rem;margin:1.25rem 0}
dt{color:#55595d;font-size:.8rem}
dd{margin:0;font-weight:600;font-size:1.05rem;overflow-wrap:anywhere}
figure{margin:1.25rem 0;break-inside:avoid}
svg{display:block;max-width:100%;height:auto}
.wide svg{max-width:none}
svg text{font-family:inherit}
.wide{overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:.82rem}
th{text-align:left;color:#55595d;font-weight:600;border-bottom:1px solid #b9b8b1;padding:.25rem .5rem;\
vertical-align:bottom}
td{border-bottom:1px solid #dddcd6;padding:.25rem .5rem;vertical-align:top;white-space:pre-line}
.long{overflow-wrap:anywhere;min-width:8rem}
.number{text-align:right;white-space:nowrap}
tr{break-inside:avoid}
thead{display:table-header-group}
footer{margin-top:2.5rem;border-top:1px solid #dddcd6;padding-top:.75rem}
@page{margin:15mm}
@media print{body{max-width:none;padding:0;font-size:10.5pt}.wide{overflow:visible}.wide svg{max-width:100%}}
`;

/**
 * Width in pixels above which a drawing keeps its size and scrolls sideways to stay readable. On paper it fits the
 * page.
 */
const PAGE_WIDTH = 1200;
const WIDE = { class: 'wide', tabindex: 0 };

/** Number of characters above which a cell's text may break anywhere. */
const LONG = 24;

/** Content security policy: no scripts and no external resources, whatever the texts contain. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** A view as one HTML file that opens without a network. It contains its styles and drawings, and no script. */
export function htmlFile(view: ExportedView): string {
  const { title, subtitle, facts, drawings, sections } = view;
  const at = momentText(view.at, view.zone);
  const body = [mark('h1', {}, title), mark('p', { class: 'quiet' }, `${subtitle} · as of ${at}`)];
  if (facts.length > 0) {
    const entries = facts.map(({ label, value }) => mark('div', {}, mark('dt', {}, label), mark('dd', {}, value)));
    body.push(mark('dl', {}, ...entries));
  }
  body.push(
    ...drawings.map((drawing) => mark('figure', drawing.width > PAGE_WIDTH ? WIDE : {}, drawingElement(drawing))),
    ...sections.flatMap(sectionMarks),
    mark('footer', {}, `Made by Perpetua, ${at}. This file stands alone: no script, no network.`),
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeText(title)}</title>`,
    `<style>${STYLE}</style></head><body><main>`,
    ...body.map(markText),
    '</main></body></html>',
    '',
  ].join('\n');
}

function sectionMarks({ title, note, table, numbers = [], empty = 'None.' }: Section): Mark[] {
  const head = [mark('h2', {}, title)];
  if (note !== undefined) head.push(mark('p', { class: 'quiet' }, note));
  if (table.rows.length === 0) return [...head, mark('p', {}, empty)];
  const side = (index: number) => (numbers.includes(index) ? { class: 'number' } : {});
  const names = table.columns.map((name, index) => mark('th', { scope: 'col', ...side(index) }, name));
  const rows = table.rows.map((row) =>
    mark(
      'tr',
      {},
      ...row.map((cell, index) => {
        const text = shownCell(cell);
        return mark('td', text.length > LONG ? { class: 'long' } : side(index), text);
      }),
    ),
  );
  const made = mark('table', {}, mark('thead', {}, mark('tr', {}, ...names)), mark('tbody', {}, ...rows));
  return [...head, mark('div', WIDE, made)];
}

/** The text of a cell; a dash for an empty one, so that no element is without content. */
function shownCell(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '–';
  return typeof cell === 'number' && !Number.isFinite(cell) ? '–' : String(cell);
}
