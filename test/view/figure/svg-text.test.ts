import { expect, test } from 'vitest';
import { mark } from '../../../view/figure/mark.ts';
import { markText, svgFile } from '../../../view/figure/svg-text.ts';
import { HOSTILE } from '../../support/hostile-texts.ts';
import { elementsOf } from '../../support/well-formed.ts';

test.each(HOSTILE)('a hostile text stays a text, in the content and in an attribute: %j', (text) => {
  const file = svgFile({ width: 10, height: 10, title: text, marks: [mark('text', { x: 1, fill: text }, text)] });
  expect(elementsOf(file)).toEqual(['svg', 'title', 'text']);
  expect(file).not.toMatch(/[\u202a-\u202e]|<script|<img/);
});

test('a name that is none is refused', () => {
  expect(() => markText(mark('a b'))).toThrow('Expected the name of an element, got "a b".');
  expect(() => markText(mark('a', { 'on x': 1 }))).toThrow('Expected the name of an attribute, got "on x".');
});

test('attributes that are undefined are left out', () => {
  expect(markText(mark('path', { d: 'M0 0', stroke: undefined }))).toBe('<path d="M0 0"></path>');
});
