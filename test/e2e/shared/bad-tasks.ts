import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { beforeAll, describe, expect, test } from 'vitest';
import { readTrialRecords, slotStates, untilAllStopped } from '../../support/e2e/cases.ts';
import { expectNoProcesses } from '../../support/database/ledger.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

/** A change that breaks a task folder, and the message by which the task must be refused. */
type Case = { name: string; breaks: (folder: string) => Promise<unknown>; message: RegExp; type?: string };

const yamlOf = (folder: string): string => join(folder, 'task.yaml');
const edit =
  (from: string | RegExp, replacement: string) =>
  async (folder: string): Promise<void> => {
    const before = await readFile(yamlOf(folder), 'utf8');
    const after = before.replace(from, replacement);
    if (after === before) throw new Error(`expected ${String(from)} in the task`);
    await writeFile(yamlOf(folder), after);
  };
const add = (lines: string) => async (folder: string) =>
  writeFile(yamlOf(folder), `${await readFile(yamlOf(folder), 'utf8')}${lines}\n`);

const FOLDERS: Case[] = [
  { name: 'no task.yaml', breaks: (folder) => rm(yamlOf(folder)), message: /task\.yaml/ },
  {
    name: 'broken YAML',
    breaks: add('metric: [unclosed'),
    message: /task\.yaml:\d+:\d+/,
  },
  {
    name: 'an unknown key',
    breaks: edit('seconds: 5', 'seconds: 5\n    second: 6'),
    message: /task\.yaml:\d+:\d+ run\.budget\.second: .*seconds/,
  },
  {
    name: 'a wrong type',
    breaks: edit('seconds: 5', 'seconds: soon'),
    message: /run\.budget\.seconds: expected .*soon/,
  },
  {
    name: 'a missing key',
    breaks: edit(/description: .*\n/, ''),
    message: /description: it is missing; expected a text/,
  },
  { name: 'a missing mutable file', breaks: edit('- knobs.env', '- nobs.env'), message: /mutable\[0\]: .*nobs\.env/ },
  { name: 'a mutable file outside', breaks: edit('- knobs.env', '- ../knobs.env'), message: /mutable\[0\]: .*\.\./ },
  {
    name: 'a mutable link to the outside',
    breaks: async (folder) => {
      await rm(join(folder, 'workspace/knobs.env'));
      await symlink('/etc/hostname', join(folder, 'workspace/knobs.env'));
    },
    message: /knobs\.env/,
  },
  {
    name: 'no workspace',
    breaks: (folder) => rm(join(folder, 'workspace'), { recursive: true }),
    message: /workspace: /,
  },
  {
    name: 'no evaluator',
    breaks: (folder) => rm(join(folder, 'evaluator'), { recursive: true }),
    message: /evaluator/,
  },
  {
    name: 'a method that is not known',
    breaks: edit('parent: best', 'parent: pucct'),
    message: /search\.parent: expected one of original, lead, best.*pucct/,
  },
  { name: 'a knob that is not there', breaks: edit('name: X', 'name: Y'), message: /knobs\[0\].*Y/ },
  {
    name: 'a proposer without an endpoint',
    breaks: edit('proposer: random', 'proposer: llm'),
    message: /search\.proposer: llm needs a model endpoint: set OPENAI_BASE_URL/,
  },
  {
    name: 'an evaluator that asks a model, without an endpoint',
    breaks: edit('command: sh score.sh', 'command: sh score.sh\n  llm: true'),
    message: /evaluator\.llm: no model endpoint is set: set OPENAI_API_KEY or ANTHROPIC_API_KEY or GEMINI_API_KEY/,
  },
  {
    name: 'no proposer at all',
    breaks: async (folder) => {
      await edit(/knobs:\n(?: .*\n)+/, '')(folder);
      await edit('proposer: random', 'proposer: auto')(folder);
    },
    message: /search\.proposer: mix needs knobs/,
  },
];

/** Start inputs that are refused. */
const INPUTS: { name: string; input: unknown; type: string; message: RegExp }[] = [
  { name: 'no task', input: {}, type: 'BadInput', message: /input: task: / },
  { name: 'an unknown key', input: { task: 'parabola', bugdet: {} }, type: 'BadInput', message: /bugdet/ },
  {
    name: 'a wrong budget',
    input: { task: 'parabola', budget: { trials: 0 } },
    type: 'BadInput',
    message: /budget\.trials/,
  },
  { name: 'a text', input: 'parabola', type: 'BadInput', message: /expected for example \{"task":"nano-lm"\}/ },
  { name: 'nothing', input: null, type: 'BadInput', message: /input: task/ },
  { name: 'a task nobody knows', input: { task: 'nano-ml' }, type: 'BadTask', message: /nano-ml/ },
  { name: 'a path to nowhere', input: { task: '/no/such/folder' }, type: 'BadTask', message: /\/no\/such\/folder/ },
  {
    name: 'a hostile name',
    input: { task: "../../etc/passwd'; drop table trials;--" },
    type: 'BadTask',
    message: /drop table/,
  },
];

/** Unusual workflow ids that people and scripts may choose. */
const IDS = [
  'team/a/../../b',
  "it's; drop table trials;--",
  '名前 with blanks\tand tabs',
  '-rf',
  '$(touch hacked)`id`',
  'n'.repeat(300),
];

