import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { withDeadline } from '../../../infra/llm/deadline.ts';
import type { Behaviour } from '../../support/scripted-endpoint.ts';
import { ask, fail, startEndpoint } from './support.ts';

const HANGING: Behaviour[] = [
  { kind: 'silent' },
  { kind: 'stall' },
  { kind: 'trickle', everyMs: 20 },
  { kind: 'answer', text: 'too late', delayMs: 60_000 },
];

test.each(HANGING)('a call to an endpoint that hangs ($kind) ends at the deadline', async (behaviour) => {
  const endpoint = await startEndpoint(behaviour);
  const started = performance.now();
  const error = await fail(endpoint.url, { request: { deadlineSeconds: 0.4 } });
  const seconds = (performance.now() - started) / 1000;
  expect(error).toMatchObject({ kind: 'down', status: null });
  expect(error.message).toMatch('no complete answer within 0.4 s');
  expect(seconds).toBeGreaterThan(0.39);
  expect(seconds).toBeLessThan(30);
  // No request arrived if a busy machine reached the deadline before the endpoint.
  expect(endpoint.requests.length).toBeLessThanOrEqual(1);
  await expect.poll(() => endpoint.connections()).toBe(0);
});

test('the deadline covers the second request of a model that wants another limit', async () => {
  const endpoint = await startEndpoint([
    { kind: 'status', status: 400, body: 'use max_completion_tokens', delayMs: 8000 },
    { kind: 'silent' },
  ]);
  const started = performance.now();
  expect((await fail(endpoint.url, { request: { deadlineSeconds: 14 } })).kind).toBe('down');
  // With a deadline of its own, the second request would end after 22 s.
  expect(performance.now() - started).toBeLessThan(20_500);
  expect(endpoint.requests).toHaveLength(2);
});

test('cancelling rejects at once with the reason given and closes the connection', async () => {
  const endpoint = await startEndpoint({ kind: 'silent' });
  const controller = new AbortController();
  const call = ask(endpoint.url, { signal: controller.signal });
  await endpoint.received(1);
  const reason = new Error('the research was stopped');
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
  await expect.poll(() => endpoint.connections()).toBe(0);
});

test('a call that was cancelled before it began sends nothing', async () => {
  const endpoint = await startEndpoint({ kind: 'silent' });
  await expect(ask(endpoint.url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  expect(endpoint.requests).toHaveLength(0);
});

test('work that ignores its signal is abandoned at the deadline', async () => {
  const { signal } = new AbortController();
  const never = withDeadline(() => new Promise<never>(() => undefined), { seconds: 0.05, signal });
  await expect(never).rejects.toThrow('no complete answer within 0.05 s');
});

test('a deadline of many days does not fire at once', async () => {
  const { signal } = new AbortController();
  const work = () => new Promise<string>((resolve) => setTimeout(() => resolve('done'), 30));
  expect(await withDeadline(work, { seconds: 90 * 86_400, signal })).toBe('done');
});
