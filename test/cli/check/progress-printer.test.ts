import { expect, it } from 'vitest';
import { createProgressPrinter } from '../../../cli/check/progress-printer.ts';
import type { Io } from '../../../cli/io.ts';

/** Lines printed while a run waits for a slot for 100 s and then runs, with one report a second. */
function printed(options: { json?: boolean }): string[] {
  let text = '';
  const io = { stderr: { write: (line: string) => (text += line) } } as unknown as Io;
  const report = createProgressPrinter(io, options);
  for (let seconds = 0; seconds < 100; seconds += 1)
    report({
      stage: 'queued',
      waits: seconds === 0 ? null : `for a slot of lab, for ${seconds} s; lab has none now`,
      seconds,
    });
  report({ stage: 'running', waits: null, seconds: 100 });
  return text.trim().split('\n');
}

it('prints each stage once, and the reason of a wait after a moment and then each minute', () => {
  expect(printed({})).toEqual([
    'after 0 s: queued',
    'after 5 s: queued for a slot of lab, for 5 s; lab has none now. Ctrl-C gives up',
    'after 65 s: queued for a slot of lab, for 65 s; lab has none now. Ctrl-C gives up',
    'after 100 s: running',
  ]);
});

it('prints the reason of a wait beside JSON, too, which would stay silent', () => {
  expect(printed({ json: true })).toHaveLength(2);
});
