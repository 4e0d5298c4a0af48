import type { Tx } from '../../db/connect.ts';
import { readSinks, type StoredSink } from '../../db/notify/read-sinks.ts';
import { nearestKey } from '../../domain/text/nearest-key.ts';
import { refused } from '../errors.ts';

/** The sinks of these names; refuses an unknown one. */
export async function requireSinks(db: Tx, names: readonly string[]): Promise<StoredSink[]> {
  if (names.length === 0) return [];
  const known = await readSinks(db);
  return names.map((name) => {
    const found = known.find((sink) => sink.name === name);
    if (found) return found;
    const all = known.map((sink) => sink.name);
    const nearest = nearestKey(name, all);
    const hint = nearest === null ? '' : ` Did you mean ${nearest}?`;
    throw refused(
      all.length === 0
        ? `Expected a sink, got ${JSON.stringify(name)}; there is none. Write a notify.yaml ` +
            '(docs/guides/messages.md), then: npx perpetua notify apply notify.yaml'
        : `Expected one of the sinks ${all.join(', ')}, got ${JSON.stringify(name)}.${hint}`,
    );
  });
}
