import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TestProject } from 'vitest/node';
import { homePaths } from '../../../config/paths.ts';
import { SHARED_ROOT } from '../../../infra/postgres/data-folder.ts';
import { startPostgres } from '../../../infra/postgres/embedded.ts';
import { removeTree } from '../../../infra/remove-tree.ts';
import { throwawayHome } from '../servers.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of a Postgres that lives as long as the tests do; its own database stays empty. */
    sharedPostgres: string;
  }
}

/** One Postgres for all test files that do not take theirs away, since its start costs more than most of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = await throwawayHome();
  const { postgres: dir, logs } = homePaths(home);
  const server = await startPostgres({ dir, logFile: `${logs}/postgres.log`, port: null, durable: false });
  project.provide('sharedPostgres', server.url);
  return async () => {
    await server.stop();
    if (dirname(dirname(server.dataDir)) === SHARED_ROOT) await rm(dirname(server.dataDir), { recursive: true });
    await removeTree(home);
  };
}
