import { describe, expect, test } from 'vitest';
import {
  nothingReported,
  progressLines,
  troubleLines,
  type ReportedState,
} from '../../../../cli/up/view/progress-lines.ts';
import type { Snapshot } from '../../../../cli/up/view/snapshot.ts';
import { closedWorkflow, NO_WORKER, NO_ANSWER } from '../../../../cli/temporal/obstacles.ts';
import type { LearningView } from '../../../../view/policy/learning.ts';
import { VIEW } from '../../../view/support/view.ts';
import { TASK } from '../../support/lineage.ts';

const START = new Date('2026-11-01T12:00:00Z');
const after = (minutes: number) => new Date(START.getTime() + minutes * 60_000);

const snapshot = (more: { status?: object; warnings?: string[] } = {}) =>
  ({
    research: { id: 'toy', task: TASK },
    status: {
      ...VIEW,
      phase: 'running',
      reason: null,
      best: { trialId: 'toy/4', candidateId: 'c', unmodified: false, value: 1.5, trusted: true },
      alerts: [],
      warnings: more.warnings ?? [],
      ...more.status,
    },
    ended: [],
    rulings: [],
    claims: [],
    learning: [],
    learned: null,
  }) as unknown as Snapshot;

const LEARNING: LearningView = {
  version: 3,
  checkpoint: 'a'.repeat(64),
  pinned: false,
  halted: null,
  update: null,
  evaluationSamples: null,
  rewards: [],
  batch: { k: 4, joined: 0, ended: 0, of: 16 },
};
const REWARDS = [-0.5, -0.25, 0.25, 0.5];

/** Snapshot of a research whose policy has had so many updates. */
function learning(updates: number, status: { phase?: string; reason?: string; learning?: Partial<LearningView> } = {}) {
  const base = snapshot({ status: { ...status, learning: { ...LEARNING, ...status.learning } } });
  return {
    ...base,
    learned: {
      first: { from: 1, to: 1, reward: { n: 16, mean: -0.5, standardError: 0.1 } },
      last: { from: 2, to: 4, reward: { n: 48, mean: 1 / 6, standardError: 0 } },
      references: [{ name: 'best constant', value: 0.55, shift: -0.05, stays: null }],
    },
    learning: REWARDS.slice(0, updates).map((reward, index) => ({
      update: index + 1,
      reward,
      legal: 0.75,
      entropy: 1,
      gates: index === 2 ? ['entropy (adjust)'] : [],
    })),
  } as Snapshot;
}

/** A trial that has ended. */
const trial = (n: number, more: object = {}) => ({
  n,
  kind: 'search',
  ofTrial: null,
  status: 'completed',
  verdict: 'discard',
  value: n,
  trusted: true,
  seconds: 1,
  hypothesis: null,
  reason: null,
  failure: null,
  ...more,
});

/** Lines that are printed for each snapshot, with one snapshot every so many minutes. */
function linesOf(snapshots: Snapshot[], every = 1): string[][] {
  let reported: ReportedState = nothingReported();
  return snapshots.map((current, index) => {
    const news = progressLines(current, { before: reported, temporalState: null, now: after(index * every) });
    reported = news.state;
    return news.lines;
  });
}

