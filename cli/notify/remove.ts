import { removeSink } from '../../db/notify/apply-sinks.ts';
import { withDb } from '../context.ts';
import { printJson, printLine, type Io } from '../io.ts';
import { noteResearches } from './apply.ts';
import { requireSinks } from './require-sinks.ts';

/** Removes a sink, with the messages that it has not got. */
export async function remove(io: Io, name: string, { json }: { json?: boolean }): Promise<void> {
  await withDb(io, async (db) => {
    await requireSinks(db, [name]);
    await removeSink(db, name);
  });
  await noteResearches(io, name);
  if (json) return printJson(io, { removed: [name] });
  printLine(io, `removed ${name}, with the messages that it had not got`);
}
