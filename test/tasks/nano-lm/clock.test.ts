import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { createRandom } from '../../../domain/statistics/random.ts';
import { TASK } from '../../../bench/tasks/nano-lm/trial.ts';

afterEach(() => vi.restoreAllMocks());

/** Microseconds of CPU between two reads of the clock, whatever is computed in between. */
const STEP = 100;
/** Reference seconds in a CPU second: the reference core needs 280 µs for the timed piece. */
const SPEED = 2.8;

/** Reference seconds per CPU second, over `seconds`. `shown` maps the true CPU time to that of the CPU clock, in µs. */
async function speedBy(name: string, shown: (micros: number) => number, seconds = 2): Promise<number> {
  let micros = 0;
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: shown((micros += STEP)), system: 0 }));
  const url = `${pathToFileURL(join(TASK, 'workspace/clock.mjs')).href}?${name}`;
  const { referenceSeconds } = (await import(url)) as { referenceSeconds: () => number };
  let spent = 0;
  while (micros < seconds * 1e6) spent = referenceSeconds();
  return spent / (shown(micros) / 1e6);
}

test.each([1, 1000, 10_000, 15_625])(
  'a CPU clock with ticks of %d µs gives seconds of the reference core',
  async (tick) => {
    const speed = await speedBy(`tick=${tick}`, (micros) => Math.floor(micros / tick) * tick);
    expect(Math.abs(speed / SPEED - 1)).toBeLessThan(0.1);
  },
);

test('a CPU clock that sometimes stands still does not change the speed', async () => {
  const speed = await speedBy('still', (micros) => micros - STEP * Math.floor(micros / (7 * STEP)));
  expect(Math.abs(speed / SPEED - 1)).toBeLessThan(0.1);
});

test('a CPU clock that sometimes hardly moves, as without its core, does not change the speed', async () => {
  const random = createRandom(7);
  let lost = 0;
  const speed = await speedBy('taken', (micros) => micros - (random.uniform() < 0.01 ? (lost += STEP - 1) : lost));
  expect(Math.abs(speed / SPEED - 1)).toBeLessThan(0.15);
});

test('a CPU clock that hardly moves at one of its first reads does not change the speed', async () => {
  const reads = Array.from({ length: 250 }, (_, index) => index + 1);
  for (const at of reads.filter((read) => read <= 20 || read % 10 === 0)) {
    let read = 0;
    const speed = await speedBy(`once=${at}`, (micros) => ((read += 1) < at ? micros : micros - (STEP - 1)), 0.04);
    expect(Math.abs(speed / SPEED - 1), `wrong at read ${at}`).toBeLessThan(0.1);
  }
});
