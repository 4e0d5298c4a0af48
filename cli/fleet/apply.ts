import { plural } from '../../domain/text/plural.ts';
import { note, say, sayJson, type Io } from '../io.ts';

/** Makes a fleet.yaml the fleet that workers serve. */
export async function apply(io: Io, { file, json }: { file: string; json?: boolean }): Promise<void> {
  const [{ readFleet }, { askMoved }, { withDb }, { applyFleet, findMoved }, { callerOf }, { readLeftover }] =
    await Promise.all([
      import('./read-fleet.ts'),
      import('./ask-moved.ts'),
      import('../context.ts'),
      import('../../db/host/apply-fleet.ts'),
      import('./caller.ts'),
      import('../../db/reads/read-leftover.ts'),
    ]);
  const fleet = await readFleet(file);
  const applied = await withDb(io, async (db) => {
    const moved = await findMoved(db, fleet);
    const answers = moved.length === 0 ? {} : await askMoved(io, moved, await callerOf(io, db));
    return applyFleet(db, fleet, { answers });
  });
  const { running, poolless } = await withDb(io, readLeftover);
  for (const { host, trial } of running)
    note(
      io,
      `! ${trial} goes on to its end on ${host}, which is not in the fleet any more, or elsewhere if ${host} cannot be reached`,
    );
  for (const { research, pool } of poolless)
    note(
      io,
      `! ${research} has trials for the pool ${pool}, which has no host now. They wait, even if the research was told to stop (stop ${research} --now ends it)`,
    );
  if (applied.removed.length > 0)
    note(
      io,
      `! the scratch folder of ${applied.removed.join(', ')} stays there, with what runs have left; how to remove it: docs/guides/fleet.md, "Taking a host out"`,
    );
  if (json) return sayJson(io, applied);
  for (const [what, names] of Object.entries(applied) as [string, string[]][])
    if (names.length > 0) say(io, `${what}: ${names.join(', ')}`);
  if (fleet.hosts.length > 0)
    note(io, `workers try ${plural(fleet.hosts.length, 'host')} now; see how they do: npx perpetua fleet`);
}
