import { relative } from 'node:path';
import type { Config } from '../../config/load.ts';
import { homePaths } from '../../config/paths.ts';
import { withoutPassword } from './addresses.ts';

/**
 * How a person gets into Postgres: for the embedded one a command that reads its password from up.json, short where the
 * shell stands in the clone; else the address that the environment names, whose password is known there.
 */
export function postgresCommand(
  config: Pick<Config, 'home' | 'databaseUrl'>,
  databaseUrl: string,
  cwd: string = process.cwd(),
): string {
  if (config.databaseUrl !== null) return withoutPassword(databaseUrl);
  const { upFile } = homePaths(config.home);
  const near = relative(cwd, upFile);
  const path = JSON.stringify(near.startsWith('..') ? upFile : `./${near}`).replaceAll("'", String.raw`\u0027`);
  return `psql "$(node -p 'require(${path}).postgres.url')"`;
}
