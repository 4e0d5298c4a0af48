import { expect, test } from 'vitest';
import { listenForInterrupts } from '../../../cli/up/interrupts.ts';
import { createEventPrinter } from '../../../cli/up/event-reporter.ts';

/** Calls the listener without a real signal, to which the test runner would react. */
function press(): void {
  const listener = process.listeners('SIGINT').at(-1);
  if (!listener) throw new Error('nobody listens');
  listener('SIGINT');
}

test('one press that arrives twice, as npm passes it on, is one press', () => {
  let now = 0;
  const { first, second, dispose } = listenForInterrupts(undefined, () => now);
  press();
  now = 40;
  press();
  expect([first.aborted, second.aborted]).toEqual([true, false]);
  now = 900;
  press();
  expect(second.aborted).toBe(true);
  dispose();
});

test('a signal from outside counts as the first press, and no listener is left after the end', () => {
  const outside = new AbortController();
  const before = process.listenerCount('SIGINT');
  const { first, second, dispose } = listenForInterrupts(outside.signal, () => 0);
  outside.abort();
  expect([first.aborted, second.aborted]).toEqual([true, false]);
  dispose();
  expect(process.listenerCount('SIGINT')).toBe(before);
});

test('a terminal that closes counts as a first press and never as a second, however many signals it sends', () => {
  let now = 0;
  const before = process.listenerCount('SIGHUP');
  const { first, second, dispose } = listenForInterrupts(undefined, () => now);
  const hangUp = () => process.listeners('SIGHUP').at(-1)?.('SIGHUP');
  hangUp();
  expect(first.aborted).toBe(true);
  now = 5000;
  hangUp();
  expect(second.aborted).toBe(false);
  dispose();
  expect(process.listenerCount('SIGHUP')).toBe(before);
});

test('progress is printed every ten seconds, other events at once', () => {
  const written: string[] = [];
  const out = { write: (text: string) => written.push(text) };
  let now = 0;
  const print = createEventPrinter({ io: { stdout: out, stderr: out }, json: false }, () => now);
  for (now = 0; now < 25_000; now += 1000) print({ type: 'progress', part: 'temporal', text: `at ${now}` });
  expect(written).toEqual(['· at 0\n', '· at 10000\n', '· at 20000\n']);
  print({ type: 'ready', part: 'temporal', text: 'done' });
  expect(written.at(-1)).toBe('✓ done\n');
});
