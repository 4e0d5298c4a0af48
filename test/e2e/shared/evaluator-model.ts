import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { findHistory } from '../../../db/trial/history.ts';
import { createEvaluatorSandbox } from '../../../infra/compute/local.ts';
import { envOf } from '../../attacks/support/attacking.ts';
import { run } from '../../cli/support/cli.ts';
import { startScriptedEndpoint, USAGE } from '../../support/agents/scripted-endpoint.mjs';
import { untilAllStopped } from '../../support/e2e/cases.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

const SECRET = 'grade by the distance to 7';
const KEY = 'the-key-of-the-grader';

/** Grades a number by its distance to 7. */
function gradeOf(body: unknown): string {
  const x = Number(/x=(\S+)/.exec(JSON.stringify(body))?.[1]?.replace(/".*/, ''));
  return String(-((x - 7) ** 2));
}

/**
 * A worker's variables for a model that grades. It speaks Messages, so that the proposers of other subjects have no
 * endpoint.
 */
export async function openGrader(): Promise<{ env: Record<string, string>; close: () => Promise<void> }> {
  const { url, close } = await startScriptedEndpoint({ key: KEY, answer: ({ body }) => ({ say: gradeOf(body) }) });
  const prices = JSON.stringify({ grader: { input: 1000, output: 0 } });
  return { env: { ANTHROPIC_BASE_URL: url ?? '', ANTHROPIC_API_KEY: KEY, PERPETUA_PRICES: prices }, close };
}

/** Asks once, and for large numbers two times more, which is more than the task allows. */
const SCORE = `
import { readFileSync, writeSync } from 'node:fs';
const x = readFileSync('artefacts/out.txt', 'utf8').trim();
const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, PERPETUA_MODEL } = process.env;
if (ANTHROPIC_API_KEY !== 'none') throw new Error('a key');
let score = 0;
for (let asked = 0; asked < (x > 10 ? 3 : 1); asked += 1) {
  const content = '${SECRET} (' + asked + '): x=' + x;
  const answer = await fetch(ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': ANTHROPIC_API_KEY },
    body: JSON.stringify({ model: PERPETUA_MODEL, max_tokens: 9, messages: [{ role: 'user', content }] }),
  });
  if (answer.ok) score = Number((await answer.json()).content[0].text);
}
writeSync(3, JSON.stringify({ score }));
`;

let stack: TestStack;
const hasLoopback = await createEvaluatorSandbox({ home: '/tmp' }).hasOwnLoopback();

export function evaluatorModelTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  test.skipIf(!hasLoopback)(
    "an evaluator asks a model: its score is the model's, its calls are charged, and no proposer reads them",
    async () => {
      const name = 'graded';
      const task = await writeTask(join(stack.home, 'tasks', name), {
        task: {
          name,
          evaluator: { type: 'artefact', command: 'node score.mjs', llm: { model: 'grader', calls: 2 } },
          keep: { policy: 'strict', baselineRuns: 1 },
        },
        files: { 'evaluator/score.mjs': SCORE },
      });
      const research = { taskQueue: 'perpetua', workflowId: name };
      const args = [{ task, tempo: 0.25, window: 1, budget: { trials: 2, usd: 100 } }] as const;
      for (const X of ['6.5', '13'])
        await stack.client.workflow.signalWithStart('research', {
          ...research,
          args: [...args],
          signal: 'inject',
          signalArgs: [{ files: { 'knobs.env': `X=${X}\n` }, hypothesis: `X is ${X}` }],
        });
      await untilAllStopped(stack, [name]);
      const trials = await stack.query(
        `select kind, status, value, trusted, failure as label, failure_message as message from trials
         where research_id = $1 and kind in ('baseline', 'injected') order by n`,
        [name],
      );
      const message =
        "the evaluator asked its model again: the limit of this scoring's model calls is spent: 2 of 2 calls";
      expect(trials).toMatchObject([
        { kind: 'baseline', status: 'completed', value: -30.25, trusted: true },
        { kind: 'injected', status: 'completed', value: -0.25 },
        { kind: 'injected', status: 'crashed', value: null, label: 'call-limit', message },
      ]);
      const calls = await stack.query<Record<string, unknown>>(
        `select trial_id, role, scoring, model, protocol, tokens_in, tokens_out, usd from calls
         where trial_id like 'graded/%'`,
      );
      const call = { role: 'evaluator', scoring: 1, model: 'grader', protocol: 'messages', tokens_out: USAGE.output };
      const tokens_in = USAGE.input + USAGE.cached;
      expect(calls).toEqual(
        calls.map(({ trial_id }) => ({ trial_id, ...call, tokens_in, usd: (tokens_in * 1000) / 1e6 })),
      );
      // Each run is scored once, with one call; the last injected one spends its two.
      const [sums] = await stack.query<Record<string, number>>(
        `select (select count(*)::int + 1 from trials where research_id = researches.id and kind <> 'search') as asked,
           tokens::int, usd from researches where id = $1`,
        [name],
      );
      expect(calls).toHaveLength(sums?.['asked'] ?? 0);
      expect(sums?.['tokens']).toBe(calls.length * (tokens_in + USAGE.output));
      expect(sums?.['usd']).toBeCloseTo(calls.length * tokens_in * 0.001);
      const { db, close } = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
      try {
        expect(JSON.stringify(await findHistory(db, { researchId: name, limit: 9 }))).not.toContain(SECRET);
      } finally {
        await close();
      }
      const texts = async (...argv: string[]) => (await run(argv, { env: envOf(stack) })).stdout;
      const first = String(calls[0]?.['trial_id']);
      expect(await texts('show', first, '--json', '--prompt')).not.toContain(SECRET);
      expect(await texts('calls', first)).toMatch(/ · 1 call · .*\n\ncall 0 · evaluator · grader · /);
      expect(await texts('calls', first, '--evaluator')).toContain(SECRET);
    },
  );

  test.skipIf(!hasLoopback)('check says what the calls of one scoring cost', async () => {
    const name = 'graded-once';
    const task = await writeTask(join(stack.home, 'tasks', name), {
      task: { name, evaluator: { type: 'artefact', command: 'node score.mjs', llm: { model: 'grader' } } },
      files: { 'evaluator/score.mjs': SCORE },
    });
    const { stdout } = await run(['check', task], { env: envOf(stack) });
    expect(stdout).toMatch(/evaluator +may ask a model: at most 50 calls, 1\.0M tokens for each scoring/);
    expect(stdout).toMatch(/evaluator +asked a model: 1 call, 1150 tokens, \$1\.10/);
  });
}