let stack: TestStack;

/** The failure of a workflow, as the Web UI shows it. */
async function failureOf(id: string): Promise<ApplicationFailure> {
  const error: unknown = await stack.client.workflow
    .getHandle(id)
    .result()
    .then(
      () => new Error('it completed'),
      (failed: unknown) => failed,
    );
  if (!(error instanceof WorkflowFailedError)) throw error;
  const cause = error.cause instanceof ActivityFailure ? error.cause.cause : error.cause;
  if (!(cause instanceof ApplicationFailure)) throw error;
  return cause;
}

export function badTasksTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  describe('a research is refused, with type, place and reason, and stores nothing', () => {
    test.each(FOLDERS.map((one, index) => ({ ...one, index })))(
      'for a task with $name',
      async ({ breaks, message, index }) => {
        const folder = await writeTask(join(stack.home, `tasks/broken-${index}`));
        await mkdir(folder, { recursive: true });
        await breaks(folder);
        const id = `broken-${index}`;
        await stack.startResearch(id, { task: folder });
        const failure = await failureOf(id);
        expect(failure.type).toBe('BadTask');
        expect(failure.message).toMatch(message);
        expect(await stack.query('select from researches where id = $1', [id])).toEqual([]);
      },
    );

    test.each(INPUTS.map((one, index) => ({ ...one, index })))(
      'for an input with $name',
      async ({ input, type, message, index }) => {
        const id = `input-${index}`;
        await stack.client.workflow.start('research', { taskQueue: 'perpetua', workflowId: id, args: [input] });
        const failure = await failureOf(id);
        expect(failure.type).toBe(type);
        expect(failure.message).toMatch(message);
        expect(await stack.query('select from researches where id = $1', [id])).toEqual([]);
      },
    );

    test('for an id that the database cannot store, though a signal arrives meanwhile', async () => {
      const id = 'no\0where';
      const args = [{ task: join(stack.home, 'tasks/mended') }];
      const options = { taskQueue: 'perpetua', workflowId: id, args, signal: 'nobody' };
      await stack.client.workflow.signalWithStart('research', options);
      const failure = await failureOf(id);
      expect(failure.type).toBe('BadInput');
      expect(failure.message).toMatch(/^workflow id: expected one without a NUL character/);
    });

    test('and starts under the same id once its task is repaired', async () => {
      const folder = await writeTask(join(stack.home, 'tasks/mended'), { task: { budget: { trials: 1 } } });
      await edit('seconds: 5', 'seconds: soon')(folder);
      await stack.startResearch('mended', { task: folder });
      expect((await failureOf('mended')).type).toBe('BadTask');
      await edit('seconds: soon', 'seconds: 5')(folder);
      await stack.startResearch('mended', { task: folder });
      await untilAllStopped(stack, ['mended']);
      expect((await readTrialRecords(stack, 'mended')).map(({ status }) => status)).toEqual(['completed', 'completed']);
    });
  });

  describe('a research', () => {
    test('runs under any id that Temporal accepts, and no id becomes a path', async () => {
      const task = await writeTask(join(stack.home, 'tasks/named'));
      for (const id of IDS) await stack.startResearch(id, { task, budget: { trials: 1 } });
      await untilAllStopped(stack, IDS);
      for (const id of IDS)
        expect((await readTrialRecords(stack, id)).map(({ status, log_tail }) => [status, log_tail])).toEqual(
          Array(2).fill(['completed', 'step 1 loss 2.5\nstep 2 loss 1.5\n']),
        );
    });

    test('runs no candidate twice: once every value is tried, a proposal is rejected and takes no slot', async () => {
      const task = await writeTask(join(stack.home, 'tasks/few'), {
        task: {
          knobs: [{ file: 'knobs.env', name: 'X', type: 'choice', values: [1.5, 9] }],
          search: { parent: 'original', proposer: 'random', window: 2 },
        },
      });
      await stack.startResearch('few', { task, budget: { trials: 4, proposals: 4 } });
      await untilAllStopped(stack, ['few']);
      const trials = await stack.query<{ status: string; failure: string | null; value: number | null }>(
        `select status, failure, value from trials where research_id = 'few' order by status, n`,
      );
      expect(trials.slice(0, 2)).toEqual([
        { status: 'completed', failure: null, value: -30.25 },
        { status: 'completed', failure: null, value: -4 },
      ]);
      const others = trials.slice(2);
      expect(others.length).toBeGreaterThan(0);
      expect(others).toEqual(others.map(() => ({ status: 'rejected', failure: 'nothing-new', value: null })));
      expect(await stack.query(`select trial_id from runs where trial_id like 'few/%'`)).toHaveLength(2);
    });

    test('that ended leaves no lease and no process, and its status has the reason', async () => {
      expect(await slotStates(stack)).toMatchObject({ leased: 0 });
      await expectNoProcesses(stack.home);
      const status = await stack.client.workflow.getHandle('few').query('status');
      const reason = expect.stringMatching(/^every value of the knobs has been tried/) as string;
      expect(status).toMatchObject({ phase: 'stopped', reason, running: [] });
    });
  });
}
