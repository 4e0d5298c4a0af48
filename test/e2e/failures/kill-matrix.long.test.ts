import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KillPoint } from '../../../activities/deps.ts';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import { untilLaunched } from '../../support/e2e/slow-task.ts';
import { expectUnharmed, RUN, runOf, SEARCHES, survive } from '../../support/e2e/survive.ts';
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../support/scripted-endpoint.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

const stopped = `select phase = 'stopped' as done, phase, reason, last_n from researches where id = $1`;

let stack: TestStack;
let endpoint: ScriptedEndpoint;
/** The worker that took over last, which dies in the next case. */
let worker: TestWorker;
const startWorker = (): Promise<TestWorker> =>
  stack.startWorker({ slots: 2, env: { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test' } });

beforeAll(async () => {
  stack = await startTestStack();
  endpoint = await startScriptedEndpoint({ script: ({ n }) => ({ kind: 'answer', text: editTo(n + 2) }) });
  worker = await startWorker();
});
afterAll(async () => {
  await stack.stop();
  await endpoint.close();
});

const editTo = (x: number): string =>
  [
    'Hypothesis: another value.',
    '',
    'knobs.env',
    '```',
    '<<<<<<< SEARCH',
    'X=1.5',
    '=======',
    `X=${x}`,
    '>>>>>>> REPLACE',
    '```',
  ].join('\n');

/** Runs one research whose only worker dies at the point, once; another worker takes over. */
async function surviveAt(killAt: KillPoint, proposer: 'random' | 'llm') {
  const requests = endpoint.requests.length;
  const restart = async (): Promise<void> => {
    worker = await startWorker();
  };
  const id = await survive(stack, worker, { killAt, proposer, restart });
  return { id, requests: endpoint.requests.length - requests };
}

/** Makes the next supervisor of a run die right after its claim, once. Running ones go on with the old file. */
function dieOnceClaimed(died: string): void {
  const bin = join(stack.home, 'bin');
  const name = readdirSync(bin).find((file) => /^supervisor-\w+\.sh$/.test(file)) ?? '';
  const text = readFileSync(join(bin, name), 'utf8');
  const death = `[ "$talk" = 1 ] || ! mkdir '${died}' 2>/dev/null || kill -KILL $$`;
  const dies = text.replace('\n  claim\n', (claim) => `${claim}  ${death}\n`);
  expect(dies).not.toBe(text);
  writeFileSync(join(bin, 'dies'), dies);
  renameSync(join(bin, 'dies'), join(bin, name));
}

describe('killed at every step', () => {
  test.each(FAULTS['worker-dies/local/random'])(
    'a worker that dies at %s costs nothing: the same trials, each once, the same verdicts',
    async (point) => {
      const { id } = await surviveAt(point, 'random');
      expect(await expectUnharmed(stack, id)).toBe(0);
    },
  );

  test('a curve of 20,000 lines is stored whole and once, over a worker that dies in its middle', async () => {
    const lines = 20_000;
    const curve = `awk 'BEGIN { for (i = 1; i <= ${lines}; i++) print "step " i " loss " 1 / i }'`;
    const task = await writeTask(join(stack.home, 'tasks/long-curve'), {
      task: { search: { parent: 'original', proposer: 'random', window: 1 } },
      files: { 'workspace/run.sh': `. ./knobs.env\n${curve}\necho "$X" > out.txt\n` },
    });
    worker.dieAt('mid-run');
    await stack.startResearch('long-curve', { task, budget: { trials: 1 } });
    await worker.gone;
    worker = await startWorker();
    await stack.until('the research to end', stopped, ['long-curve']);
    const curves = await stack.query(
      `select count(*)::int as points, count(distinct step)::int as steps, min(step)::int as first,
         max(step)::int as last, bool_and(abs(value * step - 1) < 1e-3) as true_to_its_step
       from points where trial_id like 'long-curve/%' group by trial_id`,
    );
    const whole = { points: lines, steps: lines, first: 1, last: lines, true_to_its_step: true };
    expect(curves).toEqual([whole, whole]);
  });

  test.each(FAULTS['worker-dies/local/llm'])(
    'a worker that dies at %s buys at most the one answer that was never stored',
    async (point) => {
      const repeated = point === 'proposal-stored' ? 0 : 1;
      const { id, requests } = await surviveAt(point, 'llm');
      const again = await expectUnharmed(stack, id);
      expect(again).toBeGreaterThanOrEqual(repeated);
      // Two trials are under way, so at most two requests were in the air.
      expect(again).toBeLessThanOrEqual(2 * repeated);
      expect(requests).toBeLessThanOrEqual(SEARCHES + again);
    },
  );

  test('a supervisor that dies right after its claim, before any start, costs nothing but a placement', async () => {
    const id = 'claimed';
    const [go, died] = [join(stack.home, 'go'), join(stack.home, 'supervisor-died')];
    const task = await writeTask(join(stack.home, 'tasks', id), {
      task: {
        run: runOf(stack, id, { GO: go }),
        search: { parent: 'original', proposer: 'random', window: 2 },
      },
      files: { 'workspace/run.sh': `while [ ! -e "$GO" ]; do sleep .1; done\n${RUN}` },
    });
    await stack.startResearch(id, { task, budget: { trials: SEARCHES } });
    // The first runs wait until those that come later have a supervisor that dies.
    await untilLaunched(stack, id);
    dieOnceClaimed(died);
    writeFileSync(go, '');
    await stack.until('the research to end', stopped, [id]);
    expect(existsSync(died)).toBe(true);
    expect(await expectUnharmed(stack, id, { lost: 1 })).toBe(0);
  });

  test('a worker that is asked to stop leaves no slot offered', async () => {
    await worker.stop();
    expect(await stack.query(`select id, state from slots where state in ('offered', 'leased')`)).toEqual([]);
  });
});
