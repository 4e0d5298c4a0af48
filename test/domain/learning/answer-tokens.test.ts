import { describe, expect, it } from 'vitest';
import { findAnswerTokens } from '../../../domain/learning/answer-tokens.ts';
import type { Knob } from '../../../domain/knob/knob.ts';

const file = 'knobs.mjs';
const lr: Knob = { file, name: 'lr', type: 'float', range: [1e-4, 10], scale: 'log' };
const momentum: Knob = { file, name: 'momentum', type: 'float', range: [0, 1], scale: 'linear' };
const files = { [file]: 'export const lr = 1e-2;\nexport const momentum = 0;\n' };
const prompt = { form: 'text', text: 'Choose.\n\nlr =', start: 'lr =' } as const;

/** The tokens that decide an answer of these tokens; an empty token stands for the end of the completion. */
function deciding(tokens: readonly string[], knobs: readonly Knob[] = [lr]): string[] {
  const offsets = tokens.map((_, index) => Array.from(tokens.slice(0, index).join('')).length);
  const found = findAnswerTokens({ text: tokens.join(''), offsets }, { prompt, knobs, files });
  return tokens.slice(0, found?.answer);
}

describe('the tokens that decide an answer', () => {
  it.each([
    [
      [' ', '0', '.', '2', '\n', 'and', ' more'],
      [' ', '0', '.', '2', '\n'],
    ],
    [
      [' ', '0', '.', '2', '\n\n', 'lr', ' =', ' ', '1'],
      [' ', '0', '.', '2', '\n\n'],
    ],
    [
      [' 0.', '2\n', 'and'],
      [' 0.', '2\n'],
    ],
    [
      [' 0.2', ', é', ' so'],
      [' 0.2', ', é'],
    ],
    [
      [' 0.2', ''],
      [' 0.2', ''],
    ],
    [
      [' 0', '.2'],
      [' 0', '.2'],
    ],
  ])('of %j are those up to the value, with the token that ends it', (tokens, expected) => {
    expect(deciding(tokens)).toEqual(expected);
  });

  it('are those of the value, and the one that ends it if it is a token of its own', () => {
    const countsOf = (text: string, offsets: number[]) =>
      findAnswerTokens({ text, offsets }, { prompt, knobs: [lr], files });
    expect(countsOf(' 0.2\nand', [0, 1, 2, 3, 4, 5])).toEqual({ value: 4, answer: 5 });
    expect(countsOf(' 0.2\nand', [0, 3, 5])).toEqual({ value: 2, answer: 2 });
    expect(countsOf(' 0.2', [0, 1, 2, 3, 4])).toEqual({ value: 4, answer: 5 });
    expect(countsOf(' 0.2', [0, 1, 2, 3])).toEqual({ value: 4, answer: 4 });
  });

  it('reach to the last of two knobs', () => {
    const answer = [' 0.2', '\n', 'momentum', ' =', ' 0.9', '\n'];
    expect(deciding([...answer, 'lr', ' = 1'], [lr, momentum])).toEqual(answer);
  });

  it('are all tokens of an answer that cannot be read', () => {
    for (const tokens of [
      [' fast', '\n', 'x'],
      [' 50', '\n', 'x'],
    ])
      expect(deciding(tokens)).toEqual(tokens);
    expect(deciding([' 0.2', '\n', 'x'], [lr, momentum])).toHaveLength(3);
  });

  it('are counted in characters of Unicode, as the server counts them', () => {
    const tokens = ['😀', ' lr', ' = ', '0.2', '\n', 'x'];
    expect(deciding(tokens)).toEqual(tokens.slice(0, 5));
  });

  it('are unknown without the positions of the tokens', () => {
    expect(findAnswerTokens({ text: ' 0.2', offsets: null }, { prompt, knobs: [lr], files })).toBeNull();
  });
});
