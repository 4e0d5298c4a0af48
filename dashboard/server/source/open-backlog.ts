import type { Config } from '../../../config/load.ts';
import { readUpFile } from '../../../config/up-file.ts';
import type { BacklogReader } from '../../../infra/temporal/backlog-reader.ts';
import type { ReadBacklog } from './temporal-watch.ts';

/**
 * Finds Temporal anew for each question: the address in the environment, else the embedded server of the stack that is
 * up. Answers null without such a server, and if an own server needs a key, which this process does not have.
 */
export function openBacklog({ home, temporal, env }: Pick<Config, 'home' | 'temporal' | 'env'>): ReadBacklog {
  let reader: Promise<BacklogReader> | undefined;
  return async (options) => {
    const server = temporal.address === null ? await findEmbedded(home) : { ...temporal, address: temporal.address };
    if (server === null) return null;
    // Temporal's client is large: a dashboard that no tab looks at does not load it.
    reader ??= import('../../../infra/temporal/backlog-reader.ts').then(({ openBacklogReader }) =>
      openBacklogReader(env),
    );
    return (await reader).read(server, options);
  };
}

async function findEmbedded(home: string) {
  const up = await readUpFile(home);
  return up?.temporal.embedded ? { ...up.temporal, connection: {} } : null;
}
