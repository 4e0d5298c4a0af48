import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { awakeTimeout } from '../../../infra/evaluate/awake.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

test.each([1, 499, 500, 1300, 60_000])('a timeout of %i ms fires then, and not before', (ms) => {
  const onDue = vi.fn();
  awakeTimeout(ms, onDue);
  vi.advanceTimersByTime(ms - 1);
  expect(onDue).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onDue).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(ms);
  expect(onDue).toHaveBeenCalledOnce();
});

test('a cleared timeout never fires', () => {
  const onDue = vi.fn();
  const { clear } = awakeTimeout(1200, onDue);
  vi.advanceTimersByTime(700);
  clear();
  vi.advanceTimersByTime(5000);
  expect(onDue).not.toHaveBeenCalled();
});

test('a timeout does not count the time that its process was stopped', async () => {
  vi.useRealTimers();
  const module = join(packageRoot(), 'dist/infra/evaluate/awake.js');
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { awakeTimeout } = await import(${JSON.stringify(module)});
       const awake = setInterval(() => { seen += 1; }, 100);
       let seen = 0;
       awakeTimeout(6000, () => { clearInterval(awake); console.log(seen); });
       console.log('up');`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await expect.poll(() => output).toBe('up\n');
  child.kill('SIGSTOP');
  await sleep(8000);
  child.kill('SIGCONT');
  await once(child, 'close');
  // The process is awake for six seconds, some of them slow. With the stopped time, the timeout would fire at once.
  expect(Number(output.replace('up\n', ''))).toBeGreaterThan(25);
});
