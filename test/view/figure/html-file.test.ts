import { expect, test } from 'vitest';
import { htmlFile } from '../../../view/figure/html-file.ts';
import { mark } from '../../../view/figure/mark.ts';
import { stemOf, type ExportedView } from '../../../view/figure/exported-view.ts';
import { HOSTILE } from '../../support/hostile-texts.ts';
import { parseXmlElements } from '../../support/parse-xml-elements.ts';

const viewWith = (text: string): ExportedView => ({
  stem: stemOf(text),
  title: text,
  subtitle: text,
  at: new Date('2026-11-27T18:04:00Z'),
  facts: [{ label: text, value: text }],
  drawings: [{ width: 10, height: 10, title: text, marks: [mark('text', {}, text)] }],
  sections: [
    {
      title: text,
      note: text,
      table: {
        columns: [text, 'n'],
        rows: [
          [text, 1.5],
          [null, null],
        ],
      },
      numbers: [1],
    },
    { title: 'Nothing', table: { columns: ['a'], rows: [] }, empty: text },
  ],
  data: { columns: [], rows: [] },
});

test.each(HOSTILE)('a hostile text stays a text in every place: %j', (text) => {
  const file = htmlFile(viewWith(text));
  const body = file.slice(file.indexOf('<main>'), file.indexOf('</main>') + '</main>'.length);
  expect(new Set(parseXmlElements(body))).toEqual(
    new Set([
      'main',
      'h1',
      'p',
      'dl',
      'div',
      'dt',
      'dd',
      'figure',
      'svg',
      'text',
      'h2',
      'table',
      'thead',
      'tr',
      'th',
      'tbody',
      'td',
      'footer',
    ]),
  );
  expect(file).not.toMatch(/<script|<img|<link|[\u202a-\u202e]/);
});

test('the file can neither load nor run anything', () => {
  const file = htmlFile(viewWith('a'));
  expect(file).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  expect(file).not.toMatch(/https?:|@import|url\(/);
});

test('an empty cell is a dash, and an empty table shows its text', () => {
  const file = htmlFile(viewWith('words'));
  expect(file).toContain('<td>–</td><td class="number">–</td>');
  expect(file).toContain('<p>words</p>');
});

test('times are in UTC', () => {
  expect(htmlFile(viewWith('a'))).toContain('as of 2026-11-27 18:04 UTC');
});

test.each([
  ['team/../../etc/passwd', 'team-..-..-etc-passwd'],
  ['..', 'perpetua'],
  ['ключ', 'perpetua'],
  ['demo 1', 'demo-1'],
])('the name of a file is safe: %s', (id, expected) => {
  expect(stemOf(id)).toBe(expected);
});
