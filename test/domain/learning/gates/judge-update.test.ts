import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../../../domain/learning/gates/adjust.ts';
import type { Gate } from '../../../../domain/learning/gates/gate.ts';
import { judgeUpdate, type Metrics } from '../../../../domain/learning/gates/judge-update.ts';
import { planOf } from '../../search/update/plans.ts';

const VALUES = { lr: 4e-4, entropyCoefficient: 0.01, klCoefficient: 0, maxGradNorm: 1 };
const ENTROPY: Gate = {
  metric: 'entropy',
  below: 0.05,
  updates: 3,
  then: 'adjust',
  adjust: { key: 'entropyCoefficient', by: 2, most: 0.08 },
};
const of = (metric: string, ...values: number[]): Metrics[] => values.map((value) => ({ [metric]: value }));

const judged = (gates: Gate[], history: Metrics[], values: Record<string, number> = VALUES) =>
  judgeUpdate(gates, { history, values });

describe('a gate that adjusts', () => {
  it('reports its change and the reason', () => {
    expect(judged([ENTROPY], of('entropy', 0.3, 0.04, 0.03, 0.02))).toEqual({
      action: 'adjust',
      adjustments: { entropyCoefficient: 0.02 },
      fired: [
        {
          gate: ENTROPY,
          value: 0.02,
          words: 'entropy 0.02 is below 0.05 for 3 updates: entropyCoefficient 0.01 → 0.02',
        },
      ],
    });
  });

  it('waits for its updates in a row', () => {
    const quiet = { action: 'continue', adjustments: {}, fired: [] };
    expect(judged([ENTROPY], of('entropy', 0.04, 0.03))).toEqual(quiet);
    expect(judged([ENTROPY], of('entropy', 0.01, 0.01, 0.06, 0.01, 0.01))).toEqual(quiet);
    expect(judged([ENTROPY], of('entropy', 0.01, 0.01, 0.01, 0.05))).toEqual(quiet);
    expect(judged([ENTROPY], [])).toEqual(quiet);
  });

  it('waits after each change for its effect before it changes more', () => {
    const actions = [3, 4, 5, 6].map((n) => judged([ENTROPY], of('entropy', ...Array<number>(n).fill(0.01))).action);
    expect(actions).toEqual(['adjust', 'continue', 'continue', 'adjust']);
  });

  it('changes no more than it may', () => {
    const history = of('entropy', 0.01, 0.01, 0.01);
    const at = (entropyCoefficient: number) => judged([ENTROPY], history, { ...VALUES, entropyCoefficient });
    expect(at(0.06).adjustments).toEqual({ entropyCoefficient: 0.08 });
    expect(at(0.08)).toMatchObject({ action: 'continue', adjustments: {} });
    expect(at(0.08).fired[0]?.words).toMatch(/: entropyCoefficient stays 0\.08$/);
    expect(at(0.5).adjustments).toEqual({});
    expect(at(0).fired[0]?.words).toMatch(/: entropyCoefficient stays 0$/);
  });

  it('never lifts a learning rate above 1', () => {
    const gate: Gate = { metric: 'reward', below: 0, then: 'adjust', adjust: { key: 'lr', by: 10 } };
    expect(judged([gate], of('reward', -1), { lr: 0.5 }).adjustments).toEqual({ lr: 1 });
  });

  it('may lower a setting, too', () => {
    const gate: Gate = { metric: 'gradNorm', above: 100, then: 'adjust', adjust: { key: 'lr', by: 0.5 } };
    expect(judged([gate], of('gradNorm', 150))).toMatchObject({
      adjustments: { lr: 2e-4 },
      fired: [{ words: 'gradNorm 150 is above 100: lr 0.0004 → 0.0002' }],
    });
  });
});

describe('several gates', () => {
  const HALT: Gate = { metric: 'entropy', below: 0.03, updates: 2, then: 'halt' };

  it('of which one halts and one adjusts halt, and change nothing', () => {
    expect(judged([ENTROPY, HALT], of('entropy', 0.01, 0.01, 0.01))).toMatchObject({
      action: 'halt',
      adjustments: {},
      fired: [
        { words: 'entropy 0.01 is below 0.05 for 3 updates' },
        { words: 'entropy 0.01 is below 0.03 for 3 updates: learning halts' },
      ],
    });
  });

  it('change the same setting once', () => {
    const other: Gate = { ...ENTROPY, metric: 'novelty', updates: 1 };
    const history = [1, 2, 3].map(() => ({ entropy: 0.01, novelty: 0.01 }));
    const { adjustments, fired } = judged([ENTROPY, other], history);
    expect(adjustments).toEqual({ entropyCoefficient: 0.02 });
    expect(fired[1]?.words).toMatch(/: another gate already changed entropyCoefficient$/);
  });
});

