import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createPolicy } from '../../../infra/policy/create-policy.ts';
import { exchangeOverSocket } from '../../../infra/policy/socket-exchange.ts';
import { serverPaths } from '../../../infra/policy/server-paths.ts';
import { PolicyError } from '../../../infra/policy.ts';
import { endsWithin, signalProcess } from '../../../infra/process/stop.ts';
import type { Trainer } from '../../../domain/learning/trainer.ts';
import { batchOf, chatOf, checkpointOf, keyOf, rolloutOf, samplesOf } from '../../support/policy/batch-of.ts';
import { FAKE_PROGRAM, openPolicy, type PolicyHome } from '../../support/policy/fake.ts';

const base = 'any';
const { signal } = new AbortController();
const asking = { base, content: 'Which learning rate?', maxTokens: 32, signal };
let home: PolicyHome;
let answering: Server | undefined;

const open = async (trainer: Partial<Trainer> = {}) => (home = await openPolicy(trainer));
afterEach(async () => {
  answering?.close();
  answering = undefined;
  await home.close();
});

async function errorOf(work: Promise<unknown>): Promise<PolicyError> {
  const error = await work.catch((one: unknown) => one);
  expect(error).toBeInstanceOf(PolicyError);
  return error as PolicyError;
}

/** Starts a server in the place of the policy server. */
async function answerWith(listener: RequestListener): Promise<void> {
  const { socket } = serverPaths(home.home, base);
  await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
  answering = createServer(listener);
  await new Promise<void>((resolve) => answering?.listen(socket, resolve));
}
const say =
  (status: number, body: string): RequestListener =>
  (_, response) =>
    void response.writeHead(status).end(body);

const stepBatch = async () => {
  const samples = await samplesOf(home.policy, asking, { count: 2 });
  const facts = await home.policy.facts(base, signal);
  return batchOf(
    facts,
    samples.map((sample, index) => rolloutOf(sample, index, index)),
  );
};

