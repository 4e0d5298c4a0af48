import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Config } from '../../config/load.ts';
import { homePaths } from '../../config/paths.ts';
import { UpState } from '../../config/up-file.ts';
import { onPath } from '../../infra/temporal/find-cli.ts';

/**
 * What a shell needs so that `temporal workflow …` reaches the embedded server: assignments for one `export`. Empty where
 * the environment names the server, since the shell has it then.
 */
export function temporalShellVariables(config: Config, temporal: { address: string; namespace: string }): string[] {
  if (config.temporal.address !== null) return [];
  const folder = folderOfCli(config);
  return [
    `TEMPORAL_ADDRESS=${temporal.address}`,
    ...(temporal.namespace === 'default' ? [] : [`TEMPORAL_NAMESPACE=${quoted(temporal.namespace)}`]),
    ...(folder === null ? [] : [`PATH=${quoted(folder)}:$PATH`]),
  ];
}

/** The folder in which a file named `temporal` lies; null where the PATH has one, or there is none of that name. */
function folderOfCli({ temporalCliPath, home, env }: Config): string | null {
  if (onPath('temporal', env.PATH ?? '').length > 0) return null;
  // The server may have been started in another shell, whose PATH or TEMPORAL_CLI_PATH led to it.
  const known = [temporalCliPath, homePaths(home).temporalCli, programOfServer(home)];
  const found = known.find((path) => path && basename(path) === 'temporal' && existsSync(path));
  return found ? dirname(found) : null;
}

/** The program that the embedded server of a home runs; null where none runs, or the system does not tell. */
function programOfServer(home: string): string | null {
  try {
    const { embedded } = UpState.parse(JSON.parse(readFileSync(homePaths(home).upFile, 'utf8'))).temporal;
    return embedded && realpathSync(`/proc/${embedded.pid}/exe`);
  } catch {
    return null; // it only saves a person from looking for it
  }
}

const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
