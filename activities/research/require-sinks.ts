import type { PickStatements } from '../deps.ts';
import { refuse } from '../task/refuse.ts';

/** Refuses names of sinks that the database does not know: their messages would go nowhere. */
export async function requireSinks(
  { store }: PickStatements<'notify', 'readSinks'>,
  names: readonly string[] | undefined,
): Promise<void> {
  if (names === undefined) return;
  const known = (await store.notify.readSinks()).map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw refuse(
      `input: notify: expected some of the sinks ${known.join(', ') || '(there is none)'}, ` +
        `got ${JSON.stringify(unknown[0])}; add it to notify.yaml and run npx perpetua notify apply notify.yaml`,
      'BadInput',
    );
}
