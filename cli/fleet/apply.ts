import { howMany } from '../../domain/how-many.ts';
import { note, say, sayJson, type Io } from '../io.ts';

/** Makes a fleet.yaml the fleet that workers serve. */
export async function apply(io: Io, { file, json }: { file: string; json?: boolean }): Promise<void> {
  const [{ readFleet }, { askMoved }, { withDb }, { applyFleet, findMoved }, { callerOf }] = await Promise.all([
    import('./read-fleet.ts'),
    import('./ask-moved.ts'),
    import('../context.ts'),
    import('../../db/queries/apply-fleet.ts'),
    import('./caller.ts'),
  ]);
  const fleet = await readFleet(file);
  const applied = await withDb(io, async (db) => {
    const moved = await findMoved(db, fleet);
    const answers = moved.length === 0 ? {} : await askMoved(io, moved, await callerOf(io, db));
    return applyFleet(db, fleet, { answers });
  });
  if (json) return sayJson(io, applied);
  for (const [what, names] of Object.entries(applied) as [string, string[]][])
    if (names.length > 0) say(io, `${what}: ${names.join(', ')}`);
  note(io, `workers try ${howMany(fleet.hosts.length, 'host')} now; see how they do: npx perpetua fleet`);
}
