import { expect, test } from 'vitest';
import { widthOf } from '../../../../cli/render/text/text.ts';
import { wrap, wrapTo } from '../../../../cli/render/text/wrap.ts';

test('a text that fits stays as it is', () => {
  expect(wrap('1.5 bits  toy/4 · gain +0.7', 40)).toEqual(['1.5 bits  toy/4 · gain +0.7']);
});

test('a longer one breaks between its parts, and a part that is too long between its words', () => {
  expect(wrap('one two · three four · five', 20)).toEqual(['one two · three four', 'five']);
  expect(wrap('one two · three four five six', 12)).toEqual(['one two', 'three four', 'five six']);
});

test('in fewer lines than it takes, the last one is cut', () => {
  expect(wrapTo('one two three four', { width: 9, lines: 3 })).toEqual(['one two', 'three', 'four']);
  expect(wrapTo('one two three four', { width: 9, lines: 2 })).toEqual(['one two', 'three fo…']);
});

test('no line is wider, whatever a word holds', () => {
  for (const width of [1, 2, 5, 9])
    for (const line of wrap('日本語日本語 · abcdefghijkl mn', width)) expect(widthOf(line)).toBeLessThanOrEqual(width);
});
