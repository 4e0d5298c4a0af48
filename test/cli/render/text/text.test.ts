import { describe, expect, it } from 'vitest';
import { truncateMiddle, columns, truncate, widthOf } from '../../../../cli/render/text/text.ts';
import { sanitize } from '../../../../domain/text/sanitize.ts';

describe('width', () => {
  it('counts wide characters twice and combining marks not at all', () => {
    expect(widthOf('abc')).toBe(3);
    expect(widthOf('日本')).toBe(4);
    expect(widthOf('é')).toBe(1);
    expect(widthOf('🚀')).toBe(2);
  });

  it('is never exceeded by a cut text', () => {
    expect(truncate('hello world', 6)).toBe('hello…');
    expect(truncate('hello', 5)).toBe('hello');
    expect(truncate('日本語', 4)).toBe('日…');
    expect(truncate('x', 0)).toBe('');
  });

  it('is never exceeded by a text that is cut in the middle', () => {
    expect(truncateMiddle('hello', 5)).toBe('hello');
    expect(truncateMiddle('Error: abcdefghij is bad', 11)).toBe('Erro…is bad');
    for (const width of [0, 1, 2, 3, 4, 7])
      expect(widthOf(truncateMiddle('日本語日本語日本語', width))).toBeLessThanOrEqual(width);
  });

  it('counts characters beyond the basic plane; sanitize() removes invisible ones', () => {
    expect(widthOf('\u{20000}')).toBe(2);
    expect(sanitize('\u2764\ufe0fa\u{1f469}\u200d\u{1f680}b\u00adc\ud800')).toBe('\u2764a\u{1f469}\u{1f680}bc');
  });

  it('cuts a cell to the limit of its column, so that the columns stay in line', () => {
    expect(
      columns(
        [
          ['a', 'metric-out-of-bounds', 'x'],
          ['b', '日本語日本語', 'y'],
        ],
        [4, 8],
      ),
    ).toEqual(['a  metric-…  x', 'b  日本語…   y']);
  });

  it('lines columns up', () => {
    expect(
      columns([
        ['a', '日', 'x'],
        ['bbb', 'c', 'y'],
      ]),
    ).toEqual(['a    日  x', 'bbb  c   y']);
  });
});
