import { existsSync } from 'node:fs';
import type { Config } from './load.ts';
import { homePaths } from './paths.ts';
import type { TemporalConfig } from './temporal.ts';
import { readUpFile } from './up-file.ts';

/** Addresses of Temporal and Postgres, from the environment or from a stack that runs in this home. */
export interface Addresses {
  temporal: TemporalConfig & { address: string; uiUrl: string | null };
  databaseUrl: string;
}

/** Error: neither the environment nor a running stack has the address of Temporal or Postgres. */
export class NotRunningError extends Error {
  override readonly name = 'NotRunningError';
}

/** Reads the environment first, then up.json. Throws NotRunningError if neither has an address. */
export async function resolveAddresses(config: Config): Promise<Addresses> {
  return { temporal: await resolveTemporal(config), databaseUrl: await resolveDatabase(config) };
}

/** Resolves Temporal's address alone, for commands that need no database. */
export async function resolveTemporal(config: Config): Promise<Addresses['temporal']> {
  const { address } = config.temporal;
  if (address !== null) {
    // The file only gives the Web UI's address here: an unreadable file must not block the command.
    const up = await readUpFile(config.home).catch(() => null);
    return { ...config.temporal, address, uiUrl: up?.temporal.address === address ? up.temporal.uiUrl : null };
  }
  const up = await readUpFile(config.home);
  if (!up) throw notRunning('TEMPORAL_ADDRESS', config.home);
  // An API key or TLS in the environment is meant for another server than the embedded one.
  const connection = up.temporal.embedded ? {} : config.temporal.connection;
  return { address: up.temporal.address, namespace: up.temporal.namespace, uiUrl: up.temporal.uiUrl, connection };
}

/** Resolves Postgres's URL alone, for commands that read the lineage. */
export async function resolveDatabase(config: Config): Promise<string> {
  if (config.databaseUrl !== null) return config.databaseUrl;
  const up = await readUpFile(config.home);
  if (!up) throw notRunning('DATABASE_URL', config.home);
  return up.postgres.url;
}

function notRunning(variable: string, home: string): NotRunningError {
  // The process that holds the lock may have died.
  const todo = existsSync(homePaths(home).upLock)
    ? 'A stack may be starting there. Try again in a moment. If that fails, too, ' +
      'read the output of `npx perpetua up` (or `npm start`)'
    : `Start one with \`npx perpetua up\` (or \`npm start\`), set ${variable}, ` +
      'or set PERPETUA_HOME to the home of a running stack';
  return new NotRunningError(`Expected ${variable}, or a stack that runs in ${home}; found neither. ${todo}.`);
}
