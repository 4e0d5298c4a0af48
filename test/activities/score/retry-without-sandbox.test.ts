import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test, vi } from 'vitest';
import { retryWithoutSandbox } from '../../../activities/score/retry-without-sandbox.ts';
import type { ScoreContext, Scored } from '../../../activities/score/score-context.ts';
import { SandboxMissingError } from '../../../domain/fault/sandbox-missing.ts';

/** Scores in an attempt of the activity; returns the error and the stored alerts. */
async function attempted(attempt: number, error: Error) {
  const insertAlert = vi.fn(async () => undefined);
  const context = {
    deps: { store: { research: { insertAlert } } },
    trial: { researchId: 'research' },
  } as unknown as ScoreContext;
  const score = (): Promise<Scored> => Promise.reject(error);
  const thrown = await new MockActivityEnvironment({ attempt })
    .run(() => retryWithoutSandbox(context, score))
    .catch((failure: unknown) => failure);
  return { thrown, alerts: insertAlert.mock.calls };
}

test('a missing sandbox is retried once a minute, and an alert from the third attempt on', async () => {
  const first = await attempted(1, new SandboxMissingError());
  expect(first.thrown).toMatchObject({ nonRetryable: false, type: 'SandboxMissing', nextRetryDelay: '60 seconds' });
  expect(first.alerts).toEqual([]);
  const third = await attempted(3, new SandboxMissingError());
  expect(third.thrown).toMatchObject({ nonRetryable: false });
  expect(third.alerts).toEqual([
    [{ researchId: 'research', message: expect.stringContaining('perpetua doctor') as string, once: true }],
  ]);
});

test('other errors of an evaluation are thrown as they are', async () => {
  const error = new Error('another');
  expect(await attempted(3, error)).toEqual({ thrown: error, alerts: [] });
});
