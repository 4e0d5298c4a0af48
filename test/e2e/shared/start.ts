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

/** A valid task with proposer `auto` and no knobs, so none is available: the workers have no model either. */
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

  test('start prints why the worker refused a research, and exits with 2', async () => {
    const task = await withoutProposer();
    const { code, stdout, stderr } = await perpetua('start', task);
    expect(stderr).toMatch(
      /^The research nobody was refused: nobody\/task\.yaml:\d+:\d+ search\.proposer: mix needs knobs/m,
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });

    const named = await perpetua('start', task, '--proposer', 'llm', '--json');
    const message = expect.stringContaining('search.proposer: llm needs a model endpoint') as unknown;
    expect(named.code).toBe(2);
    expect(named.json()).toEqual([{ error: { code: 'refused', message } }]);
  });

  test('start reports the open research, and refuses its id for another task', async () => {
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
    expect(stderr).toMatch(
      /: research one already exists, on the task one\. For a new research on two, .*\(--id two\)\. To change /,
    );
    const again = await perpetua('start', one, '--budget-trials', '2');
    expect(again.stdout).toContain('the research one on the task one is open again: 2 trials so far');
    expect(again.stderr).toBe('');
    await stack.client.workflow.getHandle('one').result();
    const spent = await perpetua('start', one, '--budget-trials', '2');
    expect(spent).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        new RegExp(
          '^note: budget\\.trials is spent: 2 of 2, so no new proposal starts and the research ends\\. ' +
            'To start it with a larger budget: npx perpetua start one --id one --budget-trials 3\\n?$',
        ),
      ) as string,
    });
    await stack.client.workflow.getHandle('one').result();

    // A research is known by its own id, not by the name of its task.
    const other = await perpetua('start', one, '--id', 'mine', '--budget-trials', '1');
    expect(other).toMatchObject({ code: 0, stdout: expect.stringContaining('started the research mine') as string });
    await stack.client.workflow.getHandle('mine').result();
    const mistaken = await perpetua('start', 'mine');
    expect(mistaken.code).toBe(2);
    expect(mistaken.stderr).toContain(
      'got "mine", which is a research on one. To go on with it: npx perpetua start one --id mine',
    );

    // `start one` does not find the folder of the task, so the stored version continues.
    const byName = await perpetua('start', 'one', '--budget-trials', '3', '--json');
    expect(byName.json()).toMatchObject([{ workflowId: 'one', opened: true }]);
    await stack.client.workflow.getHandle('one').result();
    expect(await stack.query(`select phase, reason from researches where id = 'one'`)).toMatchObject([
      { reason: 'budget.trials is spent: 3 of 3' },
    ]);
    expect((await perpetua('start', 'never-seen')).code).toBe(2);
  });

  test('start --source makes a task of a program and scores its output; --git follows the research', async () => {
    const source = join(stack.home, 'program');
    await mkdir(source);
    await writeFile(join(source, 'train.sh'), 'RATE=1.5\necho "$RATE" > rate.txt\n');
    await writeFile(join(source, 'evaluate.sh'), `awk '{print "loss: " ($1-7)*($1-7)}' rate.txt\n`);
    const options = ['--run', 'sh train.sh', '--eval', 'sh evaluate.sh', '--metric', 'loss', '--minimize'];
    const out = join(stack.home, 'made');
    const git = join(stack.home, 'followed');
    const more = ['--out', out, '--budget-trials', '1', '--git', git, '--json'];
    const started = await perpetua('start', '--source', source, ...options, ...more);
    // More claims may follow, if a proposal is better.
    expect(started.json().slice(0, 2)).toMatchObject([
      { workflowId: 'program', task: out, opened: true },
      { branch: 'perpetua/program', claim: 0 },
    ]);
    expect(started.stderr).toMatch(
      /^plan: first verdict after 3 runs of the unmodified version, about .* each, \d+ at once/m,
    );
    expect(started.stderr).toMatch(/^plan: 3 runs, since the budget has fewer than 40 trials/m);
    expect(started.stderr).toMatch(/^plan: 1 trial then takes about /m);
    // The research already runs, so an edit of the folder alone would not change it.
    expect(started.stderr).toContain(`edit ${out}/task.yaml, then send it: npx perpetua task program ${out}\n`);
    await stack.client.workflow.getHandle('program').result();
    const { json } = await perpetua('log', 'program', '--json');
    expect(json()).toContainEqual(
      expect.objectContaining({ n: 1, kind: 'baseline', status: 'completed', value: 30.25 }),
    );
    const both = await perpetua('start', 'made', '--source', source, ...options);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('and not both') as string });
  });

  test('start --source of a program without a constant is refused with both ways out', async () => {
    const source = join(stack.home, 'constant-free');
    const out = join(stack.home, 'constant-free-task');
    await mkdir(source);
    await writeFile(join(source, 'train.sh'), 'echo "loss: 1"\n');
    const options = ['--run', 'sh train.sh', '--metric', 'loss', '--minimize', '--out', out];
    const { code, stderr } = await perpetua('start', '--source', source, ...options);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('needs knobs') as string });
    expect(stderr).toContain('--knobs "NAME=LOW..HIGH"');
    expect(stderr).toContain(`set OPENAI_BASE_URL or OPENAI_API_KEY, npm start, then: npx perpetua start ${out}`);
  });

  test('a value of --set that the task does not accept is refused as in task.yaml', async () => {
    const task = await writeTask(join(stack.home, 'set'), { task: { name: 'set' } });
    const { code, stderr } = await perpetua('start', task, '--set', 'search.parent=bset', '--set', 'search.windw=2');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /search\.parent: expected one of original, .* or a mapping with name, got the text "bset"; did you mean best\?/,
    );
    expect(stderr).toMatch(/search\.windw: the key is not known; expected one of .*; did you mean window\?$/m);
  });

  test('a preset that the task does not accept is refused by its name, and --set overrides its values', async () => {
    const task = await writeTask(join(stack.home, 'set'), { task: { name: 'set' } });
    const refused = await perpetua('start', task, '--preset', 'grpo');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /^Expected a proposer with weights, since search.update trains it, got random; pass --proposer policy\.$/m,
    );
    const both = await perpetua('start', task, '--preset', 'grpo', '--set', 'search.update.batch=20');
    expect(both.stderr).toMatch(
      /^Some values of --preset grpo and --set do not fit .* search\.update\.batch: expected a multiple of group/,
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

  test('a research that was refused earlier is reported by its workflow', async () => {
    const { readTemporalState: askTemporal } = await import('../../../cli/temporal/read-temporal-state.ts');
    const io = { stdout: process.stdout, stderr: process.stderr, env: { TEMPORAL_ADDRESS: stack.temporalAddress } };
    const { obstacle: finding } = await askTemporal(io, { researchId: 'nobody', trialIds: [], limitMs: 20_000 });
    expect(finding).toMatch(
      new RegExp(
        '^the workflow failed \\(search\\.proposer: llm needs .*\\), so nothing new starts\\. ' +
          'Go on with it: npx perpetua start TASK --id nobody$',
      ),
    );
  });

  test('a note to a research with the random proposer is accepted, with a remark that nothing reads it', async () => {
    const task = await writeTask(join(stack.home, 'noted'), { task: { name: 'noted' } });
    await perpetua('start', task, '--window', '1');
    const { code, stdout, stderr } = await perpetua('note', 'noted', 'try less');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'noted has the note\n' });
    expect(stderr).toBe('note: it has no effect now, since the proposer of noted has no prompt\n');
    await stack.client.workflow.getHandle('noted').terminate();
  });
}
