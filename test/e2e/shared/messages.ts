import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { INSTALLATION_ID } from '../../../domain/messages/names.ts';
import type { Notice } from '../../../domain/notify/message.ts';
import { run, type Ran } from '../../cli/support/cli.ts';
import { SOON } from '../../support/e2e/commands.ts';
import { openRefusingSinks, type RefusingSinks } from '../../support/e2e/refusing-sinks.ts';
import { tendOften } from '../../support/e2e/tend-often.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;
let refusing: RefusingSinks;

const command = (...argv: string[]): Promise<Ran> => {
  const { temporalAddress, databaseUrl, home } = stack;
  return run(argv, { env: { TEMPORAL_ADDRESS: temporalAddress, DATABASE_URL: databaseUrl, PERPETUA_HOME: home } });
};

/** Names of the sinks that refuse each message. */
const REFUSING = ['hook', 'chat', 'lost', 'mail'];

/** All runs of the workflow of the installation as text, with the content of their payloads. */
async function readHistories(): Promise<string> {
  const histories = stack.client.workflow.list({ query: `WorkflowType = 'installation'` }).intoHistories();
  let text = '';
  for await (const { history } of histories) text += JSON.stringify(history, decodePayload);
  // A turn is an argument of the workflow: payloads were decoded.
  expect(text.includes('everyMs')).toBe(true);
  return text;
}

const decodePayload = (key: string, value: unknown): unknown =>
  key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value;

/** Subject: what a sink gets from a research that people steer. */
export function messagesTests(shared: () => TestStack): void {
  beforeAll(async () => {
    stack = shared();
    refusing = await openRefusingSinks(stack);
  });
  afterAll(() => refusing.close());

  test('the worker has started the workflow of the installation, which no list shows as a research', async () => {
    const { status, type } = await stack.client.workflow.getHandle(INSTALLATION_ID).describe();
    expect([status.name, type]).toEqual(['RUNNING', 'installation']);
    expect((await command('list', '--json')).stdout).not.toContain(INSTALLATION_ID);
    expect(await command('start', 'toy', '--id', INSTALLATION_ID)).toMatchObject({ code: 2 });
  });

  test('a sink that a research names gets its claim, the end of the claim, and its end, once each', async () => {
    const id = 'with-messages';
    const path = join(stack.home, 'messages.jsonl');
    const sinks = [
      { name: 'log', type: 'file', path, soonMinutes: 0, send: ['soon'] },
      { name: 'other', type: 'file', path: `${path}.other`, soonMinutes: 0, send: ['soon'] },
      ...refusing.sinks,
    ];
    const named = ['log', ...REFUSING];
    await writeFile(join(stack.home, 'notify.yaml'), JSON.stringify({ sinks }));
    const applied = await command('notify', 'apply', join(stack.home, 'notify.yaml'));
    expect([applied.stdout, applied.code]).toEqual([`added: log, other, ${REFUSING.join(', ')}\n`, 0]);
    const task = await writeTask(join(stack.home, 'tasks', id), { task: { name: id } });
    const unknown = await command('start', task, '--id', id, '--notify', 'lgo');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('Did you mean log?')]);

    await tendOften(stack);
    await stack.startResearch(id, { task, window: 1, budget: { trials: 20, whenSpent: 'wait' }, notify: named });
    await stack.until('its baseline', `select last_n >= 2 as done from researches where id = $1`, [id]);
    const mine = join(stack.home, 'seven.env');
    await writeFile(mine, 'X=7\n');
    const injected = await command(
      'inject',
      id,
      '--file',
      `knobs.env=${mine}`,
      '-m',
      'it is\u202e <@everyone>',
      '--wait',
      '--json',
    );
    const { trial, verdict } = injected.json()[0] as { trial: string; verdict: string };
    if (verdict !== 'keep') expect((await command('overrule', trial, 'keep', '-m', 'a claim')).code).toBe(0);
    expect((await command('overrule', trial, 'discard', '-m', 'it was copied')).code).toBe(0);
    await command('stop', id, '--now');
    await stack.client.workflow.getHandle(id).result();

    const notices = (): Notice[] =>
      readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Notice);
    const texts = (): string[] => notices().flatMap(({ title, lines }) => [title, ...lines]);
    const about = (text: string): string[] => texts().filter((line) => line.includes(text));
    await vi.waitFor(() => expect(about('it has ended')).toHaveLength(1), SOON);
    const n = trial.split('/').at(-1) ?? '';
    expect(about(`#${n} is now the best`)).toEqual([expect.stringContaining('Idea: it is <@everyone>')]);
    expect(about(`#${n} is no longer the best`)).toHaveLength(1);
    expect(new Set(notices().map((notice) => notice.id)).size).toBe(notices().length);
    expect(() => readFileSync(`${path}.other`)).toThrow('ENOENT');
    expect((await command('notify', 'list')).stdout).toMatch(/^log {2}file {2}soon.*\n {2}\d messages? delivered/m);
  });

  test('a secret of a sink that refuses it occurs in no row, log, history or output', async () => {
    await stack.until(
      'a failed delivery to each sink',
      `select count(distinct sink) = $1 as done from message_deliveries where last_error is not null`,
      [REFUSING.length],
    );
    const list = await command('notify', 'list');
    const tried = await Promise.all(REFUSING.map((name) => command('notify', 'test', name)));
    expect(tried.map(({ code }) => code)).toEqual(REFUSING.map(() => 1));
    for (const reason of ['401', '535', 'ECONNREFUSED']) expect(list.stdout).toContain(reason);
    const texts = {
      'notify list': list.stdout + list.stderr,
      'notify test': tried.map(({ stdout, stderr }) => stdout + stderr).join('\n'),
      'the history of the installation': await readHistories(),
    };
    expect(await refusing.findSecrets(texts)).toEqual([]);
    for (const name of ['log', 'other', ...REFUSING]) expect((await command('notify', 'remove', name)).code).toBe(0);
  });

  test('the workflow of the installation continues as new, and its runs replay', async () => {
    const query = `WorkflowType = 'installation' and ExecutionStatus = 'ContinuedAsNew'`;
    await vi.waitFor(async () => expect((await stack.client.workflow.count(query)).count).toBeGreaterThan(0), SOON);
    const workflowBundle = { codePath: join(packageRoot(), 'dist', 'workflow-bundle.js') };
    const histories = stack.client.workflow.list({ query }).intoHistories();
    const errors: (Error | undefined)[] = [];
    for await (const { error } of Worker.runReplayHistories({ workflowBundle }, histories)) errors.push(error);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.filter((error) => error !== undefined)).toEqual([]);
  });
}