it('a gate with action tell fires once, and again after its metric has recovered', () => {
  const gate: Gate = { metric: 'novelty', below: 0.1, updates: 2, then: 'tell' };
  const fired = (...values: number[]) => judged([gate], of('novelty', ...values)).fired.map(({ words }) => words);
  expect(fired(0, 0)).toEqual(['novelty 0 is below 0.1 for 2 updates']);
  expect(fired(0, 0, 0)).toEqual([]);
  expect(fired(0, 0, 0.5, 0, 0)).toHaveLength(1);
  expect(judged([gate], of('novelty', 0, 0)).action).toBe('continue');
});

it('a gate that halts halts again on the next update, in case its event was lost', () => {
  const gate: Gate = { metric: 'entropy', below: 0.01, updates: 2, then: 'halt' };
  expect(judged([gate], of('entropy', 0, 0, 0)).action).toBe('halt');
});

it('a missing metric fires no gate, and ends a streak', () => {
  expect(judged([ENTROPY], [{}, {}, {}]).fired).toEqual([]);
  expect(judged([ENTROPY], [...of('entropy', 0, 0), {}, ...of('entropy', 0)]).fired).toEqual([]);
});

describe('the gates of grpo on a constructed collapse', () => {
  const plan = planOf('grpo');
  const healthy = { gradNorm: 2, clipShare: 0, deadGroups: 0, novelty: 0.6, success: 0.9, samplerDiffMax: 3e-5 };

  /** The action of the gates after each update. Their adjustments carry over to the next. */
  function run(history: Metrics[]): string[] {
    let adjustments: Record<string, number> = {};
    return history.map((_, k) => {
      const ruling = judgeUpdate(plan.gates, { history: history.slice(0, k + 1), values: valuesOf(plan, adjustments) });
      adjustments = { ...adjustments, ...ruling.adjustments };
      return ruling.action;
    });
  }

  it('let a run that learns go on', () => {
    const history = Array.from({ length: 20 }, (_, k) => ({ ...healthy, entropy: 1.5 / (1 + k / 4) }));
    expect(new Set(run(history))).toEqual(new Set(['continue']));
  });

  it('raise the bonus three times when the entropy falls, and halt if it still collapses', () => {
    const history = Array.from({ length: 40 }, (_, k) => ({ ...healthy, entropy: 1.5 * 0.8 ** k }));
    const actions = run(history);
    expect(actions.filter((action) => action === 'adjust')).toHaveLength(3);
    // The entropy 1.5 · .8^k is below .05 from k = 16 on and below .002 from k = 30 on.
    expect([actions.indexOf('adjust'), actions.indexOf('halt')]).toEqual([18, 34]);
  });

  it('halt if no group has a spread any more, or if hardly any run completes', () => {
    const dead = Array.from({ length: 10 }, () => ({ ...healthy, entropy: 0.3, deadGroups: 1 }));
    expect(run(dead).at(-1)).toBe('halt');
    const failing = Array.from({ length: 8 }, () => ({ ...healthy, entropy: 2, success: 0 }));
    expect(run(failing).at(-1)).toBe('halt');
  });

  it('halt if the sampler uses another model than the learner', () => {
    expect(run(Array.from({ length: 3 }, () => ({ ...healthy, entropy: 1, samplerDiffMax: 5 }))).at(-1)).toBe('halt');
  });
});

it('the gates of sdpo halt if the teacher prefers the worse answers, however large its gap', () => {
  const { gates } = planOf('sdpo');
  const history = (teacherAgreement: number) =>
    Array.from({ length: 6 }, () => ({ teacherGap: 2.2, entropy: 1, teacherAgreement }));
  expect(judged([...gates], history(-0.19)).action).toBe('halt');
  expect(judged([...gates], history(0.54)).action).toBe('continue');
});
