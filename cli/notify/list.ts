import { readOutboxes, readSinks, type Outbox, type StoredSink } from '../../db/notify/read-sinks.ts';
import { secretPlace } from '../../domain/notify/secret.ts';
import type { Sink } from '../../domain/notify/sink.ts';
import { plural } from '../../domain/text/plural.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { withDb } from '../context.ts';
import { printJson, printLine, printNote, type Io } from '../io.ts';

/** Prints the sinks, with what they have got and what waits. */
export async function list(io: Io, { json }: { json?: boolean }): Promise<void> {
  const { sinks, outboxes } = await withDb(io, async (db) => ({
    sinks: await readSinks(db),
    outboxes: await readOutboxes(db),
  }));
  const rows = sinks.map((sink) => ({ sink, outbox: outboxes.find(({ sink: name }) => name === sink.name) }));
  if (json) return printJson(io, { sinks: rows.map(({ sink: { name, spec }, outbox }) => ({ name, spec, outbox })) });
  if (rows.length === 0)
    return printNote(io, 'There is no sink. Write a notify.yaml (docs/guides/messages.md), then apply it');
  for (const { sink, outbox } of rows) for (const line of describe(sink, outbox)) printLine(io, line);
}

function describe({ name, spec }: StoredSink, outbox: Outbox | undefined): string[] {
  if (spec === null) return [`${name}  written by a newer version of Perpetua`];
  const lines = [`${name}  ${spec.type}  ${spec.send.join(', ')}  ${describeTarget(spec)}`];
  if (spec.send.includes('digest')) lines.push(`  daily report at ${spec.digestAt} ${spec.timeZone}`);
  if (!outbox) return lines;
  const { delivered, waiting, oldestWaiting, lastDelivered, lastError } = outbox;
  lines.push(
    `  ${plural(delivered, 'message')} delivered${lastDelivered === null ? '' : `, the last at ${lastDelivered}`}`,
  );
  if (waiting > 0) lines.push(`  ${plural(waiting, 'message')} waiting, the oldest since ${oldestWaiting ?? 'now'}`);
  if (lastError !== null) lines.push(`  last failure: ${oneLine(lastError)}`);
  return lines;
}

/** Describes where a sink leads, without its secrets. */
function describeTarget(sink: Sink): string {
  switch (sink.type) {
    case 'webhook':
      return secretPlace(sink.url) === null ? new URL(sink.url).origin : sink.url;
    case 'slack':
    case 'discord':
      return sink.url;
    case 'email':
      return `${sink.to.join(', ')} by ${sink.host}`;
    case 'command':
      return sink.argv.join(' ');
    case 'file':
      return sink.path;
  }
}
