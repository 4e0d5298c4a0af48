import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../../config/paths.ts';
import { createEndpointPolicy } from '../../../../infra/policy/endpoint/create-endpoint-policy.ts';
import { PolicyError } from '../../../../infra/policy.ts';
import { chatOf, samplesOf } from '../../../support/policy/batch-of.ts';
import { describeSampling } from '../sampling.ts';

const MODEL = 'some/model';
const KEY = 'secret-key';
const { signal } = new AbortController();
const asking = { base: MODEL, content: 'Which learning rate?', maxTokens: 32, signal };
const policyAt = (port: number, key: string | null = KEY) =>
  createEndpointPolicy({ home: '/nowhere', endpoint: { url: `http://127.0.0.1:${port}/v1`, key }, env: {} });

async function start(): Promise<{ child: ChildProcess; port: number }> {
  const program = join(packageRoot(), 'test/support/policy/vllm.mjs');
  const child = spawn(process.execPath, [program, MODEL, KEY], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, port: Number(line.replace('ready ', '')) };
}

async function errorOf(work: Promise<unknown>): Promise<PolicyError> {
  const error = await work.catch((one: unknown) => one);
  expect(error).toBeInstanceOf(PolicyError);
  return error as PolicyError;
}

describeSampling("a policy behind a server that speaks vLLM's dialect", {
  ...asking,
  open: async () => {
    const { child, port } = await start();
    return { policy: policyAt(port), close: async () => void child.kill() };
  },
});

describe('an endpoint that samples', () => {
  let child: ChildProcess;
  let port: number;
  let other: Server | undefined;
  beforeAll(async () => ({ child, port } = await start()));
  afterAll(() => child.kill());
  afterEach(() => other?.close());

  /** Policy of an endpoint whose server has this listener. */
  const behind = async (listener: RequestListener) => {
    other = createServer(listener).listen(0, '127.0.0.1');
    await once(other, 'listening');
    return policyAt((other.address() as AddressInfo).port);
  };

  test.each([
    ['a model that it does not have', { base: 'another' }, KEY, 'down', 'check PERPETUA_POLICY_URL'],
    ['another key', {}, 'wrong-key', 'down', 'answered 401'],
  ])('with %s fails as `down`, since a person has to fix it', async (_, more, key, kind, message) => {
    const error = await errorOf(samplesOf(policyAt(port, key), { ...asking, ...more }, { count: 1 }));
    expect(error).toMatchObject({ kind, message: expect.stringContaining(message) });
    expect(error.message).not.toContain('wrong-key');
  });

  test('samples nothing but the base, and learns nothing', async () => {
    const policy = policyAt(port);
    const version = { path: '/c/1', sha256: 'f'.repeat(64) };
    for (const work of [samplesOf(policy, asking, { count: 1, version }), policy.facts(MODEL, signal)])
      expect(await errorOf(work)).toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('unset PERPETUA_POLICY_URL, or set search.update: none'),
      });
  });

  test('that returns no token ids is refused with the kind of server that is needed', async () => {
    const body = { choices: [{ index: 0, message: { content: 'lr = 1' }, finish_reason: 'stop', logprobs: null }] };
    const policy = await behind((_, response) => void response.end(JSON.stringify(body)));
    expect(await errorOf(samplesOf(policy, asking, { count: 1 }))).toMatchObject({
      kind: 'down',
      message: expect.stringContaining('return_token_ids, such as vLLM from 0.10.2'),
    });
  });

  test('that echoes the key gives samples without the key', async () => {
    const choice = {
      message: { content: `lr = 1 # ${KEY}` },
      finish_reason: KEY,
      token_ids: [1],
      logprobs: { content: [{ logprob: -1 }] },
    };
    const body = JSON.stringify({ prompt_token_ids: [1], choices: [choice] });
    const policy = await behind((_, response) => void response.end(body));
    const [sample] = await samplesOf(policy, asking, { count: 1 });
    expect(sample).toMatchObject({ text: 'lr = 1 # [key]', finishReason: '[key]' });
  });

  test('that returns a log-probability too few gives no sample', async () => {
    const choice = {
      message: { content: 'a' },
      finish_reason: 'stop',
      token_ids: [1, 2],
      logprobs: { content: [{ logprob: -1 }] },
    };
    const body = JSON.stringify({ prompt_token_ids: [1], choices: [choice] });
    const policy = await behind((_, response) => void response.end(body));
    expect((await errorOf(samplesOf(policy, asking, { count: 1 }))).message).toContain('one log-probability per token');
  });

  test('that is away, or does not answer in time, fails as `down`', async () => {
    const gone = await errorOf(samplesOf(policyAt(1), asking, { count: 1 }));
    expect(gone).toMatchObject({ kind: 'down', message: expect.stringContaining('check PERPETUA_POLICY_URL') });
    const policy = await behind(() => undefined);
    const request = { base: MODEL, version: null, prompt: chatOf('a'), maxTokens: 1, seed: 1, deadlineSeconds: 0.1 };
    const late = await errorOf(policy.sample(request, signal));
    expect(late).toMatchObject({ kind: 'down', message: expect.stringContaining('within 0.1 s') });
    other?.closeAllConnections();
  });
});
