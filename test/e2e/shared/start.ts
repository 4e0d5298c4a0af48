import { mkdir, writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';
import { run } from '../../cli/support/cli.ts';

let stack: TestStack;

const environment = () => ({
  PATH: '/usr/bin:/bin',
  DATABASE_URL: stack.databaseUrl,
  TEMPORAL_ADDRESS: stack.temporalAddress,
  PERPETUA_HOME: stack.home,
});
const perpetua = (...argv: string[]) => run(argv, { env: environment(), openingTimeoutMs: 100_000 });

/** A valid task whose proposer is `auto`, without knobs: the workers have no model either. */
async function withoutProposer(): Promise<string> {
  const folder = await writeTask(join(stack.home, 'nobody'), { task: { name: 'nobody' } });
  const file = join(folder, 'task.yaml');
  const yaml = await readFile(file, 'utf8');
  await writeFile(file, yaml.replace(/knobs:\n(?: .*\n)+/, '').replace('proposer: random', 'proposer: auto'));
  return folder;
}

export function startTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  test('start says why a research is refused by the worker, and ends with 2', async () => {
    const task = await withoutProposer();
    const { code, stdout, stderr } = await perpetua('start', task);
    expect(stderr).toMatch(
      /^The research nobody was refused: nobody\/task\.yaml:\d+:\d+ search\.proposer: random needs knobs/,
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });

    const named = await perpetua('start', task, '--proposer', 'llm', '--json');
    const message = expect.stringContaining('search.proposer: llm needs a model endpoint') as unknown;
    expect(named.code).toBe(2);
    expect(named.json()).toEqual([{ error: { code: 'refused', message } }]);
  });

  test('start says so once the research is open, and refuses its id for another task', async () => {
    const one = await writeTask(join(stack.home, 'one'), { task: { name: 'one' } });
    const options = [
      '--budget-trials',
      '1',
      '--budget-proposals',
      '70',
      '--budget-slot-seconds',
      '600',
      '--seed',
      'pair',
    ];
    const started = await perpetua('start', one, ...options, '--json');
    expect(started.json()).toMatchObject([{ workflowId: 'one', opened: true }]);
    expect(await stack.query(`select budget, seed_root from researches where id = 'one'`)).toMatchObject([
      { budget: { trials: 1, proposals: 70, slotSeconds: 600 }, seed_root: 'pair' },
    ]);
    await stack.client.workflow.getHandle('one').result();

    const two = await writeTask(join(stack.home, 'two'), { task: { name: 'two' } });
    const { code, stderr } = await perpetua('start', two, '--id', 'one');
    expect(code).toBe(2);
    expect(stderr).toMatch(/task: research one is about one, got two; start it under a new workflow id/);
    const again = await perpetua('start', one, '--budget-trials', '2');
    expect(again.stdout).toContain('the research one on the task one is open again: 2 trials so far');
    expect(again.stderr).toBe('');
    await stack.client.workflow.getHandle('one').result();
    const spent = await perpetua('start', one, '--budget-trials', '2');
    expect(spent).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^note: budget\.trials is spent: 2 of 2, so no new proposal starts and the research ends; to start it with more: npx perpetua start one --id one --budget-trials 3\n?$/,
      ) as string,
    });
    await stack.client.workflow.getHandle('one').result();

    // A research goes by its own id, not by its task's name.
    const other = await perpetua('start', one, '--id', 'mine', '--budget-trials', '1');
    expect(other).toMatchObject({ code: 0, stdout: expect.stringContaining('started the research mine') as string });
    await stack.client.workflow.getHandle('mine').result();
    const mistaken = await perpetua('start', 'mine');
    expect(mistaken.code).toBe(2);
    expect(mistaken.stderr).toContain(
      'came "mine", which is a research on one. To go on with it: npx perpetua start one --id mine',
    );

    // Its folder is nowhere that `start one` looks: the stored version is what goes on.
    const byName = await perpetua('start', 'one', '--budget-trials', '3', '--json');
    expect(byName.json()).toMatchObject([{ workflowId: 'one', opened: true }]);
    await stack.client.workflow.getHandle('one').result();
    expect(await stack.query(`select phase, reason from researches where id = 'one'`)).toMatchObject([
      { reason: 'budget.trials is spent: 3 of 3' },
    ]);
    expect((await perpetua('start', 'never-seen')).code).toBe(2);
  });

  test('start --source makes a task of a program, and its research scores what the program leaves; --git follows it', async () => {
    const source = join(stack.home, 'program');
    await mkdir(source);
    await writeFile(join(source, 'train.sh'), 'RATE=1.5\necho "$RATE" > rate.txt\n');
    await writeFile(join(source, 'evaluate.sh'), `awk '{print "loss: " ($1-7)*($1-7)}' rate.txt\n`);
    const options = ['--run', 'sh train.sh', '--eval', 'sh evaluate.sh', '--metric', 'loss', '--minimize'];
    const out = join(stack.home, 'made');
    const git = join(stack.home, 'followed');
    const more = ['--out', out, '--budget-trials', '1', '--git', git, '--json'];
    const started = await perpetua('start', '--source', source, ...options, ...more);
    // A proposal may be better, and be a claim.
    expect(started.json().slice(0, 2)).toMatchObject([
      { workflowId: 'program', task: out, opened: true },
      { branch: 'perpetua/program', claim: 0 },
    ]);
    // The research runs by now: an edit of the folder alone would not reach it.
    expect(started.stderr).toContain(
      `edit ${out}/task.yaml, then send it: temporal workflow update execute --workflow-id program --name changeTask --input '{"task":"${out}"}'`,
    );
    await stack.client.workflow.getHandle('program').result();
    const { json } = await perpetua('log', 'program', '--json');
    expect(json()).toContainEqual(
      expect.objectContaining({ n: 1, kind: 'baseline', status: 'completed', value: 30.25 }),
    );
    const both = await perpetua('start', 'made', '--source', source, ...options);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('and not both') as string });
  });

  test('a value of --set that the task does not take is refused in the words of task.yaml', async () => {
    const task = await writeTask(join(stack.home, 'set'), { task: { name: 'set' } });
    const { code, stderr } = await perpetua('start', task, '--set', 'search.parent=bset', '--set', 'search.windw=2');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /search\.parent: expected one of original, .* or a mapping with name, came the text "bset"; did you mean best\?/,
    );
    expect(stderr).toMatch(/search\.windw: the key is not known; expected one of .*; did you mean window\?$/m);
  });

  test('a preset that the task does not take is refused by its name, and --set is laid over it', async () => {
    const task = await writeTask(join(stack.home, 'set'), { task: { name: 'set' } });
    const refused = await perpetua('start', task, '--preset', 'grpo');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /^Expected --preset grpo with values that the task set takes; search\.proposer: expected one with weights of its own/,
    );
    const both = await perpetua('start', task, '--preset', 'grpo', '--set', 'search.update.batch=20');
    expect(both.stderr).toMatch(
      /^Expected --preset grpo and --set with .* search\.update\.batch: expected a multiple of group, which is 8/,
    );
    const taken = await perpetua(
      'start',
      task,
      '--id',
      'preset',
      '--preset',
      'sdpo-ckpt-single',
      '--budget-trials',
      '1',
    );
    expect(taken.stderr).toMatch(/^note: the preset sdpo-ckpt-single was published with the model that sdpo has made/m);
    const status = await perpetua('status', 'preset', '--json');
    expect(status.json()).toMatchObject([{ overrides: { search: { parent: 'original', context: 'none' } } }]);
  });

  test('a research that was refused before anybody looked is told of by its workflow', async () => {
    const { readTemporalState: askTemporal } = await import('../../../cli/temporal/read-temporal-state.ts');
    const io = { stdout: process.stdout, stderr: process.stderr, env: { TEMPORAL_ADDRESS: stack.temporalAddress } };
    const { obstacle: finding } = await askTemporal(io, { researchId: 'nobody', trialIds: [], limitMs: 20_000 });
    expect(finding).toMatch(
      /^the workflow failed \(search\.proposer: llm needs .*\), so nothing new starts\. Go on with it: npx perpetua start TASK --id nobody$/,
    );
  });

  test('a note to a research that draws at random is taken, and said to be read by nobody', async () => {
    const task = await writeTask(join(stack.home, 'noted'), { task: { name: 'noted' } });
    await perpetua('start', task, '--window', '1');
    const { code, stdout, stderr } = await perpetua('note', 'noted', 'try less');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'noted has the note\n' });
    expect(stderr).toBe('note: nobody reads it now: the proposer of noted reads no prompt\n');
    await stack.client.workflow.getHandle('noted').terminate();
  });
}
