import { describe, expect, test } from 'vitest';
import {
  HostUnreachableError,
  HostUnusableError,
  type RunEnd,
  ConversationReplacedError,
} from '../../../infra/compute.ts';
import { APART, LOST, nothing, useAsked } from './support/asked.ts';

const { bench, ended, talksThat } = useAsked();
const TALK_KILLED = 'somebody killed the answering program, the program that watches it, or the connection to it';

describe('a program that answers an evaluator and was cut off', () => {
  const lost = new HostUnreachableError('box', 'closed', { message: 'the connection was lost' });
  const cutBy = (error: Error) => (end: Promise<RunEnd>) => end.then(() => Promise.reject(error));
  const cut = talksThat(cutBy(lost));
  const cutApart = (error: Error) => talksThat(cutBy(error), APART);
  const away = {
    hosts: {
      secondsSinceAnswer: () => 1,
      lostAfter: () => 600,
      computeOf: () => ({ ...cut.hosts.computeOf(), inspect: () => Promise.reject(lost) }),
    },
  };

  test('is asked again twice; the third time its run is lost, and the host that answers suspected', async () => {
    const { worker, kept, box } = await ended('cut');
    await bench.db.execute(`update hosts set failures = 0`);
    // The attempt that follows the run is the first to ask.
    expect(await worker(null, cut).follow()).toEqual({ state: 'ended' });
    await expect(worker(null, cut).score()).rejects.toMatchObject({ type: 'CutOff', nonRetryable: false });
    expect(await kept()).toEqual({ ...nothing, shortage: null });
    expect(await box()).toMatchObject({ quarantinedUntil: null, failures: 0 });
    await expect(worker(null, cut).score()).rejects.toMatchObject(LOST);
    expect(await kept()).toEqual({ ...nothing, shortage: TALK_KILLED });
    expect(await box()).toMatchObject({ quarantinedUntil: null, failures: 1 });
  });

  test('twice by an outage is scored by its later answer', async () => {
    const { worker, kept, box } = await ended('cut-twice', { answer: 'read -r n; echo 2' });
    await expect(worker(null, away).score()).rejects.toMatchObject({ type: 'HostAway' });
    expect(await box()).toMatchObject({ quarantinedUntil: expect.any(Date) as Date });
    await expect(worker(null, away).score()).rejects.toMatchObject({ type: 'HostAway' });
    await worker(null).score();
    expect(await kept()).toEqual({ status: 'completed', failure: null, shortage: null });
  });

  test.each([
    ['whose end is left out again and again', 'no-end', new HostUnusableError('box', 'no end')],
    ['that gives way to another again and again', 'replaced', new ConversationReplacedError('box', { jobId: 'r' })],
  ])('%s is lost, too', async (_, id, error) => {
    const { worker, kept } = await ended(`cut-${id}`);
    const more = { ...away, hosts: { ...away.hosts, ...talksThat(cutBy(error)).hosts } };
    for (const type of ['CutOff', 'CutOff', 'HostLost'])
      await expect(worker(null, more).score()).rejects.toMatchObject({ type });
    expect(await kept()).toEqual({ ...nothing, shortage: TALK_KILLED });
  });

  test.each([
    ['its connection', 'cut', lost],
    ['its end', 'no-end', new HostUnusableError('box', 'no end')],
  ])(
    'of %s, and cannot have done it, is asked again when its host is back, which rests meanwhile',
    async (_, id, error) => {
      const { worker, kept, box } = await ended(`apart-${id}`, { answer: 'read -r n; echo 2' });
      const more = {
        ...away,
        hosts: {
          ...away.hosts,
          computeOf: () => ({ ...cutApart(error).hosts.computeOf(), inspect: () => Promise.reject(lost) }),
        },
      };
      // A program that can have done it is lost the third time.
      for (let times = 1; times <= 3; times += 1)
        await expect(worker(null, more).score()).rejects.toMatchObject({ type: 'HostAway' });
      expect(await box()).toMatchObject({ quarantinedUntil: expect.any(Date) as Date });
      expect(await kept()).toEqual({ ...nothing, shortage: null });
      await worker(null).score();
      expect(await kept()).toEqual({ status: 'completed', failure: null, shortage: null });
    },
  );

  test('after its answers has no score until their cost is known', async () => {
    const { worker, kept } = await ended('uncharged', { answer: 'read -r n; echo 2' });
    const more = talksThat(cutBy(new Error('its supervisor left no end')));
    await expect(worker(null, more).score()).rejects.toMatchObject({ type: 'CutOff', nonRetryable: false });
    expect(await kept()).toEqual({ ...nothing, shortage: null });
    await worker(null).score();
    expect(await kept()).toEqual({ status: 'completed', failure: null, shortage: null });
  });

  test('by an outage that its evaluator refused is asked again twice, then the refusal is believed', async () => {
    const { worker, kept } = await ended('doubted');
    // These cuts do not count as refusals.
    for (const message of [
      'host box: the connection was lost (1 in a row)',
      'host box: the connection was lost (2 in a row)',
    ])
      await expect(worker(null, cutApart(lost)).score()).rejects.toMatchObject({ type: 'CutOff', message });
    const failure = {
      label: 'candidate-protocol',
      message: 'refused',
      logTail: '',
      doubt: 'its host was away for 5 s',
    };
    const more = {
      scoring: { evaluator: { findCode: async () => null, evaluate: async () => ({ ok: false, failure }) } },
    };
    for (const count of [1, 2])
      await expect(worker(null, more).score()).rejects.toMatchObject({
        type: 'CutOff',
        message: `refused; its host was away for 5 s (${count} in a row)`,
        nonRetryable: false,
      });
    expect(await kept()).toEqual({ ...nothing, shortage: null });
    await worker(null, more).score();
    expect(await kept()).toEqual({ status: 'crashed', failure: 'candidate-protocol', shortage: null });
  });

  test('though it cannot have done it, is lost the tenth time', async () => {
    const { worker, kept, box } = await ended('apart-for-ever');
    await bench.db.execute(`update hosts set failures = 0`);
    for (let times = 1; times < 10; times += 1)
      await expect(worker(null, cutApart(lost)).score()).rejects.toMatchObject({
        type: 'CutOff',
        nonRetryable: false,
        nextRetryDelay: 1000 * Math.min(60, 3 * 2 ** (times - 1)),
      });
    expect(await kept()).toEqual({ ...nothing, shortage: null });
    expect(await box()).toMatchObject({ quarantinedUntil: null, failures: 0 });
    await expect(worker(null, cutApart(lost)).score()).rejects.toMatchObject(LOST);
    expect(await kept()).toEqual({ ...nothing, shortage: TALK_KILLED });
    expect(await box()).toMatchObject({ failures: 1 });
  });
});
