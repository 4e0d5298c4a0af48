import { expect, test } from 'vitest';
import { NOTHING_LEFT } from '../../../domain/floor/left.ts';
import { unheardOf } from '../../../domain/floor/unheard.ts';

test('everything that a research was told and has not heard is named, long messages by their beginning', () => {
  expect(unheardOf(NOTHING_LEFT)).toEqual([]);
  const messages = [
    { signal: 'note', arg: { text: 'x'.repeat(5000) } },
    { signal: 'resume', arg: undefined },
  ];
  const told = unheardOf({ paused: true, stopping: 'now', window: 4, messages, dropped: 2 });
  expect(told.filter((_, i) => i !== 3)).toEqual(['pause', 'stop at once', 'setWindow 4', 'resume {}', '2 more']);
  expect(told[3]).toMatch(/^note \{"text":"x{100,200}$/);
});
