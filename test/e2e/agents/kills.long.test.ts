import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRandom } from '../../../domain/statistics/random.ts';
import { agentTrials, killRelays, openAgentBench, startAgentResearch } from '../../support/agents/agent-bench.ts';
import { expectEventsOnce, expectNoProcesses } from '../../support/database/ledger.ts';
import { startTestStack } from '../../support/stack.ts';

/** Number of proposals and of kills; the bench of the release sets 50 and 100. */
const PROPOSALS = Number(process.env['PERPETUA_AGENT_PROPOSALS'] ?? 8);
const KILLS = Number(process.env['PERPETUA_AGENT_KILLS'] ?? 12);
const TURNS = 4;
/** Proposals by which strikes may be ahead of a steady pace. */
const AHEAD = 2;
/** An installed agent in place of the scripted one, such as `pi`. */
const AGENT = process.env['PERPETUA_AGENT'];

test('random kills of agent, relay, worker and Temporal lose no call, no work tree and no proposal', async () => {
  const bench = await openAgentBench({ wait: 300, turns: TURNS, edit: 'echo X=6.{call} >knobs.env' });
  const stack = await startTestStack({ durable: true });
  try {
    const options = { slots: 2, env: { ...bench.env, PERPETUA_AGENTS: '2' } };
    let worker = await stack.startWorker(options);
    await startAgentResearch(stack, 'killed', { agent: AGENT ?? bench.recipe(), proposals: PROPOSALS });
    const random = createRandom(44);
    const kills: Record<string, () => Promise<unknown>> = {
      agent: () => Promise.resolve(AGENT === undefined ? bench.killAgents() : bench.killInstalled()),
      relay: () => Promise.resolve(killRelays(stack)),
      worker: async () => {
        await worker.kill();
        worker = await stack.startWorker(options);
      },
      temporal: async () => {
        await stack.temporal.kill();
        await stack.temporal.start();
      },
    };
    const names = Object.keys(kills);
    const readProgress = async () => {
      const [row] = await stack.query<{ over: boolean; ended: number }>(
        `select phase = 'stopped' as over, (select count(*)::int from trials
           where research_id = 'killed' and kind = 'search' and status is not null) as ended
         from researches where id = 'killed'`,
      );
      return { over: row?.over === true, ended: row?.ended ?? 0 };
    };
    /** Resolves to true for the next strike, so that strikes fall on all proposals; to false at the end. */
    const untilNext = async (strikes: number): Promise<boolean> => {
      const seen = bench.endpoint.requests.length;
      for (;;) {
        const { over, ended } = await readProgress();
        if (over) return false;
        const isDue = ended >= Math.floor((strikes * PROPOSALS) / KILLS) - AHEAD;
        if (isDue && bench.endpoint.requests.length > seen) return true;
        await sleep(50);
      }
    };
    const struck: Record<string, number> = {};
    for (let strikes = 0; strikes < KILLS && (await untilNext(strikes)); strikes += 1) {
      const name = names[Math.floor(random.uniform() * names.length)] ?? 'agent';
      // A strike at a random moment after another call has reached the endpoint.
      await sleep(random.uniform() * 400);
      await kills[name]?.();
      struck[name] = (struck[name] ?? 0) + 1;
    }
    await stack.until(
      'the research to end',
      `select phase = 'stopped' as done from researches where id = 'killed'`,
      [],
      60 * PROPOSALS,
    );
    const trials = await agentTrials(stack, 'killed');
    expect(trials).toHaveLength(PROPOSALS);
    const unhappy = trials.filter(({ status }) => !['completed', 'cached'].includes(status));
    const [ledger] = await stack.query<{ calls: number; repeated: number; open: number }>(
      `select count(*)::int as calls, coalesce(sum(repeated), 0)::int as repeated,
         (count(*) filter (where answered_at is null and error is null))::int as open from calls`,
    );
    const [jobs] = await stack.query<{ jobs: number; open: number }>(
      `select count(*)::int as jobs, (count(*) filter (where ended_at is null))::int as open
       from jobs where kind = 'proposal'`,
    );
    const requests = bench.endpoint.requests.filter(({ method }) => method === 'POST').length;
    console.log(JSON.stringify({ struck, trials: trials.length, unhappy, requests, ...ledger }));
    expect(unhappy).toEqual([]);
    expect(jobs).toEqual({ jobs: PROPOSALS, open: 0 });
    // Each request is an answered row, or one that was sent again and is counted as bought twice.
    expect((ledger?.calls ?? 0) + (ledger?.repeated ?? 0)).toBeGreaterThanOrEqual(requests);
    await expectEventsOnce(stack, 'killed');
    expect(await stack.query(`select id from slots where state = 'leased'`)).toEqual([]);
    await expectNoProcesses(stack.home);
  } finally {
    await stack.stop();
    await bench.close();
  }
});
