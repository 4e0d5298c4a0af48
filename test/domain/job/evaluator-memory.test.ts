import { describe, expect, it } from 'vitest';
import { evaluatorMemoryMb } from '../../../domain/job/evaluator-memory.ts';

const GIB = 1024 ** 3;
const memory = (more: { limitBytes?: number; places?: number }): number =>
  evaluatorMemoryMb({ totalBytes: 100 * GIB, limitBytes: undefined, places: 1, ...more });

describe("an evaluator's memory", () => {
  it('is four fifths of the machine, divided by the evaluations at once', () => {
    expect(memory({})).toBe(80 * 1024);
    expect(memory({ places: 4 })).toBe(20 * 1024);
  });

  it('depends on the limit of the container if there is one', () => {
    expect(memory({ limitBytes: 10 * GIB })).toBe(8 * 1024);
    // Node reports 0 or a huge number without a limit.
    expect(memory({ limitBytes: 0 })).toBe(80 * 1024);
    expect(memory({ limitBytes: 2 ** 64 })).toBe(80 * 1024);
  });

  it('suffices for Python on a machine of many slots, and is never more than four fifths of the machine', () => {
    expect(memory({ places: 128 })).toBe(2048);
    expect(memory({ limitBytes: GIB, places: 8 })).toBe(Math.floor(1024 * 0.8));
  });
});
