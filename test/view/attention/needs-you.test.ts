import { describe, expect, test } from 'vitest';
import { NO_BEGINNINGS, type AttentionFacts } from '../../../view/attention/facts.ts';
import { needsYou } from '../../../view/attention/needs-you.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const HOUR_AGO = '2026-11-20T11:00:00.000Z';
const MINUTE_AGO = '2026-11-20T11:59:00.000Z';
const LIMITS = ['trials', 'proposals', 'hours', 'hoursWithoutClaim', 'slotSeconds', 'tokens', 'usd'] as const;
const budget = Object.fromEntries(LIMITS.map((limit) => [limit, { spent: 0, limit: null }])) as Omit<
  AttentionFacts['budget'],
  'whenSpent'
>;
const CALM: AttentionFacts = {
  id: "my 'lab'",
  task: 'toy',
  phase: 'running',
  reason: null,
  endpointDown: null,
  losingStreak: null,
  failedBaseline: null,
  contention: null,
  budget: { ...budget, whenSpent: 'wait' },
  queue: null,
  wait: null,
  learning: null,
  untrustedBest: null,
  evaluatorDown: null,
  gatesFired: [],
  fleetHosts: [],
  since: NO_BEGINNINGS,
};
const of = (...researches: Partial<AttentionFacts>[]) =>
  needsYou({ researches: researches.map((facts) => ({ ...CALM, ...facts })), hosts: [] }, NOW);
const keys = (...researches: Partial<AttentionFacts>[]) => of(...researches).attention.map(({ key }) => key);
const titles = (facts: Partial<AttentionFacts>) => of(facts).states.map(({ title }) => title);
const outage = (reason: string, at: string): Partial<AttentionFacts> => ({
  phase: 'waiting',
  reason,
  endpointDown: reason,
  since: { ...NO_BEGINNINGS, endpointDown: at, phase: at },
});

describe('what needs a person', () => {
  test('of six researches with two real faults, two entries ask for a person', () => {
    const down = 'model endpoint: https://api.example.com answered 401 (check OPENAI_API_KEY)';
    const full =
      'disk: 12 MiB free, at least 512 MiB needed; make room (npx perpetua clean); the wait then ends by itself';
    const { attention, states } = of(
      { id: 'a', ...outage(down, HOUR_AGO) },
      { id: 'b', ...outage(down, '2026-11-20T10:00:00.000Z'), learning: { version: 2, pinned: true, halted: null } },
      { id: 'c', phase: 'waiting', reason: full, since: { ...NO_BEGINNINGS, phase: HOUR_AGO } },
      { id: 'd', phase: 'paused', reason: 'paused by a person; runs finish', untrustedBest: 'd/2' },
      { id: 'e', ...outage('policy: it starts', MINUTE_AGO) },
      { id: 'f', phase: 'waiting', reason: 'batch 3 is on its way' },
    );
    expect(attention).toMatchObject([
      { key: 'disk:worker', researches: ['c'], at: HOUR_AGO, commands: ['npx perpetua clean'] },
      { key: 'endpoint:api.example.com', researches: ['a', 'b'], at: '2026-11-20T10:00:00.000Z' },
    ]);
    expect(states.map(({ researches, title }) => `${researches.join()}: ${title}`)).toEqual([
      'e: The proposer gets no answer',
      'b: The policy is pinned',
      'd: The research is paused',
      'd: The best score is untrusted',
      'f: The research waits',
    ]);
  });

  test('a research that makes progress, or that was stopped, has no entry and no state', () => {
    const learning = { version: 1, pinned: true, halted: 'x' };
    expect(of({}, { phase: 'stopped', endpointDown: 'gone', learning })).toEqual({ attention: [], states: [] });
  });

  test('a failed research has its reason and the commands to go on, with its id quoted for the shell', () => {
    expect(of({ phase: 'failed', reason: 'the disk broke', since: { ...NO_BEGINNINGS, phase: HOUR_AGO } })).toEqual({
      attention: [
        {
          key: "failed:my 'lab'",
          fingerprint: 'the disk broke',
          researches: ["my 'lab'"],
          level: 'warning',
          title: 'The research has failed',
          why: 'the disk broke',
          at: HOUR_AGO,
          commands: [`npx perpetua status 'my '\\''lab'\\'''`, `npx perpetua start toy --id 'my '\\''lab'\\'''`],
        },
      ],
      states: [],
    });
  });
});

