import { describe, expect, it } from 'vitest';
import { clean, oneLine } from '../../../domain/text/clean.ts';

describe('foreign text', () => {
  it('loses every escape sequence and control character before it reaches a terminal', () => {
    expect(clean('a\x1b[31mred\x1b[0m\x1b]0;title\x07b\x00c\x9bd\u202ee')).toBe('aredbcde');
    expect(clean('one\r\ntwo\rthree\tfour')).toBe('one\ntwo\nthree\tfour');
  });

  it('becomes one line where one line is wanted', () => {
    expect(oneLine('  LR 0.1 →\n\n 0.05\t(half) ')).toBe('LR 0.1 → 0.05 (half)');
  });
});
