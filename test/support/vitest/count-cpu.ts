import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

/** Ticks of the clock that /proc counts in, which Linux fixes at 100 a second. */
const TICKS = 100;

/** CPU seconds (user + system) of this process and of its children that have ended; those that left it are not here. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  if (!existsSync('/proc/self/stat')) return own;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  return own + (Number(fields[13]) + Number(fields[14])) / TICKS;
}

/** Of files before this one in the same process. */
const shared = globalThis as { perpetuaCpuBefore?: number };

const report = process.env['PERPETUA_TEST_CPU'];
// It runs after all other hooks of the file, which stop what the file started.
if (report !== undefined)
  afterAll(() => {
    const all = cpuSeconds();
    const seconds = all - (shared.perpetuaCpuBefore ?? 0);
    shared.perpetuaCpuBefore = all;
    appendFileSync(report, `${JSON.stringify({ file: expect.getState().testPath, seconds })}\n`);
  });
