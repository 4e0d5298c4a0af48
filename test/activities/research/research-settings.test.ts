import { describe, expect, it } from 'vitest';
import {
  gateConfigOf,
  readOverrides,
  recordOf,
  requireFit,
  requireSame,
} from '../../../activities/research/research-settings.ts';
import { TASK } from '../../cli/support/lineage.ts';

describe('overrides that a person sent', () => {
  it.each([
    [{ serach: { parent: 'best' } }, /^input: /],
    [{ search: 'best' }, /^input: search: expected /],
  ])('are refused with the key if they are no sections: %j', (raw, words) => {
    expect(() => readOverrides(raw)).toThrow(words);
  });

  it('are none if none were sent', () => expect(readOverrides(undefined)).toEqual({}));

  it('are refused for a new research if its task does not take them', () => {
    expect(requireFit(TASK, { search: { parent: 'best' } }).search.parent).toBe('best');
    expect(() => requireFit(TASK, { search: { parent: 'clairvoyant' } })).toThrow(/^input: search\.parent: expected/);
    const cache = { search: { cache: true } };
    expect(() => requireFit(TASK, cache, { seed: 'root' })).toThrow(
      /^input: search\.cache: expected false with --seed/,
    );
    expect(requireFit(TASK, cache).search.cache).toBe(true);
    expect(requireFit(TASK, cache, { seed: 'root', check: 'evaluation' }).search.cache).toBe(true);
  });

  it('of a research that goes on may be those that it has, or left out, and no others', () => {
    const has = { search: { parent: 'best', window: 3 } };
    requireSame('a', { asked: {}, has });
    requireSame('a', { asked: { search: { window: 3 } }, has });
    expect(() => requireSame('a', { asked: { search: { parent: 'lead' } }, has })).toThrow(
      'input: search.parent: expected "best", which research a has; got "lead"; ' +
        'leave it out, or start the research under another workflow id',
    );
    const audit = {
      asked: { abort: { audit: { share: 0.1, first: 10 } } },
      has: { abort: { audit: { first: 10, share: 0.1 } } },
    };
    requireSame('a', audit);
    expect(() => requireSame('a', { asked: { keep: { policy: 'strict' } }, has })).toThrow(
      'input: keep.policy: expected the task\'s value, which research a has; got "strict"',
    );
  });
});

describe("the gate's configuration", () => {
  const budget = (trials?: number) => ({ ...TASK.budget, trials });

  it('takes fewer baseline runs for a small budget, unless the task sets a number', () => {
    expect(gateConfigOf(TASK, budget(20))).toMatchObject({ baselineRuns: 5, baselineRunsIfTied: 10 });
    expect(gateConfigOf(TASK, budget())).toMatchObject({ baselineRuns: 10 });
    const own = { ...TASK, keep: { ...TASK.keep, baselineRuns: 7 } };
    expect(gateConfigOf(own, budget(20))).not.toHaveProperty('baselineRunsIfTied');
    expect(gateConfigOf(own, budget(20))).toMatchObject({ baselineRuns: 7 });
  });

  it('takes one baseline run for a check, and three for attacks', () => {
    expect(gateConfigOf(TASK, budget(20), true).baselineRuns).toBe(1);
    expect(gateConfigOf(TASK, budget(20), 'attack')).toMatchObject({ baselineRuns: 3 });
  });
});

describe('the record of a method', () => {
  const sha256 = (text: string): string => `hash of ${text.length}`;

  it('names the proposer that was chosen, and is the same for the same method', () => {
    const one = recordOf(sha256, { task: TASK, proposer: 'random' });
    expect(one.settings.search.proposer).toBe('random');
    expect(recordOf(sha256, { task: structuredClone(TASK), proposer: 'random' })).toEqual(one);
    expect(recordOf(sha256, { task: TASK, proposer: 'llm' }).settings).not.toEqual(one.settings);
  });
});
