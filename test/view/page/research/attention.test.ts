import { expect, test } from 'vitest';
import { attentionOf, type AttentionFacts } from '../../../../view/page/research/attention.ts';
import { hostAttention } from '../../../../view/page/research/host-attention.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const none = { spent: 0, limit: null };
const budget = { trials: none, proposals: none, hours: none, slotSeconds: none, tokens: none, usd: none };
const CALM: AttentionFacts = {
  ...{
    id: "my 'lab'",
    task: 'toy',
    phase: 'running',
    reason: null,
    endpointDown: null,
    losingStreak: null,
    failedBaseline: null,
    alerts: [],
  },
  ...{ budget: { ...budget, whenSpent: 'wait' }, queue: null, wait: null, learning: null, untrustedBest: null },
  ...{ gatesFired: [], updatedAt: '2026-11-20T11:00:00Z' },
};
const of = (facts: Partial<AttentionFacts>) => attentionOf({ ...CALM, ...facts }, NOW);
const titles = (facts: Partial<AttentionFacts>) => of(facts).map(({ level, title }) => `${level}: ${title}`);

test('a research that gets on needs nobody', () => {
  expect(of({})).toEqual([]);
  expect(of({ phase: 'stopped', endpointDown: 'gone', learning: { version: 1, pinned: true, halted: 'x' } })).toEqual(
    [],
  );
});

test('a failed research says why, and how it goes on; its id is quoted for the shell', () => {
  expect(of({ phase: 'failed', reason: 'the disk broke' })).toEqual([
    {
      ...{
        researches: ["my 'lab'"],
        level: 'warning',
        title: 'It has failed',
        why: 'the disk broke',
        at: CALM.updatedAt,
      },
      commands: [`npx perpetua status 'my '\\''lab'\\'''`, `npx perpetua start toy --id 'my '\\''lab'\\'''`],
    },
  ]);
});

test('a wait that an item of its own explains is not told twice', () => {
  const waiting = { phase: 'waiting', reason: 'the model endpoint is down', endpointDown: '503' } as const;
  expect(titles(waiting)).toEqual(['warning: The model endpoint gives no proposals']);
  expect(titles({ phase: 'waiting', reason: 'disk' })).toEqual(['warning: It waits']);
  const room = { phase: 'waiting', reason: 'disk: 1 MiB free; make room (npx perpetua clean), it goes on' } as const;
  expect(of(room)[0]?.commands).toEqual(['npx perpetua clean']);
});

test('a spent limit comes with the command that raises it, loud where it waits for that', () => {
  const spent = { ...CALM.budget, usd: { spent: 3, limit: 3 } };
  expect(of({ budget: spent })[0]).toMatchObject({
    ...{ level: 'warning', title: 'The budget is spent: usd' },
    commands: [
      `temporal workflow update execute --workflow-id 'my '\\''lab'\\''' --name setBudget --input '{"usd":5}'`,
    ],
  });
  expect(of({ budget: { ...spent, whenSpent: 'stop' } })[0]?.level).toBe('notice');
});

test('trials that wait beside a free slot look as if no worker ran, others do not', () => {
  const queue = { pool: 'local', trials: 2, seconds: 90, slots: 2, taken: 1, holders: [], away: [] };
  expect(titles({ queue })).toEqual(['warning: No worker seems to run']);
  expect(titles({ queue: { ...queue, taken: 2 } })).toEqual([]);
  expect(titles({ queue: { ...queue, seconds: 5 } })).toEqual([]);
});

test('the loudest stand first, the same is told once, yesterday is over', () => {
  const alert = (at: string) => ({ at, message: 'a signal was left out' });
  const items = titles({
    ...{ phase: 'paused', learning: { version: 3, pinned: false, halted: 'entropy fell' } },
    alerts: [
      alert('2026-11-20T11:50:00Z'),
      alert('2026-11-20T11:40:00Z'),
      { at: '2026-11-01T00:00:00Z', message: 'old' },
    ],
    gatesFired: [
      { k: 7, at: '2026-11-20T11:00:00Z', words: 'lr is lower', then: 'tell' },
      { k: 6, at: '2026-11-20T10:00:00Z', words: 'entropy 0.1 is below 0.2: lr 1 → 0.5', then: 'adjust' },
      { k: 8, at: '2026-11-20T11:30:00Z', words: 'entropy fell', then: 'halt' },
    ],
    losingStreak: { trials: 4, orMore: false, newest: { trialId: 'x/4', status: 'crashed', reason: null } },
    untrustedBest: 'x/2',
  });
  expect(items.filter((one) => one.startsWith('warning'))).toHaveLength(3);
  expect(items.slice(3)).toEqual([
    'notice: An alert',
    'notice: A gate fired at update 7',
    'info: It is paused',
    'info: A gate adjusted update 6',
  ]);
});

test('a host that is out is told until it is back, one that a person drained is not', () => {
  const host = {
    ...({ name: 'box', state: 'serving', quarantineSeconds: 30, seenSecondsAgo: 100 } as const),
    ...{ lastError: 'ssh: timed out', lastErrorSecondsAgo: 60 },
  };
  expect(hostAttention(host, NOW)).toMatchObject({
    ...{ title: 'Host box is out', why: 'ssh: timed out; tried again in 30 s', at: '2026-11-20T11:59:00.000Z' },
    commands: ['npx perpetua fleet check box', 'npx perpetua fleet resume box'],
  });
  expect(hostAttention({ ...host, quarantineSeconds: null }, NOW)).toBeNull();
  expect(hostAttention({ ...host, state: 'draining' }, NOW)).toBeNull();
  expect(hostAttention({ ...host, quarantineSeconds: null, seenSecondsAgo: null }, NOW)?.title).toBe(
    'Host box was not reached yet',
  );
});

test('a baseline run that failed is told with its reason and the way to look, until a streak of failures tells it', () => {
  const newest = { trialId: 'x/1', status: 'crashed' as const, reason: 'no module named numpy' };
  const failedBaseline = { trials: 1, newest };
  expect(of({ failedBaseline })).toMatchObject([
    {
      title: 'A baseline run failed',
      why: "no module named numpy. It is the task's unmodified workspace, so its proposals may fail of it, too",
      commands: ['npx perpetua show x/1'],
    },
  ]);
  const both = { failedBaseline, losingStreak: { trials: 3, orMore: false, newest } };
  expect(titles(both)).toEqual(['warning: The last 3 trials failed']);
});
