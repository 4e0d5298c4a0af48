import { ActivityCancellationDetails } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { ScoreTrial } from '../../../activities/score.ts';
import { createScorePlaces, scoreInMonitor, type ScorePlaces } from '../../../activities/score/score-in-monitor.ts';
import type { TrialEnded } from '../../../domain/trial.ts';

const KEY = { jobId: 'r/1', placement: 0, follower: 1 };
const ENDED = { n: 1 } as TrialEnded;
const scored: ScoreTrial = () => Promise.resolve(ENDED);

/** Scores within an activity, which the logger needs. */
const atOnce = (places: ScorePlaces, score: ScoreTrial, signal = new AbortController().signal) =>
  new MockActivityEnvironment().run(() => scoreInMonitor(KEY, { places, score, signal }));

test('a run is scored where it was followed', async () => {
  expect(await atOnce(createScorePlaces(1), scored)).toBe(ENDED);
});

test('a run for which no place is free is left to the queue', async () => {
  const places = createScorePlaces(1);
  const leave = places.enter();
  const neverAsked: ScoreTrial = () => Promise.reject(new Error('expected no score'));
  expect(await atOnce(places, neverAsked)).toBeNull();
  leave?.();
  expect(await atOnce(places, scored)).toBe(ENDED);
});

test('a score that fails is left to the queue, which tries again, and its place is free', async () => {
  const places = createScorePlaces(1);
  expect(await atOnce(places, () => Promise.reject(new Error('no room on the disk')))).toBeNull();
  expect(await atOnce(places, scored)).toBe(ENDED);
});

test('a score that fails because its worker stops is left to another one', async () => {
  const stopped: ScoreTrial = () => Promise.reject(new Error('detached'));
  expect(await atOnce(createScorePlaces(1), stopped, AbortSignal.abort())).toBeNull();
});

test('a score that fails because somebody asked for a cancel is cancelled', async () => {
  const environment = new MockActivityEnvironment();
  const places = createScorePlaces(1);
  const untilCancelled: ScoreTrial = (_key, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled'))));
  const scoring = environment.run(() => {
    const { cancellationSignal: signal } = Context.current();
    return scoreInMonitor(KEY, { places, score: untilCancelled, signal });
  });
  environment.cancel('CANCELLED', new ActivityCancellationDetails({ cancelRequested: true }));
  await expect(scoring).rejects.toThrow('cancelled');
  expect(await atOnce(places, scored)).toBe(ENDED);
});
