import { afterAll, beforeAll, expect, test } from 'vitest';
import { PRESETS } from '../../../domain/task/presets.ts';
import { MEMORY_PATH } from '../../../domain/edit/answer/memory.ts';
import { byModel } from '../../support/e2e/cases.ts';
import { slowTask, untilStopped } from '../../support/e2e/slow-task.ts';
import { type Behaviour, type ScriptedEndpoint, startScriptedEndpoint } from '../../support/scripted-endpoint.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { editOf } from '../misbehaviour/bad-models/cases.ts';

const NAMES = ['karpathy', 'single-turn', 'icl', 'openevolve-like', 'shinka-like', 'generalist', 'generic', 'memory'];
const TRIALS = 12;

let stack: TestStack;
let endpoint: ScriptedEndpoint;

/** Sets the value that the parent has to another one each time, so that each candidate is new. */
const answer = (nth: number, { body }: { body: Record<string, unknown> }): Behaviour => {
  const current = /X=[\d.]+/.exec(JSON.stringify(body.messages))?.[0] ?? 'X=1.5';
  const edit = editOf('knobs.env', current, `X=${nth + 2}`);
  const text = body.model === 'memory' ? `${edit}\n${MEMORY_PATH}\n\`\`\`\`\nlearnt ${nth}\n\`\`\`\`\n` : edit;
  return { kind: 'answer', text };
};

beforeAll(async () => {
  stack = await startTestStack();
  endpoint = await startScriptedEndpoint({
    script: byModel(Object.fromEntries([...NAMES, 'hybrid'].map((name) => [name, answer]))),
  });
  await stack.startWorker({ slots: 4, env: { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test' } });
  for (const name of [...NAMES, 'hybrid']) {
    const knobs = [{ file: 'knobs.env', name: 'X', type: 'float' as const, range: [0, 100] as [number, number] }];
    const task = await slowTask(stack, name, {
      seconds: 0.1,
      task: { name, llm: { model: name }, ...(name === 'hybrid' ? { knobs } : {}) },
    });
    const overrides = PRESETS[name]?.overrides ?? expect.unreachable(name);
    await stack.startResearch(name, { task, ...overrides, window: 1, budget: { trials: TRIALS } });
  }
});
afterAll(async () => {
  await stack.stop();
  await endpoint.close();
});

const promptsOf = (name: string): string[] =>
  endpoint.requests.filter(({ body }) => body.model === name).map(({ body }) => JSON.stringify(body.messages));

/** The search trials of a preset's research, once it has ended. */
async function trialsOf(name: string) {
  await untilStopped(stack, name);
  const trials = await stack.query<{
    status: string;
    arm: string | null;
    operator: string | null;
    niche: number | null;
    original: boolean;
    reason: string;
    proposer: string;
  }>(
    `select trials.status, arm, operator, niche, trials.proposer, parent_reason as reason,
       parent_id = baseline_candidate as original
     from trials join researches on researches.id = research_id
     where research_id = $1 and kind = 'search' order by n`,
    [name],
  );
  expect(trials.length).toBeGreaterThanOrEqual(TRIALS);
  expect(trials.filter(({ status }) => status === 'completed').length).toBeGreaterThanOrEqual(TRIALS - 2);
  return trials;
}

test('karpathy claims by one run, and begins each proposal from the best so far', async () => {
  await trialsOf('karpathy');
  const [row] = await stack.query<{ policy: string; baselines: number }>(
    `select gate_config ->> 'policy' as policy,
       (select count(*)::int from trials where research_id = 'karpathy' and kind = 'baseline') as baselines
     from researches where id = 'karpathy'`,
  );
  expect(row).toEqual({ policy: 'strict', baselines: 1 });
});

test('single-turn shows the original and no trial', async () => {
  const trials = await trialsOf('single-turn');
  expect(trials.map(({ original }) => original)).toEqual(trials.map(() => true));
  expect(promptsOf('single-turn').filter((text) => /- trial \d+:/.test(text))).toEqual([]);
});

test('icl shows the trials before, from parents of the tree', async () => {
  const trials = await trialsOf('icl');
  expect(trials.filter(({ reason }) => reason.startsWith('puct ')).length).toBeGreaterThan(1);
  expect(promptsOf('icl').at(-1)).toMatch(/- trial \d+:/);
});

test('openevolve-like chooses parents on islands, and shows diverse candidates', async () => {
  const trials = await trialsOf('openevolve-like');
  expect(trials.every(({ niche }) => niche !== null)).toBe(true);
  const sizes = await stack.query<{ parts: string[] }>(
    `select jsonb_path_query_array(prompt_sizes, '$[*].part') as parts from calls
     where trial_id like 'openevolve-like/%' order by sent_at desc limit 1`,
  );
  expect(sizes[0]?.parts).toContain('inspirations');
});

test('shinka-like draws operators', async () => {
  const trials = await trialsOf('shinka-like');
  const drawn = new Set(trials.map(({ operator }) => operator));
  expect(drawn.has(null)).toBe(false);
  expect(drawn.size).toBeGreaterThan(1);
});

test('generalist shows the lineage, and generic gives ten proposers a turn each', async () => {
  await trialsOf('generalist');
  const [sizes] = await stack.query<{ parts: string[] }>(
    `select jsonb_path_query_array(prompt_sizes, '$[*].part') as parts from calls
     where trial_id like 'generalist/%' order by sent_at desc limit 1`,
  );
  expect(sizes?.parts).toContain('lineage');
  const arms = (await trialsOf('generic')).map(({ arm }) => arm);
  expect(arms.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, index) => `llm as generic-${index}`));
});

test('memory keeps a version of each answer', async () => {
  await trialsOf('memory');
  const versions = await stack.query(`select 1 from memories where research_id = 'memory'`);
  expect(versions.length).toBeGreaterThanOrEqual(TRIALS);
  expect(promptsOf('memory').at(-1)).toContain('learnt ');
});

test('hybrid lets a model and an optimizer propose', async () => {
  const trials = await trialsOf('hybrid');
  expect(new Set(trials.map(({ proposer }) => proposer))).toEqual(new Set(['llm', 'tpe']));
});
