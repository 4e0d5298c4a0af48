import { expect, test } from 'vitest';
import { listenForInterrupts } from '../../../cli/up/interrupts.ts';
import { createEventPrinter } from '../../../cli/up/event-reporter.ts';

/** Calls what listens, without a real signal: the runner has its own idea of that. */
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

test('a signal from outside is the first press, and after the end nobody listens', () => {
  const outside = new AbortController();
  const before = process.listenerCount('SIGINT');
  const { first, second, dispose } = listenForInterrupts(outside.signal, () => 0);
  outside.abort();
  expect([first.aborted, second.aborted]).toEqual([true, false]);
  dispose();
  expect(process.listenerCount('SIGINT')).toBe(before);
});

test('a terminal that closes is a first press, and never a second, however often it says so', () => {
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

test('progress is told every ten seconds, other events at once', () => {
  const written: string[] = [];
  const out = { write: (text: string) => written.push(text) };
  let now = 0;
  const tell = createEventPrinter({ io: { stdout: out, stderr: out }, json: false }, () => now);
  for (now = 0; now < 25_000; now += 1000) tell({ type: 'progress', part: 'temporal', text: `at ${now}` });
  expect(written).toEqual(['· at 0\n', '· at 10000\n', '· at 20000\n']);
  tell({ type: 'ready', part: 'temporal', text: 'done' });
  expect(written.at(-1)).toBe('✓ done\n');
});
