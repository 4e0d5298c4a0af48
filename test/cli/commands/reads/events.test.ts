import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { insertResearch } from '../../support/lineage.ts';
import { runOn } from '../../support/cli.ts';
import { useDatabase } from '../../../db/support.ts';
import type { Phase } from '../../../../domain/research/phase.ts';

const bench = useDatabase();

const ENDED = { kind: 'search', value: null, seconds: 1 };

const tell = (researchId: string, why: string) =>
  bench.store.event.insertEvents([{ kind: 'endpoint-down', researchId, data: { why } }]);

beforeAll(async () => {
  for (const id of ['toy', 'other']) await insertResearch(bench.db, id);
  await tell('toy', 'refused\x1b[31m');
  await bench.store.event.insertEvents([
    { kind: 'host-out', researchId: null, data: { host: 'h', why: 'no route' } },
    { kind: 'trial-ended', researchId: 'other', n: 2, data: { ...ENDED, status: 'crashed', failure: 'signal' } },
  ]);
  // Events of a newer version: an unknown kind, and unknown data of a known kind.
  await bench.db.execute(sql`
    insert into events (research_id, kind, level, n, data) values
      ('toy', 'policy-learned', 'loud', 7, '{"gain": 2}'), ('toy', 'window', 'info', null, '{"slots": 3}')`);
});

/** Runs `events` until it prints so many lines: an open transaction of another test may hold events back. */
async function lines(argv: string[], count: number) {
  for (;;) {
    const ran = await runOn(bench.url, ['events', ...argv]);
    if (ran.code !== 0 || ran.stdout.trim().split('\n').length === count) return ran;
  }
}

test('each event is one line without escape sequences; one of another version has its kind and data', async () => {
  const { code, stdout } = await lines(['toy'], 3);
  expect(code).toBe(0);
  expect(
    stdout
      .replaceAll(/^\S{20}/gm, 'WHEN')
      .trimEnd()
      .split('\n'),
  ).toEqual([
    'WHEN  warning  toy               the model endpoint is down: refused',
    'WHEN  loud     toy               policy-learned #7 {"gain":2}',
    'WHEN  info     toy               window {"slots":3}',
  ]);
});

test('events without an id are those of every research and of the hosts', async () => {
  const { stdout } = await lines([], 5);
  expect(stdout).toContain('-                 host h is in quarantine: no route');
  expect(stdout).toContain('other             #2 ended: crashed (signal)');
});

test('a script continues from the cursor of its last line', async () => {
  const all = (await lines(['--json'], 5)).json() as { cursor: string; kind: string }[];
  const [, second] = all;
  const rest = await runOn(bench.url, ['events', '--json', '--after', second?.cursor ?? '']);
  expect(rest.json()).toEqual(all.slice(2));
  const last = await runOn(bench.url, ['events', '--json', '--last', '2']);
  expect(last.json()).toEqual(all.slice(-2));
  expect(all[0]).toMatchObject({ researchId: 'toy', level: 'warning', n: null, data: { why: 'refused\x1b[31m' } });
});

test.each([
  [['nowhere'], /Expected the id of a research, one of: toy, other/],
  [['--after', 'now'], /cursor like 0:0, got "now"/],
  [['--last', 'few'], /--last/],
])('the invalid arguments %j are refused', async (argv, why) => {
  const { code, stderr } = await runOn(bench.url, ['events', ...argv]);
  expect(code).toBe(2);
  expect(stderr).toMatch(why);
});

test('a follower prints new events, and ends with Ctrl-C', async () => {
  const stop = new AbortController();
  let out = '';
  const write = (text: string): void => {
    out += text;
    if (text.includes('later')) stop.abort();
  };
  const argv = ['events', 'other', '-f'];
  const following = runOn(bench.url, argv, { signal: stop.signal, stdout: { write } });
  await tell('other', 'later');
  expect((await following).code).toBe(0);
  expect(out).toContain('the model endpoint is down: later');
});

test.each([
  ['ends', 'stopped' as const, 0, ''],
  ['fails', 'failed' as const, 1, 'failed. To see why: npx perpetua status'],
])('a follower of a research that %s ends with it, with its exit code', async (_, phase, code, words) => {
  const id = `follow-${phase}`;
  await insertResearch(bench.db, id, { phase: 'paused' });
  const enter = (next: Phase) =>
    bench.store.research.recordPhase({ researchId: id, phase: next, reason: null, window: 1, activeSeconds: 1 });
  // The event of the end may be held back for a moment. A follower waits for it only if the research has phase events.
  await enter('running');
  await tell(id, 'first');
  const end = () => enter(phase);
  let out = '';
  const write = (text: string): void => {
    if (text.includes('first')) void end();
    out += text;
  };
  const followed = await runOn(bench.url, ['events', id, '-f'], { stdout: { write } });
  expect(followed).toMatchObject({ code });
  expect(followed.stderr).toContain(words);
  expect(out).toContain(`running → ${phase}`);
  // For a research that has ended, the follower prints the events and ends at once.
  expect(await runOn(bench.url, ['events', id, '-f'])).toMatchObject({ code, stdout: out });
});
