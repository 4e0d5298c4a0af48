import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { researches, trials } from '../../../../db/schema.ts';
import { followResearch } from '../../../../cli/up/view/follow-research.ts';
import { insertResearch, insertStory, trialRow } from '../../support/lineage.ts';
import { startServer, type Lineage, type OwnServer } from '../../support/database.ts';
import { runOn } from '../../support/cli.ts';
import { type TemporalState, NO_OBSTACLE } from '../../../../cli/temporal/read-temporal-state.ts';
import { createTemporalPoller } from '../../../../cli/up/view/temporal-poller.ts';

let server: OwnServer;
let lineage: Lineage;

beforeAll(async () => {
  server = await startServer();
  lineage = await server.open();
});

afterAll(async () => {
  await lineage.close();
  await server.stop();
});

const addresses = {
  temporalUi: 'http://ui',
  temporal: null,
  shell: [],
  postgres: 'postgres://pg',
  dashboard: 'http://dash',
};

const quiet: TemporalState = { obstacle: null, notes: [], failing: [], error: null };
const broken = (): TemporalState => ({
  ...quiet,
  failing: [
    {
      workflowId: 'live/6',
      trial: 6,
      activity: 'score',
      attempt: 4,
      message: 'no room',
      since: new Date(Date.now() - 60_000).toISOString(),
      nextAttemptSeconds: 12,
    },
  ],
});
/** State of the research that Temporal reports now. */
let temporalState: () => TemporalState = broken;

function follow() {
  const ending = new AbortController();
  let text = '';
  const done = followResearch({
    databaseUrl: lineage.url,
    researchId: 'live',
    addresses,
    signal: ending.signal,
    ask: () => Promise.resolve(temporalState()),
    out: { isTTY: true, write: (more) => (text += more) },
  });
  return { text: () => text, done, end: () => (ending.abort(), done) };
}

describe('the lines of a research', () => {
  it('wait for the research, then report each event once, and continue after a Postgres that was away', async () => {
    const plain = follow();
    await vi.waitFor(() => expect(plain.text()).toContain('! score of #6 fails, attempt 4, for 1 min'), 60_000);
    expect(plain.text()).toMatch(/^waiting for the research live to start\n! score/);
    await insertStory(lineage.db, 'live');
    await vi.waitFor(() => expect(plain.text()).toContain('#5'), 60_000);
    expect(plain.text()).toContain('dashboard http://dash  (npx perpetua dashboard opens it)\n');
    expect(plain.text()).toContain('web ui    http://ui');
    expect(plain.text()).toContain('live running');
    expect(plain.text()).toContain('baseline 2.20 bits  sd of one run 0.2000 (3 runs)');
    expect(plain.text()).toContain('best 1.50 bits  live/4 · gain +0.70 = +3.5 sd of one run');

    temporalState = () => quiet;
    await vi.waitFor(() => expect(plain.text()).toContain('score of #6 does not fail any more'), 60_000);

    await server.halt();
    await vi.waitFor(() => expect(plain.text()).toContain('Postgres has not answered for'), 60_000);
    await server.restart();
    await vi.waitFor(() => expect(plain.text()).toContain('Postgres answers again'), 60_000);

    await lineage.db
      .update(trials)
      .set({ status: 'completed', value: 3, verdict: 'confirm', endedAt: new Date() })
      .where(eq(trials.n, 6));
    await vi.waitFor(() => expect(plain.text()).toMatch(/#6 +search +confirm/), 60_000);
    await lineage.db.update(trials).set({ verdict: 'discard' }).where(eq(trials.n, 6));
    await vi.waitFor(() => expect(plain.text()).toMatch(/#6 +search +discard/), 60_000);
    await lineage.db.update(researches).set({ phase: 'paused', reason: 'by a person' });
    await vi.waitFor(
      () => expect(plain.text()).toContain('live paused: by a person. To continue: npx perpetua resume live'),
      60_000,
    );

    expect(await plain.end()).toMatchObject({ phase: 'paused' });
    expect(plain.text().match(/#5 /g)).toHaveLength(1);
    expect(plain.text().match(/score of #6/g)).toHaveLength(2);
    expect(plain.text().match(/baseline/g)?.length).toBeLessThanOrEqual(4);
    expect(plain.text()).not.toContain('\x1b');
  });

  it('have the same numbers as the status as JSON, and `watch` ends with the research', async () => {
    await lineage.db.update(researches).set({ phase: 'stopped', reason: null });
    const watched = await runOn(lineage.url, ['watch', '--json']);
    const status = await runOn(lineage.url, ['status', '--json']);
    expect(watched.code).toBe(0);
    // After the end of a research, a watch does not query Temporal. It has no forecast and no attention.
    const absent = { failing: [], temporalError: null, forecast: undefined, attention: undefined };
    expect(watched.json()).toEqual((status.json() as object[]).map((line) => ({ ...line, ...absent })));
    await lineage.db.update(researches).set({ phase: 'failed' });
    const failed = await runOn(lineage.url, ['watch']);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('live failed');
  });

  it('end with code 1 if every trial of the research failed', async () => {
    const lost = await server.open();
    await insertResearch(lost.db, 'lost', { lastN: 3 });
    await lost.db.update(researches).set({ phase: 'stopped', reason: 'budget.trials is spent: 3 of 3' });
    const ended = { endedAt: new Date() };
    await lost.db
      .insert(trials)
      .values([
        trialRow('lost', 1, { ...ended, status: 'crashed' }),
        trialRow('lost', 2, { ...ended, status: 'timed_out' }),
        trialRow('lost', 3, { ...ended, status: 'cached' }),
      ]);
    const watched = await runOn(lost.url, ['watch']);
    expect(watched.code).toBe(1);
    expect(watched.stderr).toContain('lost ended without a success: 2 trials failed (1 crashed, 1 timed out)');
    await lost.db.update(trials).set({ status: 'completed', value: 1 }).where(eq(trials.n, 2));
    expect((await runOn(lost.url, ['watch'])).code).toBe(0);
    await lost.close();
  });
});

describe('queries to Temporal', () => {
  test('are made one at a time, at most every five seconds, with the last answer meanwhile', async () => {
    let now = 0;
    const answers: ((asked: TemporalState) => void)[] = [];
    const poll = createTemporalPoller(
      () => new Promise<TemporalState>((resolve) => answers.push(resolve)),
      () => now,
    );
    expect(poll([])).toBeNull();
    now = 9000;
    expect(poll([])).toBeNull();
    expect(answers).toHaveLength(1);
    answers[0]?.(NO_OBSTACLE);
    await Promise.resolve();
    expect(poll([])).toBe(NO_OBSTACLE);
    expect(answers).toHaveLength(2);
    answers[1]?.({ ...NO_OBSTACLE, error: 'away' });
    await Promise.resolve();
    now = 12_000;
    expect(poll([])?.error).toBe('away');
    expect(answers).toHaveLength(2);
  });
});
