import { plural } from '../../domain/text/plural.ts';
import { printNote, printLine, printJson, type Io } from '../io.ts';
import { readFleet } from './read-fleet.ts';
import { probeMovedHosts } from './probe-moved-hosts.ts';
import { withDb } from '../context.ts';
import { applyFleet, findMovedHosts } from '../../db/host/apply-fleet.ts';
import { callerOf } from './caller.ts';
import { readLeftover } from '../../db/reads/read-leftover.ts';

/** Makes the hosts of a fleet.yaml the fleet that workers serve. */
export async function apply(io: Io, { file, json }: { file: string; json?: boolean }): Promise<void> {
  const fleet = await readFleet(file);
  const applied = await withDb(io, async (db) => {
    const moved = await findMovedHosts(db, fleet);
    const answers = moved.length === 0 ? {} : await probeMovedHosts(io, moved, await callerOf(io, db));
    return applyFleet(db, fleet, { answers });
  });
  const { running, poolless } = await withDb(io, readLeftover);
  for (const { host, trial } of running)
    printNote(
      io,
      `! ${host} is not in the fleet any more, and ${trial} still runs there. Its run goes on to its end. ` +
        `If ${host} cannot be reached, ${trial} runs again on another host`,
    );
  for (const { research, pool } of poolless)
    printNote(
      io,
      `! no host is in the pool ${pool} any more, and trials of ${research} wait for it. ` +
        `A stop without --now waits for these trials, too. To end them: npx perpetua stop ${research} --now`,
    );
  if (applied.removed.length > 0)
    printNote(
      io,
      `! the scratch folder stays on ${applied.removed.join(', ')}, with files of earlier runs. ` +
        'To remove it: docs/guides/fleet/taking-a-host-out.md',
    );
  if (json) return printJson(io, applied);
  for (const [change, names] of Object.entries(applied) as [string, string[]][])
    if (names.length > 0) printLine(io, `${change}: ${names.join(', ')}`);
  if (fleet.hosts.length === 0) printNote(io, `${file} names no host, so its pools have no slots`);
  else printNote(io, `workers probe ${plural(fleet.hosts.length, 'host')} now. To see the results: npx perpetua fleet`);
}
