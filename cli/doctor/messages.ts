import { readOutboxes } from '../../db/notify/read-sinks.ts';
import { plural } from '../../domain/text/plural.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { withDb } from '../context.ts';
import type { Io } from '../io.ts';
import { type Finding, ok, remark } from './finding.ts';

/** Checks if every sink gets its messages. */
export async function checkMessages(io: Io): Promise<Finding> {
  // Before the first start there is no database.
  const outboxes = await withDb(io, readOutboxes).catch(() => null);
  if (outboxes === null) return ok('messages', 'not known while Postgres does not run');
  if (outboxes.length === 0) return ok('messages', 'no sink: nobody gets messages (docs/guides/messages.md)');
  const failing = outboxes.find(({ lastError }) => lastError !== null);
  if (failing === undefined) return ok('messages', `${plural(outboxes.length, 'sink')}, and none failed last`);
  const { sink, waiting, lastError } = failing;
  return remark(
    'messages',
    `${sink} does not take its messages, of which ${waiting} wait: ${oneLine(lastError ?? '')}`,
    `correct it, then: npx perpetua notify test ${sink}`,
  );
}
