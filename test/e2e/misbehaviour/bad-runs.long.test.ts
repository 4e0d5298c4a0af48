import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  byModel,
  caseTask,
  inTurn,
  readTrialRecords,
  sleepingProcesses,
  slotStates,
  untilAllStopped,
  type TrialRecord,
} from '../../support/e2e/cases.ts';
import { expectNoProcesses } from '../../support/database/ledger.ts';
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../support/scripted-endpoint.ts';
import { namesOf, PRINTED, RULES, RUNS, scriptOf, type Case } from './bad-runs/cases.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

const SLOTS = 4;
/** Time limit that ends the runs that hang; the others end by themselves long before. */
const TIMEOUT_SECONDS = 15;
const RULES_SECONDS = 60;

let stack: TestStack;
let endpoint: ScriptedEndpoint;
const kept: Record<string, TrialRecord[]> = {};

beforeAll(async () => {
  stack = await startTestStack();
  endpoint = await startScriptedEndpoint({
    script: byModel({ runs: inTurn(namesOf(RUNS)), printed: inTurn(namesOf(PRINTED)), rules: inTurn(namesOf(RULES)) }),
  });
  const run = {
    command: 'sh run.sh',
    budget: { seconds: 1 },
    timeoutSeconds: TIMEOUT_SECONDS,
    graceSeconds: 0.3,
    resources: { memoryMb: 200, processes: 30, outputMb: 0.1, diskMb: 8 },
    sandbox: 'preferred' as const,
  };
  const artefacts = [{ path: 'out.txt', maxMb: 1 }];
  const fromStdout = { name: 'score', direction: 'maximize' as const, min: -100, max: 0, from: 'stdout' as const };
  const tasks = {
    runs: { task: { ...caseTask('runs', RUNS.length), run: { ...run, artefacts } }, files: scriptOf(RUNS) },
    printed: {
      task: { ...caseTask('printed', PRINTED.length), run, evaluator: { type: 'none' as const }, metric: fromStdout },
      files: scriptOf(PRINTED),
    },
    rules: {
      task: {
        ...caseTask('rules', RULES.length),
        // None of them runs to its timeout.
        run: { ...run, timeoutSeconds: RULES_SECONDS, artefacts },
        progress: { pattern: 'step (?<step>\\S+) loss (?<value>\\S+)', divergeFactor: 2, stallSeconds: 8 },
      },
      files: scriptOf(RULES),
    },
    hopeless: {
      task: {
        run: { ...run, artefacts },
        search: { parent: 'best' as const, proposer: 'random' as const, window: 2 },
        budget: { trials: 3 },
      },
      files: { 'workspace/run.sh': 'echo "it never works"; exit 9\n' },
    },
    held: {
      task: { search: { parent: 'best' as const, proposer: 'random' as const, window: 3 }, budget: { trials: 2 } },
      files: { 'workspace/run.sh': '. ./knobs.env\n[ "$X" != 1.5 ] || { sleep 1; exit 9; }\necho "$X" > out.txt\n' },
    },
    adopted: {
      task: { search: { parent: 'best' as const, proposer: 'random' as const, window: 1 }, budget: { trials: 2 } },
      files: { 'workspace/run.sh': '. ./knobs.env\n[ "$X" != 1.5 ] || exit 9\necho "$X" > out.txt\n' },
    },
  };
  await stack.startWorker({ slots: SLOTS, env: { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test' } });
  for (const [id, files] of Object.entries(tasks))
    await stack.startResearch(id, { task: await writeTask(join(stack.home, 'tasks', id), files) });
  await untilAllStopped(stack, Object.keys(tasks), 600);
  for (const id of Object.keys(tasks)) kept[id] = await readTrialRecords(stack, id);
});
afterAll(async () => {
  await stack.stop();
  await endpoint.close();
});

function expectCase(research: string, { name, status, failure, tail, value }: Case): TrialRecord {
  const trial = kept[research]?.find(({ hypothesis }) => hypothesis === name);
  expect(trial, `a trial with the hypothesis ${name}`).toBeDefined();
  expect({ status: trial?.status, failure: trial?.failure }).toEqual({ status, failure });
  expect(trial?.tree_gone).toBe(true);
  if (tail) expect(trial?.log_tail).toMatch(tail);
  if (value !== undefined) expect(trial?.value).toBe(value);
  if (status !== 'completed') expect(trial).toMatchObject({ value: null, verdict: 'discard' });
  if (status !== 'completed') expect(trial?.failure_message).toBeTruthy();
  return trial!;
}

describe('a run that misbehaves', () => {
  test.each(RUNS)('and $name ends as $status, with its output', (bad) => {
    const trial = expectCase('runs', bad);
    expect(trial.trusted).toBe(trial.sandboxed);
  });

  test.each(PRINTED)('and prints the metric of $name ends as $status, untrusted', (bad) => {
    expect(expectCase('printed', bad).trusted).toBe(false);
  });

  test.each(RULES)('and prints the progress of $name ends as $status', (bad) => void expectCase('rules', bad));

  test('is stopped by a hard rule long before its time limit', async () => {
    const rows = await stack.query<{ seconds: number }>(
      `select seconds from trials where research_id = 'rules' and failure in ('not-finite', 'diverged')`,
    );
    expect(rows.length).toBe(5);
    expect(Math.max(...rows.map(({ seconds }) => seconds))).toBeLessThan(RULES_SECONDS);
  });

  test('keeps its points, also those that are not finite', async () => {
    const rows = await stack.query<{ hypothesis: string; values: string }>(
      `select hypothesis, string_agg(points.value::text, ' ' order by seq) as values
       from trials join points on points.trial_id = trials.id
       where research_id = 'rules'
         and hypothesis in ('nan', 'inf', 'bar-of-nan', 'bar-that-lives', 'lines-beside-a-bar')
       group by 1 order by 1`,
    );
    expect(rows).toEqual([
      { hypothesis: 'bar-of-nan', values: expect.stringMatching(/^1 NaN/) as string },
      { hypothesis: 'bar-that-lives', values: '1' },
      { hypothesis: 'inf', values: 'Infinity' },
      { hypothesis: 'lines-beside-a-bar', values: '1 2 3' },
      { hypothesis: 'nan', values: 'NaN' },
    ]);
  });
});

describe('the research', () => {
  test.each([
    ['runs', RUNS.length],
    ['printed', PRINTED.length],
    ['rules', RULES.length],
    ['hopeless', 3],
    ['held', 2],
    ['adopted', 2],
  ])('%s continues, runs its %d search trials once each, and ends when its budget is spent', async (id, searches) => {
    const [research] = await stack.query('select phase, reason from researches where id = $1', [id]);
    const nothing = id === 'hopeless' ? `; every trial failed (${kept[id]?.length})` : '';
    expect(research).toEqual({
      phase: 'stopped',
      reason: `budget.trials is spent: ${searches} of ${searches}${nothing}`,
    });
    expect(kept[id]?.filter(({ kind }) => kind === 'search')).toHaveLength(searches);
    expect(kept[id]?.filter(({ status }) => status === null)).toEqual([]);
    const result = (await stack.client.workflow.getHandle(id).result()) as { reason: string };
    expect(result.reason).toBe(research?.['reason']);
  });

  test('counts no failed trial as completed, and claims only candidates that have a value', async () => {
    const [row] = await stack.query(
      `select
         count(*) filter (where status = 'completed' and (value is null or failure is not null))::int as false_ends,
         count(*) filter (where status <> 'completed' and (value is not null or verdict = 'keep'))::int as false_wins
       from trials`,
    );
    expect(row).toEqual({ false_ends: 0, false_wins: 0 });
    const claims = await stack.query(
      `select research_id from claims where not exists (select from trials where trials.research_id = claims.research_id
         and trials.candidate_id = claims.candidate_id and status = 'completed')`,
    );
    expect(claims).toEqual([]);
  });

  test('whose unmodified version never works claims nothing, or the first candidate that works', async () => {
    expect(kept['hopeless']?.every(({ status, failure }) => status !== 'completed' && failure !== null)).toBe(true);
    expect(await stack.query(`select * from claims where research_id = 'hopeless'`)).toEqual([]);
    expect(kept['adopted']?.find(({ verdict }) => verdict === 'keep')?.reason).toMatch(/no usable baseline/);
    const held = kept['held']?.filter(({ kind }) => kind === 'search') ?? [];
    expect(held.map(({ verdict }) => verdict)).not.toContain('none');
    const [claim] = await stack.query(`select max(value) as value from claims where research_id = 'held'`);
    expect(claim?.['value']).toBe(Math.max(...held.map(({ value }) => value ?? -Infinity)));
  });

  test('gets every slot back and leaves no process', async () => {
    expect(await slotStates(stack)).toEqual({ leased: 0, usable: SLOTS });
    await expect.poll(sleepingProcesses).toEqual([]);
    await expectNoProcesses(stack.home);
  });
});
