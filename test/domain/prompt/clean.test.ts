import { describe, expect, it } from 'vitest';
import { cut, oneLine, stripControls } from '../../../domain/prompt/clean.ts';
import { fenced } from '../../../domain/prompt/fenced.ts';

describe('stripControls', () => {
  it.each([
    ['plain\n\ttext \u00e4\u{1f600}', 'plain\n\ttext \u00e4\u{1f600}'],
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007after', 'after'],
    ['\u001b]8;;http://x\u001b\\link', 'link'],
    ['a\u0000b\u0008c\u007fd\u009be', 'abcde'],
    ['10%\r20%\r30%\nnext', '30%\nnext'],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['left\u202eright\u2066x\u200by\ufeff', 'leftrightxy'],
    ['half \ud83d pair', 'half \ufffd pair'],
  ])('cleans %j', (text, clean) => {
    expect(stripControls(text)).toBe(clean);
  });
});

describe('cut', () => {
  it('never gives more than asked for, and says what is missing', () => {
    const text = 'abc\u{1f600}'.repeat(500);
    for (let max = 0; max < 300; max += 1)
      for (const keep of ['head', 'tail'] as const) {
        const part = cut(text, max, keep);
        expect(part.length).toBeLessThanOrEqual(max);
        expect(/\p{Surrogate}/u.test(part)).toBe(false);
      }
    expect(cut(text, 100, 'head')).toMatch(/^abc.*\[… 2400 or more characters cut …\]$/u);
    expect(cut(text, 100, 'tail')).toMatch(/^\[… 2400 or more characters cut …\].*\u{1f600}$/u);
    expect(cut('short', 100, 'head')).toBe('short');
  });
});

it('oneLine is one line', () => {
  expect(oneLine(' a\n\n b\tc\u2028d ', 100)).toBe('a b c d');
});

it('fenced text cannot leave its fence', () => {
  expect(fenced('a')).toBe('```\na\n```');
  expect(fenced('a\n', 'log')).toBe('```log\na\n```');
  expect(fenced('')).toBe('```\n```');
  expect(fenced('``` ````` ````')).toBe('``````\n``` ````` ````\n``````');
  expect(fenced('```\n'.repeat(200_000)).startsWith('````\n')).toBe(true);
});
