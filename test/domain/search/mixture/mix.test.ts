import { describe, expect, test } from 'vitest';
import { armKey, NO_CREDIT } from '../../../../domain/search/mixture/arm.ts';
import { creditOf } from '../../../../domain/search/mixture/credit.ts';
import { turnAfter } from '../../../../domain/search/mixture/schedule.ts';
import { nothingObserved } from '../../../../domain/search/observations.ts';
import { chooserOf, factsOf } from '../../../../domain/search/proposer/makers.ts';
import { proposerOf } from '../../../../domain/search/proposer/table.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { fitOverrides } from '../../../../domain/task/overrides.ts';
import { contradictions } from '../../../../domain/task/contradictions.ts';
import { Task } from '../../../../domain/task/task.ts';
import { TASK } from '../../../cli/support/lineage.ts';

const ARMS = [{ proposer: 'random', parent: 'best' }, { proposer: 'llm' }];

/** The keys of the arms that a mixture chooses for trials 1, 2, …; each choice is counted. */
function chosen(settings: object, { count, down = [] }: { count: number; down?: readonly string[] }): string[] {
  const chooser = chooserOf({ name: 'mix', arms: ARMS, ...settings }) ?? expect.unreachable();
  const keys: string[] = [];
  for (let n = 1; n <= count; n += 1) {
    const { arm } = chooser.choose({
      n,
      observations: nothingObserved('minimize'),
      random: createRandom(n),
      creditOf: (arm) => ({ ...NO_CREDIT, chosen: keys.filter((key) => key === armKey(arm)).length }),
      isDown: (arm) => down.includes(armKey(arm)),
    });
    keys.push(armKey(arm));
  }
  return keys;
}

const shareOf = (keys: readonly string[], key: string): number =>
  keys.filter((each) => each === key).length / keys.length;

describe('a mixture', () => {
  test('draws its arms by weight', () => {
    const arms = [{ proposer: 'random', weight: 3 }, { proposer: 'llm' }];
    expect(shareOf(chosen({ arms }, { count: 1000 }), 'random')).toBeCloseTo(0.75, 1);
  });

  test('takes its arms in turn, or one arm first and another to the end', () => {
    const [random, llm] = [
      { proposer: 'random', trials: 2 },
      { proposer: 'llm', trials: 1 },
    ];
    const turns = chosen({ by: 'schedule', arms: [random, llm] }, { count: 6 });
    expect(turns).toEqual(['random', 'random', 'llm', 'random', 'random', 'llm']);
    const last = chosen({ by: 'schedule', arms: [random, { proposer: 'llm' }] }, { count: 5 });
    expect(last).toEqual(['random', 'random', 'llm', 'llm', 'llm']);
    expect(turnAfter(0, [undefined])).toBe(0);
  });

  test('without settings takes tpe three times, then random', () => {
    const chooser = chooserOf('mix') ?? expect.unreachable();
    expect(chooser.arms.map(({ arm }) => armKey(arm))).toEqual(['tpe', 'random']);
    const { arms } = proposerOf('mix').settings as { arms: object[] };
    expect(chosen({ arms }, { count: 8 }).join(' ')).toBe('tpe tpe tpe random tpe tpe tpe random');
  });

  test.each(['weights', 'thompson', 'schedule'])('by %s does not choose an arm that is down', (rule) => {
    const arms = [{ proposer: 'llm', ...(rule === 'schedule' && { trials: 1 }) }, { proposer: 'random' }];
    expect(new Set(chosen({ by: rule, arms }, { count: 100, down: ['llm'] }))).toEqual(new Set(['random']));
  });

  test('has the needs and the sandbox of all arms', () => {
    expect(factsOf({ name: 'mix', arms: ARMS })).toMatchObject({ writes: 'code', readsPrompt: true, someAtOnce: true });
    expect(chooserOf({ name: 'mix', arms: ARMS })?.parents).toEqual(['best']);
    expect(factsOf('mix').writes).toBe('knobs');
  });

  test.each<[string, object, string]>([
    ['two equal arms', { arms: ['llm', { name: 'llm' }] }, 'arms[1]: expected an arm that differs from arms[0]'],
    ['an unknown parent', { arms: [{ proposer: 'llm', parent: 'bst' }] }, 'arms[0].parent: expected'],
    [
      'an unknown proposer',
      { arms: [{ proposer: 'lmm' }] },
      'arms[0].proposer: expected a proposer that mix may choose',
    ],
    [
      'a weight in a schedule',
      { by: 'schedule', arms: [{ proposer: 'llm', weight: 2 }] },
      'arms[0].weight: expected no',
    ],
    ['an endless arm before another', { by: 'schedule', arms: ['llm', 'random'] }, 'arms[0].trials:'],
    ['a cost that it does not read', { cost: 'usd' }, 'cost: expected no cost'],
    ['a weight that is no number', { arms: [{ proposer: 'llm', weight: 0 }] }, 'arms[0].weight: expected'],
    ['no arms', { arms: [] }, 'arms: expected'],
  ])('with %s is refused with the path of the key', (_, given, problem) => {
    const { arms = ['random'], ...rest } = given as { arms?: unknown[] };
    const written = arms.map((arm) => (typeof arm === 'string' || 'name' in (arm as object) ? { proposer: arm } : arm));
    const proposer = { name: 'mix', ...rest, arms: written };
    const { unfit } = fitOverrides(Task.parse(TASK), { search: { proposer } });
    expect(unfit.join('; ')).toContain(`search.proposer.${problem}`);
  });

  test('of knobs and code is valid on a task with knobs', () => {
    const knobs = [{ file: 'train.mjs', name: 'LR', type: 'float', range: [0.01, 10] }];
    const task = Task.parse({ ...TASK, knobs, search: { proposer: { name: 'mix', arms: ARMS, by: 'thompson' } } });
    expect(contradictions(task).filter(({ path }) => path[0] === 'search')).toEqual([]);
  });
});

