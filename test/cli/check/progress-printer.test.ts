import { expect, it } from 'vitest';
import { createProgressPrinter } from '../../../cli/check/progress-printer.ts';
import type { Io } from '../../../cli/io.ts';

/** What is said while a run waits for a slot for 100 s, then runs; one look a second. */
function said(options: { json?: boolean }): string[] {
  let text = '';
  const tell = createProgressPrinter({ stderr: { write: (line: string) => (text += line) } } as unknown as Io, options);
  for (let seconds = 0; seconds < 100; seconds += 1)
    tell({
      stage: 'queued',
      waits: seconds === 0 ? null : `for a slot of lab, for ${seconds} s; lab has none now`,
      seconds,
    });
  tell({ stage: 'running', waits: null, seconds: 100 });
  return text.trim().split('\n');
}

it('says each stage once, and what a slot is waited for after a moment and then each minute', () => {
  expect(said({})).toEqual([
    'after 0 s: queued',
    'after 5 s: queued for a slot of lab, for 5 s; lab has none now. Ctrl-C gives up',
    'after 65 s: queued for a slot of lab, for 65 s; lab has none now. Ctrl-C gives up',
    'after 100 s: running',
  ]);
});

it('says what a slot is waited for beside JSON, too, which would say nothing for ever', () => {
  expect(said({ json: true })).toHaveLength(2);
});
