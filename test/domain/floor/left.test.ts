import { describe, expect, test } from 'vitest';
import { begunWith, startAgainWith } from '../../../domain/floor/begun-with.ts';
import { leftOf, NOTHING_LEFT, type Told } from '../../../domain/floor/left.ts';

const signal = (name: string, arg?: unknown, seen = true): Told => ({ kind: 'signal', name, arg, seen });
const left = (...told: Told[]) => leftOf(NOTHING_LEFT, told);

describe('what is left of a run', () => {
  test.each([
    ['a pause', [signal('pause')], { paused: true }],
    ['a pause that nobody has looked at yet', [signal('pause', {}, false)], { paused: true }],
    ['a pause that was taken back', [signal('pause'), signal('resume', null)], { paused: false }],
    ['no pause that nobody understood', [signal('pause', { bogus: 1 })], { paused: false }],
    ['a stop', [signal('stop')], { stopping: 'drain' }],
    [
      'a stop at once, whatever stop came after it',
      [signal('stop', { now: true }), signal('stop')],
      { stopping: 'now' },
    ],
    ['no stop that nobody understood', [signal('stop', { when: 1 })], { stopping: null }],
    ['no pause once it stops', [signal('stop'), signal('pause')], { stopping: 'drain', paused: false }],
    ['a cancel, as a stop at once', [{ kind: 'cancel', name: '', arg: undefined, seen: true }], { stopping: 'now' }],
    ['the window that was set', [{ kind: 'update', name: 'setWindow', arg: { window: 3 }, seen: true }], { window: 3 }],
  ] as [string, Told[], object][])('is %s', (_, told, expected) => {
    expect(left(...told)).toEqual({ ...NOTHING_LEFT, ...expected });
  });

  test('is what nobody has looked at yet, in its order, but for ends of trials', () => {
    const told = [
      signal('note', { text: 'seen' }),
      signal('note', { text: 'new' }, false),
      signal('trialEnded', { n: 1 }, false),
      signal('inject', { files: {} }, false),
    ];
    expect(left(...told).messages).toEqual([
      { signal: 'note', arg: { text: 'new' } },
      { signal: 'inject', arg: { files: {} } },
    ]);
  });

  test('has room for one MiB of messages, and counts the others', () => {
    const large = signal('note', 'x'.repeat(400_000), false);
    const { messages, dropped } = left(large, large, large, signal('note', 'small', false));
    expect([messages.length, dropped]).toEqual([3, 1]);
  });
});

describe('a run of a chain', () => {
  const carry = { paused: true, stopping: null, fixedWindow: 4, inflight: [], taskName: 't' };

  test('begins as the one before handed over', () => {
    expect(begunWith({ task: 't', window: 2, carry })).toEqual({ ...NOTHING_LEFT, paused: true, window: 4 });
    expect(begunWith({ task: 't', window: 2, carry: { ...carry, stopping: 'drain', fixedWindow: null } })).toEqual({
      ...NOTHING_LEFT,
      ...{ paused: true, stopping: 'drain', window: 'auto' },
    });
  });

  test('that is the first begins with the window that was asked for, or as the one stood that it goes on for', () => {
    const before = { ...NOTHING_LEFT, paused: true, window: 3 };
    expect(begunWith({ task: 't', window: 2 })).toEqual({ ...NOTHING_LEFT, window: 2 });
    expect(begunWith({ task: 't' }, before)).toEqual(before);
    expect(begunWith(undefined, before)).toEqual(before);
  });
});

describe('a research is started again', () => {
  const args = {
    task: '/t',
    tempo: 0.5,
    maxHistory: 50,
    check: true,
    window: 2,
    budget: { trials: 9 },
    proposer: 'llm',
  };
  const kept = { task: '/t', tempo: 0.5, maxHistory: 50, check: true };

  test('with what it was started with, but for what the database has by now', () => {
    expect(startAgainWith({ ...args, carry: {} }, { opened: true })).toEqual(kept);
  });

  test('with its budget and proposer, too, where it was never opened', () => {
    expect(startAgainWith(args, { opened: false })).toEqual({ ...kept, budget: { trials: 9 }, proposer: 'llm' });
  });

  test('with what is no object as it is, to be refused as it was', () => {
    expect(startAgainWith(42, { opened: false })).toBe(42);
  });
});
