import type { Asked } from '../../../cli/ask-temporal.ts';
import { styleFor } from '../../../cli/render/style.ts';
import type { Snapshot } from '../../../cli/up/snapshot.ts';
import { TASK } from './lineage.ts';

/** A ruled search trial, as the live view has it. */
export const ended = (n: number, more: object = {}) => ({
  trialId: `toy/${n}`,
  n,
  kind: 'search',
  seed: 1,
  ofTrial: null,
  candidateId: 'c',
  parentId: 'p',
  proposer: 'random',
  hypothesis: `LR 0.1 → 0.05 ${'and so on '.repeat(20)}`,
  status: 'completed',
  failure: null,
  value: 1.5,
  metrics: {},
  trusted: true,
  verdict: 'discard',
  reason: 'not better',
  slot: 'local/0',
  attempts: 1,
  startedAt: null,
  endedAt: '2026-11-01T11:00:00.000Z',
  ruledAt: '2026-11-01T12:00:00.000Z',
  seconds: 3,
  ...more,
});

/** A research that waits, with these verdicts. */
export const snapshot = (trials: object[]) =>
  ({
    research: { id: 'toy', task: TASK, createdAt: new Date('2026-11-01T11:00:00Z'), proposer: 'random' },
    status: {
      workflowId: 'toy',
      task: 'toy',
      phase: 'waiting',
      reason: 'the model endpoint is down',
      metric: { name: 'loss', direction: 'minimize', optimum: null },
      baseline: { value: 2.2, sd: 0.2, n: 3, trusted: true },
      best: { trialId: 'toy/4', candidateId: 'c', value: 1.5, trusted: true },
      trials: { started: 6, ended: 5, running: 1, byStatus: { completed: 4, crashed: 1 } },
      verdicts: { keep: 1, discard: 3 },
      window: 2,
      spend: { tokens: 12_345, usd: 0.42, slotSeconds: 61 },
      budget: {
        trials: { spent: 5, limit: 60 },
        hours: { spent: 1.25, limit: null },
        tokens: { spent: 12_345, limit: 50_000 },
        usd: { spent: 0.42, limit: 5 },
        whenSpent: 'wait',
      },
      losingStreak: null,
      wait: null,
      unit: 'bits',
      proposer: 'random',
      races: [],
      slots: { total: 2, leased: 1 },
      gain: {
        raw: { n: 9, candidateId: 'r', value: 1.2, gain: 1 },
        claim: { candidateId: 'c', value: 1.6, gain: 0.6, low: 0.4, high: 0.8, runs: 12 },
      },
      warnings: ['the noise is skewed'],
      alerts: [{ at: '2026-11-01T11:58:30.000Z', message: 'signal puase ignored' }],
    },
    running: [
      {
        n: 6,
        kind: 'search',
        ofTrial: null,
        hypothesis: 'x',
        slot: 'l',
        stage: 'running',
        seconds: 4,
        step: 100,
        value: 2.5,
      },
    ],
    ended: [],
    rulings: trials,
    claims: [],
  }) as unknown as Snapshot;

export const options = {
  columns: 100,
  rows: 40,
  now: new Date('2026-11-01T12:00:30Z'),
  addresses: {
    temporalUi: 'http://127.0.0.1:8233/x',
    temporal: '127.0.0.1:7233',
    shell: ['TEMPORAL_ADDRESS=127.0.0.1:7233', 'PATH=/home/me/p/.perpetua/bin:$PATH'],
    postgres: 'postgres://u@127.0.0.1/db',
  },
  activeSeconds: 3600,
  style: styleFor(false),
  away: null,
  asked: null as Asked | null,
};