describe('plain lines', () => {
  test('report every few minutes the state of a research in which nothing happens', () => {
    const [first, ...later] = linesOf(Array.from({ length: 12 }, () => snapshot()));
    expect(first?.[0]).toBe('toy running');
    expect(later.map((lines) => lines.length)).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
    expect(later[4]).toEqual([
      'toy running: best 1.50 bits  toy/4 · gain +0.70 = +3.5 sd of one run · baseline 2.20 · ' +
        'trials 5 ended, 1 under way · slots 1 of 2 busy · 1 min 1 s on slots · 12.3k tokens · $0.42',
    ]);
  });

  test('start with the trials that ended last, the newest at the end, without earlier rulings', () => {
    const ended = Array.from({ length: 12 }, (_, i) => trial(40 - i));
    const first = linesOf([{ ...snapshot(), ended, rulings: [trial(3), trial(2)] } as unknown as Snapshot])[0] ?? [];
    const numbers = first.flatMap((text) => /^#(\d+)/.exec(text)?.[1] ?? []);
    expect(numbers).toEqual(Array.from({ length: 10 }, (_, i) => String(31 + i)));
  });

  test('stop once a research is over', () => {
    const over = { status: { phase: 'stopped', reason: 'budget.trials is spent: 5 of 5' } };
    expect(
      linesOf([snapshot(), ...Array.from({ length: 6 }, () => snapshot(over))], 3)
        .flat()
        .slice(-1),
    ).toEqual(['toy stopped: budget.trials is spent: 5 of 5']);
  });

  test('report each alert and each warning once, over all snapshots and whatever number it has', () => {
    const alert = (message: string, at: Date) => ({ at: at.toISOString(), message });
    const puase = alert('signal puase ignored', after(-1));
    const drift = (n: number) => [`drift: in ${n} of ${n + 9} races the runs were unlike`];
    const lines = linesOf([
      snapshot({ status: { alerts: [puase] } }),
      snapshot({ status: { alerts: [puase] }, warnings: drift(3) }),
      snapshot({ status: { alerts: [alert('task changed', after(2)), puase] }, warnings: drift(4) }),
      snapshot({ status: { alerts: [alert('task changed', after(2)), puase] } }),
      snapshot({ status: { alerts: [alert('task changed', after(2)), puase] }, warnings: drift(5) }),
    ]);
    const notes = lines.map((printed) => printed.filter((line) => line.startsWith('note: ')));
    expect(notes).toEqual([
      ['note: 1 min ago: signal puase ignored'],
      ['note: drift: in 3 of 12 races the runs were unlike'],
      [expect.stringContaining('task changed')],
      [],
      [],
    ]);
  });

  test('report a series of failures when it begins, and the next series', () => {
    const streak = (trials: number) => {
      const newest = { trialId: 'toy/9', status: 'crashed', reason: 'no module' };
      return snapshot({ status: { losingStreak: { trials, orMore: false, newest } } });
    };
    const lines = linesOf([snapshot(), streak(3), streak(4), snapshot(), streak(3)]);
    expect(lines.slice(1).map((printed) => printed.length)).toEqual([1, 0, 0, 1]);
    expect(lines[1]?.[0]).toContain('the last 3 trials failed, the newest: no module');
  });

  test('report that a trouble is over, without a command', () => {
    const temporalState = { obstacle: null, notes: [], failing: [], error: null };
    const troubles = new Set([NO_WORKER, NO_ANSWER, closedWorkflow('toy', 'is closed'), 'score of #6 fails']);
    const before = { ...nothingReported(), troubles };
    expect(troubleLines({ before, temporalState, now: new Date() }).lines).toEqual([
      'a worker is running again',
      'Temporal answers again',
      'the workflow is open again',
      'score of #6 does not fail any more',
    ]);
  });
});

describe('plain lines of a policy that learns', () => {
  const due: LearningView['update'] = { k: 3, dueAt: '2026-11-01T11:00:00Z', begunAt: null };
  const begun = { ...due, begunAt: '2026-11-01T11:00:01Z' };

  test('are one for each update, none for a sample or a wait for a step, and a summary at the end', () => {
    const sample = [trial(7), trial(8, { kind: 'baseline', verdict: 'none' })];
    const lines = linesOf([
      learning(1),
      { ...learning(2), ended: sample } as unknown as Snapshot,
      learning(2, { phase: 'waiting', reason: 'update 3 is at work', learning: { update: begun } }),
      learning(4, { phase: 'stopped' }),
      learning(4, { phase: 'stopped' }),
    ]);
    expect(lines[0]).toContain('update 1 · reward -0.50 · legal 75 % · entropy 1.000');
    expect(lines[1]?.map((line) => line.slice(0, 8))).toEqual(['#8     b', 'update 2']);
    expect(lines[2]).toEqual([]);
    expect(lines[3]?.slice(0, 2)).toEqual([
      'update 3 · reward 0.25 · legal 75 % · entropy 1.000 · gates entropy (adjust)',
      'update 4 · reward 0.50 · legal 75 % · entropy 1.000',
    ]);
    expect(lines[3]?.at(-1)).toBe(
      'learnt: learning bought 0.67 ± 0.21 (95 %) of mean reward beyond the first draws: from -0.50 (update 1) to ' +
        '0.17 (updates 2 to 4), by values that the policy learnt from; ' +
        'best constant 0.55 (0.60, shifted to this baseline); gates that fired: entropy (adjust) 1 time',
    );
    expect(lines[4]).toEqual([]);
  });

  test('have the summary once the last update has ended; an update that a stop left does not count', () => {
    const learnt = (update: LearningView['update']) =>
      linesOf([learning(4, { phase: 'stopped', learning: { update } })])
        .flat()
        .filter((line) => line.startsWith('learnt: ')).length;
    expect([learnt(begun), learnt(due), learnt(null)]).toEqual([0, 1, 1]);
  });
});
