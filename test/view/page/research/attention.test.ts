import { expect, test } from 'vitest';
import { attentionOf, type AttentionFacts } from '../../../../view/page/research/attention.ts';
import { hostAttention } from '../../../../view/page/research/host-attention.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const none = { spent: 0, limit: null };
const budget = {
  trials: none,
  proposals: none,
  hours: none,
  hoursWithoutClaim: none,
  slotSeconds: none,
  tokens: none,
  usd: none,
};
const CALM: AttentionFacts = {
  id: "my 'lab'",
  task: 'toy',
  phase: 'running',
  reason: null,
  endpointDown: null,
  losingStreak: null,
  failedBaseline: null,
  contention: null,
  alerts: [],
  budget: { ...budget, whenSpent: 'wait' },
  queue: null,
  wait: null,
  learning: null,
  untrustedBest: null,
  gatesFired: [],
  updatedAt: '2026-11-20T11:00:00Z',
};
const items = (facts: Partial<AttentionFacts>) => attentionOf({ ...CALM, ...facts }, NOW);
const titles = (facts: Partial<AttentionFacts>) => items(facts).map(({ level, title }) => `${level}: ${title}`);

test('a research that makes progress needs no attention', () => {
  expect(items({})).toEqual([]);
  const learning = { version: 1, pinned: true, halted: 'x' };
  expect(items({ phase: 'stopped', endpointDown: 'gone', learning })).toEqual([]);
});

test('a failed research has its reason and the commands to go on, with its id quoted for the shell', () => {
  expect(items({ phase: 'failed', reason: 'the disk broke' })).toEqual([
    {
      researches: ["my 'lab'"],
      level: 'warning',
      title: 'The research has failed',
      why: 'the disk broke',
      at: CALM.updatedAt,
      commands: [`npx perpetua status 'my '\\''lab'\\'''`, `npx perpetua start toy --id 'my '\\''lab'\\'''`],
    },
  ]);
});

test('a wait with an item of its own is not shown twice', () => {
  const waiting = { phase: 'waiting', reason: 'the model endpoint is down', endpointDown: '503' } as const;
  expect(titles(waiting)).toEqual(['warning: The proposer gets no answer']);
  expect(titles({ phase: 'waiting', reason: 'disk' })).toEqual(['warning: The research waits']);
  const room = { phase: 'waiting', reason: 'disk: 1 MiB free; make room (npx perpetua clean), it goes on' } as const;
  expect(items(room)[0]?.commands).toEqual(['npx perpetua clean']);
});

test('a spent limit has the command that raises it, as a warning if the research waits for that', () => {
  const spent = { ...CALM.budget, usd: { spent: 3, limit: 3 } };
  expect(items({ budget: spent })[0]).toMatchObject({
    level: 'warning',
    title: 'The budget is spent: usd',
    commands: [`npx perpetua budget 'my '\\''lab'\\''' --usd 5`],
  });
  expect(items({ budget: { ...spent, whenSpent: 'stop' } })[0]?.level).toBe('notice');
});

test('trials that wait beside a free slot suggest that no worker runs, others do not', () => {
  const queue = { pool: 'local', trials: 2, seconds: 90, slots: 2, taken: 1, holders: [], away: [] };
  expect(titles({ queue })).toEqual(['warning: No worker seems to run']);
  expect(titles({ queue: { ...queue, taken: 2 } })).toEqual([]);
  expect(titles({ queue: { ...queue, seconds: 5 } })).toEqual([]);
});

test('an agent that waits beside a free place names the queue that no worker polls', () => {
  const queue = { pool: 'agents', trials: 1, seconds: 90, slots: 0, taken: 0, holders: [], away: [] };
  const [item] = items({ queue });
  expect(item).toMatchObject({
    level: 'warning',
    title: 'No worker takes proposal jobs',
    why: '1 trial waits for an agent for 1 min 30 s, and no worker polls fleet-agents',
    commands: ['npx perpetua worker --queues=fleet-agents'],
  });
  expect(titles({ queue: { ...queue, slots: 1, taken: 1 } })).toEqual([]);
});

test('items are sorted by level, repeated alerts are shown once, and old alerts are left out', () => {
  const alert = (at: string) => ({ at, message: 'a signal was left out' });
  const shown = titles({
    phase: 'paused',
    learning: { version: 3, pinned: false, halted: 'entropy fell' },
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
  expect(shown.filter((title) => title.startsWith('warning'))).toHaveLength(3);
  expect(shown.slice(3)).toEqual([
    'notice: Alert',
    'notice: A limit of the policy was crossed at update 7',
    'info: The research is paused',
    'info: A limit of the policy was crossed at update 6',
  ]);
});

test('a host in quarantine is shown until it is back, a drained one is not', () => {
  const host = {
    name: 'box',
    state: 'serving' as const,
    quarantineSeconds: 30,
    seenSecondsAgo: 100,
    lastError: 'ssh: timed out',
    lastErrorSecondsAgo: 60,
  };
  expect(hostAttention(host, NOW)).toMatchObject({
    title: 'Host box is in quarantine',
    why: 'ssh: timed out; next probe in 30 s',
    at: '2026-11-20T11:59:00.000Z',
    commands: ['npx perpetua fleet check box', 'npx perpetua fleet resume box'],
  });
  expect(hostAttention({ ...host, quarantineSeconds: null }, NOW)).toBeNull();
  expect(hostAttention({ ...host, state: 'draining' }, NOW)).toBeNull();
  expect(hostAttention({ ...host, quarantineSeconds: null, seenSecondsAgo: null }, NOW)?.title).toBe(
    'Host box has not been reached yet',
  );
});

test('a failed baseline run has an item with its reason and the command, unless a streak of failures shows it', () => {
  const newest = { trialId: 'x/1', status: 'crashed' as const, reason: 'no module named numpy' };
  const failedBaseline = { trials: 1, newest };
  expect(items({ failedBaseline })).toMatchObject([
    {
      title: 'A baseline run failed',
      why:
        'no module named numpy. Proposals start from the same unmodified workspace ' +
        'and may fail for the same reason',
      commands: ['npx perpetua show x/1'],
    },
  ]);
  const both = { failedBaseline, losingStreak: { trials: 3, orMore: false, newest } };
  expect(titles(both)).toEqual(['warning: The last 3 trials failed']);
});

test('runs that other processes kept from a CPU are held against their machine, with its load', () => {
  const words = 'other processes kept the run from a CPU for 2 min 1 s of its 2 min 24 s; load 11.6 on 2 cores';
  const newest = { trialId: "my 'lab'/12", host: 'node3', words };
  expect(items({ contention: { runs: 3, newest } })).toEqual([
    {
      researches: ["my 'lab'"],
      level: 'warning',
      title: 'Runs on node3 wait for a CPU',
      why:
        `3 runs of the last hour are not counted. The newest: ${words}. ` +
        'The candidates are not at fault: free cores, or use fewer slots',
      at: null,
      commands: [`npx perpetua show 'my '\\''lab'\\''/12'`],
    },
  ]);
});
