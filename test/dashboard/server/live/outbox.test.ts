import { expect, test } from 'vitest';
import { createOutbox } from '../../../../dashboard/server/live/outbox.ts';

const FIRST = 'retry: 1000\n\n';
const changed = (research: string | null, cursor: string) =>
  `event: changed\ndata: ${JSON.stringify({ research, cursor })}\n\n`;

test('only the newest change of each research waits, however long the reader reads nothing', async () => {
  const outbox = createOutbox();
  for (let n = 1; n <= 10_000; n++) {
    outbox.changed({ research: 'one', cursor: `${n}:1` });
    outbox.changed({ research: 'two', cursor: `${n}:2` });
    outbox.away('gone');
    outbox.back();
  }
  const back = 'event: back\ndata: {}\n\n';
  expect(await outbox.take(1)).toBe(FIRST + back + changed('one', '10000:1') + changed('two', '10000:2'));
});

test('the first message is the delay of a reconnection; without a change, none follows', async () => {
  const outbox = createOutbox();
  expect(await outbox.take(1)).toBe(FIRST);
  expect(await outbox.take(1)).toBeNull();
});

test('a waiting reader gets a change at once', async () => {
  const outbox = createOutbox();
  await outbox.take(1);
  const taken = outbox.take(600_000);
  outbox.changed({ research: null, cursor: '3:4' });
  expect(await taken).toBe(changed(null, '3:4'));
});
