import { resolve } from 'node:path';
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../bench/tasks/nano-lm/trial.ts';

const program = resolve('test/tasks/nano-lm/reply.mjs');
const ask = (kind: string, roundSeconds = 60) =>
  evaluate(tmpdir(), { answer: `node '${program}' '${kind}'`, roundSeconds });

const refused: [kind: string, reason: string][] = [
  ['nan', 'expected one line of JSON, got: {"probabilities":[[NaN,'],
  ['null', 'round 1, stream 0: expected a finite number at 0, got null'],
  ['huge', 'round 1, stream 0: expected a finite number at 0, got null'],
  ['negative', 'round 1, stream 0: expected no negative probability, got -0.5 at 0'],
  ['zeros', 'round 1, stream 0: expected a sum of 1 (within 0.001), got 0'],
  ['twos', 'round 1, stream 0: expected a sum of 1 (within 0.001), got 2'],
  ['too few numbers', 'round 1, stream 0: expected 24 probabilities, got 23'],
  ['too few rows', 'round 1: expected 160 rows of probabilities, got 159'],
  ['words', 'expected one line of JSON, got: I would rather not say'],
  ['text', 'round 1, stream 0: expected a finite number at 0, got "0.0416'],
  ['object', 'round 1: expected {"probabilities": [[…], …]}'],
  ['two lines', 'expected one line for each question, got more: {"probabilities"'],
  ['endless line', 'expected lines of at most 4194304 characters, got more'],
  ['end', 'expected an answer, got the end of the output'],
];

describe('the evaluator', () => {
  test.for(refused)('refuses an answer of kind %s with exit code 3 and the reason', async (row) => {
    const [kind, reason] = row;
    const { code, score, errors } = await ask(kind);
    expect(errors).toContain(reason);
    expect({ code, score }).toEqual({ code: 3, score: null });
  });

  test('refuses a candidate that stays silent, after the time of a round', async () => {
    const { code, errors } = await ask('silence', 0.5);
    expect(errors).toContain('expected an answer within 0.5 s, got none');
    expect(code).toBe(3);
  });

  test('charges even odds the bits of the alphabet', async () => {
    const { code, score } = await ask('even');
    expect(code).toBe(0);
    expect(score?.seen).toBeCloseTo(Math.log2(24), 6);
    // The only noise is the entropy of the drawn text.
    expect(Math.abs((score?.bpc ?? 0) - Math.log2(24))).toBeLessThan(0.05);
  });

  test('charges a bold zero at most thirty bits', async () => {
    const { code, score } = await ask('certain');
    expect(code).toBe(0);
    expect(score?.bpc).toBeGreaterThan(20);
    expect(score?.bpc).toBeLessThan(32);
  });
});
