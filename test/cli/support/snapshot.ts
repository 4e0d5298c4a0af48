import type { Asked } from '../../../cli/temporal/ask-temporal.ts';
import { styleFor } from '../../../cli/render/text/style.ts';
import type { Snapshot } from '../../../cli/up/view/snapshot.ts';
import { VIEW } from '../../domain/view/support/view.ts';
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
      ...VIEW,
      best: { trialId: 'toy/4', candidateId: 'c', unmodified: false, value: 1.5, trusted: true },
      gain: { ...VIEW.gain, raw: { n: 9, candidateId: 'r', value: 1.2, gain: 1 } },
      proposer: 'random',
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
    others: [],
    gpus: [],
    claims: [],
    learning: [],
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
    dashboard: 'http://127.0.0.1:4400',
  },
  activeSeconds: 3600,
  style: styleFor(false),
  away: null,
  asked: null as Asked | null,
};
