import { eq, inArray, sql } from 'drizzle-orm';
import type { Notify, Sink } from '../../domain/notify/sink.ts';
import type { Db } from '../connect.ts';
import { sinks } from '../schema.ts';

/** Names of sinks by the effect of applying a notify.yaml on them. */
export interface AppliedSinks {
  added: string[];
  changed: string[];
  removed: string[];
  unchanged: string[];
}

/** Specs of a changed sink before and after. */
export interface SinkChange {
  name: string;
  before: Sink;
  after: Sink;
}

/**
 * Makes the stored sinks match a notify.yaml. A sink that the file does not name is removed with its messages. A second
 * apply of the same file changes nothing.
 */
export const applySinks = (db: Db, { sinks: wanted }: Notify): Promise<AppliedSinks & { changes: SinkChange[] }> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`lock table ${sinks} in share row exclusive mode`);
    const before = new Map((await tx.select().from(sinks)).map((row) => [row.name, row.spec]));
    const changes: SinkChange[] = [];
    const applied: AppliedSinks = { added: [], changed: [], removed: [], unchanged: [] };
    for (const spec of wanted) {
      const { name } = spec;
      const known = before.get(name);
      if (known === undefined) {
        await tx.insert(sinks).values({ name, spec });
        applied.added.push(name);
        continue;
      }
      const changed = await tx
        .update(sinks)
        .set({ spec })
        .where(sql`${sinks.name} = ${name} and ${sinks.spec} <> ${JSON.stringify(spec)}::jsonb`)
        .returning({ name: sinks.name });
      if (changed.length > 0) changes.push({ name, before: known, after: spec });
      applied[changed.length > 0 ? 'changed' : 'unchanged'].push(name);
    }
    applied.removed = [...before.keys()].filter((name) => wanted.every((sink) => sink.name !== name));
    if (applied.removed.length > 0) await tx.delete(sinks).where(inArray(sinks.name, applied.removed));
    return { ...applied, changes };
  });

/** Removes a sink with its messages; false if there is none of that name. */
export async function removeSink(db: Db, name: string): Promise<boolean> {
  const removed = await db.delete(sinks).where(eq(sinks.name, name)).returning({ name: sinks.name });
  return removed.length > 0;
}
