import { relative } from 'node:path';
import type { Config } from '../../config/load.ts';
import { homePaths } from '../../config/paths.ts';
import { withoutPassword } from './addresses.ts';

/**
 * Returns the way into Postgres for a person. For the embedded server: a `psql` command that reads the password from
 * up.json, with a short path if `cwd` is above the home. Else: DATABASE_URL without its password.
 */
export function postgresCommand(
  config: Pick<Config, 'home' | 'databaseUrl'>,
  databaseUrl: string,
  cwd: string = process.cwd(),
): string {
  if (config.databaseUrl !== null) return withoutPassword(databaseUrl);
  const { upFile } = homePaths(config.home);
  const relativePath = relative(cwd, upFile);
  const shortPath = relativePath.startsWith('..') ? upFile : `./${relativePath}`;
  const path = JSON.stringify(shortPath).replaceAll("'", String.raw`\u0027`);
  return `psql "$(node -p 'require(${path}).postgres.url')"`;
}