describe('keys and fingerprints', () => {
  test('a key and a fingerprint stay while counts, times and texts of one cause vary', () => {
    const names = (facts: Partial<AttentionFacts>) =>
      of(facts).attention.map(({ key, fingerprint }) => [key, fingerprint]);
    const answered = (text: string) => names(outage(`model endpoint: ${text}`, HOUR_AGO));
    const same = answered('http://127.0.0.1:8000/v1 answered 503 (this may be temporary: wait): request 12');
    expect(answered('cannot reach http://127.0.0.1:8000/v1 (check OPENAI_BASE_URL): ECONNREFUSED')).toEqual(same);
    expect(same).toEqual([['endpoint:127.0.0.1:8000', 'no-answer']]);
    const queue = { pool: 'local', trials: 2, seconds: 90, slots: 2, taken: 1, holders: [], away: [] };
    expect(names({ queue })).toEqual(names({ queue: { ...queue, trials: 5, seconds: 4000 } }));
    const newest = { trialId: 'x/4', status: 'crashed' as const, reason: 'one' };
    const losingStreak = { trials: 4, orMore: false, newest };
    expect(names({ losingStreak })).toEqual(
      names({ losingStreak: { trials: 9, orMore: true, newest: { ...newest, reason: 'two' } } }),
    );
  });

  test('another cause under the same key has another fingerprint', () => {
    const fingerprint = (facts: Partial<AttentionFacts>) => of(facts).attention.map((entry) => entry.fingerprint);
    const refused = (status: number) => outage(`model endpoint: https://api.x.com answered ${status} (…)`, HOUR_AGO);
    expect(fingerprint(refused(402))).not.toEqual(fingerprint(refused(401)));
    const spent = { spent: 3, limit: 3 };
    const usd = { ...CALM.budget, usd: spent };
    expect(fingerprint({ budget: usd })).not.toEqual(fingerprint({ budget: { ...usd, hours: spent } }));
    const losingStreak = {
      trials: 4,
      orMore: false,
      newest: { trialId: 'x/4', status: 'crashed' as const, reason: null },
    };
    const by = (fault: 'candidate' | 'machine') =>
      fingerprint({ losingStreak, since: { ...NO_BEGINNINGS, losing: { at: HOUR_AGO, fault } } });
    expect(by('machine')).not.toEqual(by('candidate'));
  });

  test('a full disk of a host and of the worker are two entries, each for all its researches', () => {
    const room = (host: string) => ({
      phase: 'waiting' as const,
      wait: { trials: 1, why: `room on the disk of ${host}: 1 MiB free, at least 512 MiB needed` },
      fleetHosts: ['box'],
    });
    const admitted = { phase: 'waiting' as const, reason: 'disk: 1 MiB free, at least 512 MiB needed' };
    const { attention } = of(
      { id: 'a', ...room('box') },
      { id: 'b', ...room('laptop') },
      { id: 'c', ...admitted },
      { id: 'd', ...room('box') },
    );
    expect(attention.map(({ key, researches }) => [key, researches])).toEqual([
      ['disk:box', ['a', 'd']],
      ['disk:worker', ['b', 'c']],
    ]);
  });

  test('an entry of several researches shows two reasons at most', () => {
    const down = (reason: string) => outage(`model endpoint: https://api.x.com answered 500: ${reason}`, HOUR_AGO);
    const [entry] = of(
      { id: 'a', ...down('one') },
      { id: 'b', ...down('two') },
      { id: 'c', ...down('three') },
    ).attention;
    expect(entry?.why).toMatch(/one; .*two; …$/);
  });
});

describe('waits', () => {
  test('a wait with an entry of its own is not shown twice', () => {
    const waiting = outage('model endpoint: 503', HOUR_AGO);
    expect(of(waiting).states).toEqual([]);
    expect(keys(waiting)).toEqual(['endpoint:model endpoint']);
  });

  test('an outage of the endpoint needs a person from ten minutes on', () => {
    const since = (at: string) => outage('model endpoint: 503', at);
    expect(keys(since('2026-11-20T11:50:01.000Z'))).toEqual([]);
    expect(titles(since('2026-11-20T11:50:01.000Z'))).toEqual(['The proposer gets no answer']);
    expect(keys(since('2026-11-20T11:50:00.000Z'))).toHaveLength(1);
  });

  const mend = ['npx perpetua task x /path', 'npx perpetua resume x'];
  test('a wait for the disk, the database or the setup needs a person, and hides the failures that it caused', () => {
    const losingStreak = {
      trials: 3,
      orMore: false,
      newest: { trialId: 'x/3', status: 'lost' as const, reason: 'setup' },
    };
    const reason = 'setup: it failed in the last trials: pip. If the fault is in the task, mend it';
    expect(of({ id: 'x', phase: 'waiting', reason, losingStreak }).attention).toMatchObject([
      { key: 'setup:x', commands: mend },
    ]);
    expect(keys({ phase: 'waiting', reason: 'database: it could not store the last trials: x' })).toEqual([
      'database:postgres',
    ]);
  });

  test('any other wait is a state, and no command comes from the output of a program', () => {
    const waiting = [
      { reason: 'batch 3 is on its way' },
      { wait: { trials: 2, why: 'its setup on box: run me (npx perpetua delete x)' } },
    ];
    for (const facts of waiting)
      expect(of({ phase: 'waiting', ...facts })).toMatchObject({
        attention: [],
        states: [{ title: 'The research waits', commands: [] }],
      });
    const reason = 'setup: it failed in the last trials: (npx perpetua delete x)';
    expect(of({ id: 'x', phase: 'waiting', reason }).attention[0]?.commands).toEqual(mend);
  });

  test('a spent limit has the command that raises it if the research waits for that, and else is a state', () => {
    const spent = { ...CALM.budget, usd: { spent: 3, limit: 3 } };
    const since = { ...NO_BEGINNINGS, spent: HOUR_AGO };
    expect(of({ budget: spent, since }).attention).toMatchObject([
      {
        level: 'warning',
        title: 'The budget is spent: usd',
        at: HOUR_AGO,
        commands: [`npx perpetua budget 'my '\\''lab'\\''' --usd 5`],
      },
    ]);
    const stops = { budget: { ...spent, whenSpent: 'stop' as const } };
    expect(keys(stops)).toEqual([]);
    expect(titles(stops)).toEqual(['The budget is spent: usd']);
  });

  test('trials that wait beside a free slot suggest that no worker runs, others do not', () => {
    const queue = { pool: 'local', trials: 2, seconds: 90, slots: 2, taken: 1, holders: [], away: [] };
    expect(of({ queue }).attention).toMatchObject([
      { key: 'no-worker:local', title: 'No worker seems to run', at: '2026-11-20T11:58:30.000Z' },
    ]);
    expect(keys({ queue: { ...queue, taken: 2 } })).toEqual([]);
    expect(keys({ queue: { ...queue, seconds: 5 } })).toEqual([]);
  });

  test('an agent that waits beside a free place names the queue that no worker polls', () => {
    const queue = { pool: 'agents', trials: 1, seconds: 90, slots: 0, taken: 0, holders: [], away: [] };
    expect(of({ queue }).attention).toMatchObject([
      {
        level: 'warning',
        title: 'No worker takes proposal jobs',
        why: '1 trial waits for an agent for 1 min 30 s, and no worker polls fleet-agents',
        commands: ['npx perpetua worker --queues=fleet-agents'],
      },
    ]);
    expect(keys({ queue: { ...queue, slots: 1, taken: 1 } })).toEqual([]);
  });
});