describe('the server is started if none answers', () => {
  test('in a folder that only its owner may enter, with its output in a log', async () => {
    await open();
    await home.policy.facts(base, signal);
    const { folder, log, socket } = serverPaths(home.home, base);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await readFile(log, 'utf8')).toContain(`ready ${socket}`);
  });

  test('by one start for many calls at once', async () => {
    const starts = join((await open()).home, 'starts');
    const policy = createPolicy({
      ...home.options,
      trainer: { ...home.options.trainer, program: [...FAKE_PROGRAM, '--starts', starts] },
    });
    await samplesOf(policy, asking, { count: 8 });
    expect((await readFile(starts, 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  test('by several policies at once: one server survives, and answers all', async () => {
    await open();
    const others = [createPolicy(home.options), createPolicy(home.options), createPolicy(home.options)];
    const facts = await Promise.all(others.map((policy) => policy.facts(base, signal)));
    expect(new Set(facts.map(({ base: { sha256 } }) => sha256)).size).toBe(1);
    const { log } = serverPaths(home.home, base);
    expect((await readFile(log, 'utf8')).match(/^ready /gm)).toHaveLength(1);
  });

  test('and still starts for the other callers if one is cancelled', async () => {
    const go = join((await open()).home, 'go');
    const wait = `while [ ! -e ${go} ]; do sleep 0.02; done`;
    const program = ['/bin/sh', '-c', `${wait}; exec ${FAKE_PROGRAM.join(' ')} "$@"`, 'sh'];
    const policy = createPolicy({ ...home.options, trainer: { ...home.options.trainer, program } });
    const controller = new AbortController();
    const first = policy.facts(base, controller.signal);
    const second = policy.facts(base, signal);
    await expect.poll(() => existsSync(serverPaths(home.home, base).log)).toBe(true);
    controller.abort(new Error('the research was stopped'));
    await expect(first).rejects.toThrow('the research was stopped');
    await writeFile(go, '');
    expect((await second).base.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test('without a key, a token or the address of a database', async () => {
    await open();
    const environment = join(home.home, 'environment');
    const program = ['/bin/sh', '-c', `env > ${environment}; exec ${FAKE_PROGRAM.join(' ')} "$@"`, 'sh'];
    const secrets = { OPENAI_API_KEY: 'one', DATABASE_URL: 'postgres://two', HF_TOKEN: 'three', AWS_SECRET: 'four' };
    const env = { ...home.options.env, ...secrets, LANG: 'C.UTF-8' };
    await createPolicy({ ...home.options, env, trainer: { ...home.options.trainer, program } }).facts(base, signal);
    const names = (await readFile(environment, 'utf8')).split('\n').map((line) => line.split('=')[0]);
    expect(names).toContain('LANG');
    expect(names.filter((name) => name !== undefined && Object.hasOwn(secrets, name))).toEqual([]);
  });

  test('or the error has its last output', async () => {
    await open();
    const error = await errorOf(home.policy.facts('broken', signal));
    expect(error.kind).toBe('down');
    expect(error.message).toContain('expected a model, got broken');
  });

  test('or the error names the missing program', async () => {
    await open({ program: ['/nowhere/server'] });
    const error = await errorOf(home.policy.facts(base, signal));
    expect(error).toMatchObject({ kind: 'down', message: expect.stringContaining('/nowhere/server') });
  });

  test('but not if the path of its socket would be too long', async () => {
    await open();
    const policy = createPolicy({ ...home.options, home: join(home.home, 'long'.repeat(20)) });
    const error = await errorOf(policy.facts(base, signal));
    expect(error).toMatchObject({
      kind: 'down',
      message: expect.stringContaining('set PERPETUA_HOME to a shorter'),
    });
  });

  test('but not if the trainer is not installed', async () => {
    await open({ program: null });
    const error = await errorOf(home.policy.facts(base, signal));
    expect(error.kind).toBe('down');
    expect(error.message).toContain(`expected the trainer's environment in ${home.home}`);
    expect(error.message).toContain('run `npx perpetua trainer install`');
  });
});

describe('a checkpoint', () => {
  test('is loaded when it is sampled, and only the last eight stay loaded', async () => {
    await open();
    const { socket } = serverPaths(home.home, base);
    const batch = await stepBatch();
    const versions = [];
    for (let step = 0; step < 10; step += 1) {
      const next = { ...batch, stepKey: keyOf(String(step)), seed: step };
      const version = checkpointOf(home.policy, await home.policy.step(next, { base }, signal));
      await samplesOf(home.policy, asking, { count: 3, version });
      versions.push(version);
    }
    const { text } = await exchangeOverSocket(socket, { method: 'GET', path: '/v1/models' }, signal);
    const { data } = JSON.parse(text) as { data: { id: string }[] };
    const loaded = versions.map(({ sha256 }) => data.some(({ id }) => id === sha256));
    expect(loaded).toEqual([false, false, ...Array<boolean>(8).fill(true)]);
    const [sample] = await samplesOf(home.policy, asking, { count: 1, version: versions[0]! });
    expect(sample?.policyVersion).toBe(versions[0]?.sha256);
  });
});

describe('a server that dies', () => {
  test('during a step fails the step, and the next server does it', async () => {
    const hold = join((await open()).home, 'hold');
    await writeFile(hold, '');
    const policy = createPolicy({
      ...home.options,
      trainer: { ...home.options.trainer, program: [...FAKE_PROGRAM, '--hold', hold] },
    });
    home = { ...home, policy };
    const batch = await stepBatch();
    const stopped = errorOf(policy.step(batch, { base }, signal));
    await expect.poll(() => existsSync(`${hold}.here`)).toBe(true);
    const server = await home.serverOf(base);
    if (server === undefined) throw new Error('expected a server, found none');
    signalProcess(server, 'SIGKILL');
    await endsWithin(server, 60_000);
    expect(await stopped).toMatchObject({ kind: 'failed', message: expect.stringContaining('repeats the request') });
    const again = policy.step(batch, { base }, signal);
    await rm(hold);
    expect(await again).toMatchObject({ stepKey: batch.stepKey, metrics: { rollouts: 2 } });
  });

  test('of idleness is started again', async () => {
    await open({ program: ['/bin/sh', '-c', `exec ${FAKE_PROGRAM.join(' ')} "$@" --idle 2`, 'sh'] });
    // On a busy machine, the server may end before the request.
    const asked = () => vi.waitFor(() => home.policy.facts(base, signal), 60_000);
    await asked();
    const { socket, log } = serverPaths(home.home, base);
    await vi.waitFor(() => expect(existsSync(socket)).toBe(false), 60_000);
    await asked();
    expect(await readFile(log, 'utf8')).toContain('"ended"');
  });
});

describe('an answer', () => {
  test.each([
    ['that is no JSON', 200, 'hello', 'down', 'the answer: Invalid input'],
    ['with half of the facts', 200, '{"base": {"path": "/x", "sha256": "1"}}', 'down', 'base.sha256'],
    ['of 503', 503, '{"error": {"message": "it ends"}}', 'down', 'answered 503 to its models: it ends'],
    ['of 500', 500, '{"error": {"message": "a bug"}}', 'failed', 'answered 500 to its models: a bug'],
    ['of 404', 404, '{"error": {"message": "no such path"}}', 'refused', 'no such path'],
  ])('%s is reported as such', async (_, status, body, kind, message) => {
    await open();
    await answerWith(say(status, body));
    const error = await errorOf(home.policy.facts(base, signal));
    expect(error).toMatchObject({ kind, message: expect.stringContaining(message) });
  });

  test('of a step that failed says why', async () => {
    await open();
    const batch = await stepBatch();
    const server = await home.serverOf(base);
    if (server === undefined) throw new Error('expected a server, found none');
    signalProcess(server, 'SIGTERM');
    await endsWithin(server, 60_000);
    await answerWith(say(500, '{"failed": {"message": "OutOfMemoryError: 3 GB"}}'));
    const error = await errorOf(home.policy.step(batch, { base }, signal));
    expect(error).toMatchObject({ kind: 'failed', message: expect.stringContaining('OutOfMemoryError: 3 GB') });
  });

  test('with another version than the one asked for is malformed', async () => {
    await open();
    const choice = { message: { content: 'a' }, finish_reason: 'stop', token_ids: [1], token_logprobs: [-1] };
    const body = { policy_version: 'f'.repeat(64), prompt_token_ids: [1], choices: [choice] };
    await answerWith(say(200, JSON.stringify(body)));
    const error = await errorOf(samplesOf(home.policy, asking, { count: 1 }));
    expect(error).toMatchObject({ kind: 'down', message: expect.stringContaining('where base was asked') });
  });

  test('with a log-probability too few is malformed', async () => {
    await open();
    const choice = { message: { content: 'a' }, finish_reason: 'stop', token_ids: [1, 2], token_logprobs: [-1] };
    await answerWith(say(200, JSON.stringify({ policy_version: 'base', prompt_token_ids: [1], choices: [choice] })));
    const error = await errorOf(samplesOf(home.policy, asking, { count: 1 }));
    expect(error.message).toContain('one log-probability per token');
  });

  test('that does not come within the deadline is down', async () => {
    await open();
    await answerWith(() => undefined);
    const request = { base, version: null, prompt: chatOf('a'), maxTokens: 1, seed: 1 };
    const error = await errorOf(home.policy.sample({ ...request, deadlineSeconds: 0.1 }, signal));
    expect(error).toMatchObject({ kind: 'down', message: expect.stringContaining('within 0.1 s') });
    answering?.closeAllConnections();
  });

  test('that is cancelled ends with the reason of the signal', async () => {
    await open();
    let markReceived = () => undefined as void;
    const received = new Promise<void>((resolve) => (markReceived = resolve));
    await answerWith(() => markReceived());
    const controller = new AbortController();
    const waiting = home.policy.facts(base, controller.signal);
    await received;
    controller.abort(new Error('the research was stopped'));
    await expect(waiting).rejects.toThrow('the research was stopped');
    answering?.closeAllConnections();
  });
});
