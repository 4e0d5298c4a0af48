import { expect, test } from 'vitest';
import { NOTHING_LEFT } from '../../../domain/floor/left.ts';
import { unheardOf } from '../../../domain/floor/unheard.ts';

test('everything that a research was told and has not heard is named, long messages by their beginning', () => {
  expect(unheardOf(NOTHING_LEFT, 900)).toBe('');
  const messages = [
    { signal: 'note', arg: { text: 'x'.repeat(5000) } },
    { signal: 'resume', arg: undefined },
  ];
  expect(unheardOf({ paused: true, stopping: 'now', window: 4, messages, dropped: 2 }, 900)).toMatch(
    /^pause; stop at once; setWindow 4; note \{"text":"x{100,200}; resume \{\}; and 2 more$/,
  );
});

test('of what there is no room for the number is told', () => {
  const messages = Array.from({ length: 50 }, (_, n) => ({ signal: 'note', arg: { text: `${n} ${'x'.repeat(200)}` } }));
  const told = unheardOf({ ...NOTHING_LEFT, paused: true, messages, dropped: 3 }, 900);
  expect(told.length).toBeLessThanOrEqual(900);
  const named = told.match(/note /g)?.length ?? 0;
  expect(named).toBeGreaterThan(5);
  expect(told).toMatch(new RegExp(`; and ${50 - named + 3} more$`));
});
