import { printNote, printLine, printJson, type Io } from '../io.ts';
import { requireKnownHosts } from './require-known-hosts.ts';
import { withDb } from '../context.ts';
import { drainHosts, findHosts } from '../../db/host/fleet.ts';

/** Drains hosts, which finish their runs and get no new ones, or takes a drain back. */
export async function drain(
  io: Io,
  names: string[],
  { drain: wanted, json }: { drain: boolean; json?: boolean },
): Promise<void> {
  const changed = await withDb(io, async (db) => {
    requireKnownHosts(
      names,
      (await findHosts(db)).filter(({ state }) => state !== 'removed'),
    );
    return drainHosts(db, { names, drain: wanted });
  });
  if (json) return printJson(io, { changed });
  for (const name of names)
    printLine(io, `${name}: ${changed.includes(name) ? '' : 'already '}${wanted ? 'draining' : 'serving'}`);
  if (wanted)
    printNote(
      io,
      'The runs there finish, and no new ones are placed there. To end the drain: npx perpetua fleet resume ' +
        names.join(' '),
    );
}
