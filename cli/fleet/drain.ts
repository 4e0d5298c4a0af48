import { refused } from '../errors.ts';
import { note, say, sayJson, type Io } from '../io.ts';

/** Lets hosts finish what they run and gives them nothing new, or takes that back. */
export async function drain(
  io: Io,
  names: string[],
  { drain: wanted, json }: { drain: boolean; json?: boolean },
): Promise<void> {
  const [{ withDb }, { drainHosts, findHosts }] = await Promise.all([
    import('../context.ts'),
    import('../../db/queries/fleet.ts'),
  ]);
  const changed = await withDb(io, async (db) => {
    const known = (await findHosts(db)).filter(({ state }) => state !== 'removed').map(({ name }) => name);
    const unknown = names.filter((name) => !known.includes(name));
    if (unknown.length > 0)
      throw refused(`Expected hosts of the fleet (${known.join(', ') || 'it has none'}), came ${unknown.join(', ')}.`);
    return drainHosts(db, { names, drain: wanted });
  });
  if (json) return sayJson(io, { changed });
  for (const name of names)
    say(io, `${name}: ${changed.includes(name) ? '' : 'already '}${wanted ? 'draining' : 'serving'}`);
  if (wanted) note(io, 'what runs there finishes; give it work again: npx perpetua fleet resume');
}