describe('trials and learning', () => {
  test('a failed baseline run has an entry with its reason, unless a streak of failures shows it', () => {
    const newest = { trialId: 'x/1', status: 'crashed' as const, reason: 'no module named numpy' };
    const failedBaseline = { trials: 1, newest };
    const why =
      'no module named numpy. Proposals start from the same unmodified workspace and may fail for the same reason';
    expect(of({ failedBaseline }).attention).toMatchObject([
      { title: 'A baseline run failed', why, commands: ['npx perpetua show x/1'] },
    ]);
    const losingStreak = { trials: 3, orMore: false, newest };
    expect(of({ failedBaseline, losingStreak }).attention.map(({ title }) => title)).toEqual([
      'The last 3 trials failed',
    ]);
  });

  test('runs that other processes kept from a CPU are held against their machine, once for all researches', () => {
    const words = 'other processes kept the run from a CPU for 2 min 1 s of its 2 min 24 s; load 11.6 on 2 cores';
    const contention = (id: string) => ({ runs: 3, newest: { trialId: `${id}/12`, host: 'node3', words } });
    expect(of({ id: 'a', contention: contention('a') }, { id: 'b', contention: contention('b') }).attention).toEqual([
      {
        key: 'contention:node3',
        fingerprint: 'cpu',
        researches: ['a', 'b'],
        level: 'notice',
        title: 'Runs on node3 wait for a CPU',
        why:
          `3 runs of the last hour are not counted. The newest: ${words}. ` +
          'The candidates are not at fault: free cores, or use fewer slots',
        at: null,
        commands: ['npx perpetua show a/12'],
      },
    ]);
  });

  test('halted learning needs a person, other fired gates and a pinned policy are states', () => {
    const learning = { version: 3, pinned: true, halted: 'entropy fell' };
    const gatesFired = [
      { k: 8, at: HOUR_AGO, words: 'entropy fell', then: 'halt' as const },
      { k: 7, at: HOUR_AGO, words: 'lr is lower', then: 'tell' as const },
      { k: 6, at: HOUR_AGO, words: 'entropy 0.1 is below 0.2: lr 1 → 0.5', then: 'adjust' as const },
    ];
    expect(of({ learning, gatesFired }).attention).toMatchObject([
      { key: "learning-halted:my 'lab'", at: HOUR_AGO, why: 'entropy fell' },
    ]);
    expect(titles({ learning, gatesFired })).toEqual([
      'The policy is pinned',
      'A limit of the policy was crossed at update 7',
      'A limit of the policy was crossed at update 6',
    ]);
  });

  test('warnings come before notices, the newest first', () => {
    const contention = { runs: 1, newest: { trialId: 'x/1', host: 'node3', words: 'busy' } };
    const learning = { version: 3, pinned: false, halted: 'entropy fell' };
    const budgetOf = { ...CALM.budget, usd: { spent: 3, limit: 3 } };
    const since = { ...NO_BEGINNINGS, spent: HOUR_AGO };
    const [first, second, third] = of({ contention, learning, budget: budgetOf, since }).attention;
    expect([first, second, third].map((entry) => entry?.level)).toEqual(['warning', 'warning', 'notice']);
    expect(first?.at).toBe(HOUR_AGO);
  });
});
