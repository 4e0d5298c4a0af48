import { expect, test } from 'vitest';
import { NOTHING_TO_ASK, type Asked } from '../../../../cli/temporal/ask-temporal.ts';
import { createAsker } from '../../../../cli/up/view/asker.ts';

test('one question at a time, at most every five seconds, and the last answer meanwhile', async () => {
  let now = 0;
  const answers: ((asked: Asked) => void)[] = [];
  const look = createAsker(
    () => new Promise<Asked>((resolve) => answers.push(resolve)),
    () => now,
  );
  expect(look([])).toBeNull();
  now = 9000;
  expect(look([])).toBeNull();
  expect(answers).toHaveLength(1);
  answers[0]?.(NOTHING_TO_ASK);
  await Promise.resolve();
  expect(look([])).toBe(NOTHING_TO_ASK);
  expect(answers).toHaveLength(2);
  answers[1]?.({ ...NOTHING_TO_ASK, error: 'away' });
  await Promise.resolve();
  now = 12_000;
  expect(look([])?.error).toBe('away');
  expect(answers).toHaveLength(2);
});