describe('the key of an arm', () => {
  test('is its proposer and parent rule, whatever the order of their settings', () => {
    expect(armKey({ proposer: { name: 'llm' } })).toBe(armKey({ proposer: 'llm' }));
    expect(armKey({ proposer: { name: 'a', y: 1, x: { c: 2, b: 3 } } })).toBe(
      armKey({ proposer: { x: { b: 3, c: 2 }, y: 1, name: 'a' } }),
    );
    expect(armKey({ proposer: 'llm', parent: 'best' })).toBe('llm from best');
  });

  test('of long settings stays short and differs', () => {
    const keyOf = (base: string) => armKey({ proposer: { name: 'policy', base: 'x'.repeat(5000) + base } });
    expect(keyOf('a').length).toBeLessThan(250);
    expect(keyOf('a')).not.toBe(keyOf('b'));
  });
});

describe('the credit of an outcome', () => {
  const outcome = {
    status: 'completed' as const,
    isExcluded: false,
    isCopy: false,
    rank: { scored: 9, worse: 9, equal: 0 },
    seconds: 2,
    usd: 0.5,
  };

  test('is its rank among the last scores, between 0 and 1', () => {
    expect(creditOf(outcome)).toEqual({ trials: 1, scored: 1, reward: 0.95, seconds: 2, usd: 0.5 });
    expect(creditOf({ ...outcome, rank: { scored: 0, worse: 0, equal: 0 } }).reward).toBe(0.5);
    expect(creditOf({ ...outcome, rank: { scored: 9, worse: 0, equal: 9 } }).reward).toBe(0.5);
  });

  test('has no reward for a copy and for a failure, which count as trials', () => {
    expect(creditOf({ ...outcome, isCopy: true })).toMatchObject({ trials: 1, scored: 1, reward: 0 });
    expect(creditOf({ ...outcome, status: 'rejected', rank: null })).toMatchObject({ trials: 1, scored: 0, reward: 0 });
  });

  test('is none for a trial that a machine lost or a person stopped', () => {
    const none = { trials: 0, scored: 0, reward: 0, seconds: 0, usd: 0 };
    expect(creditOf({ ...outcome, status: 'lost', rank: null })).toEqual(none);
    expect(creditOf({ ...outcome, isExcluded: true })).toEqual(none);
  });
});
