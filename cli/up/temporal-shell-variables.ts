import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Config } from '../../config/load.ts';
import { homePaths } from '../../config/paths.ts';
import { UpState } from '../../config/up-file.ts';
import { onPath } from '../../infra/temporal/cli/find-cli.ts';

/**
 * Assignments for one `export` with which `temporal workflow …` reaches the embedded server from a shell. Empty if the
 * environment names the server, since the shell then has the variables.
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

/** Folder of a file named `temporal`; null if the PATH has one, or if no such file is known. */
function folderOfCli({ temporalCliPath, home, env }: Config): string | null {
  if (onPath('temporal', env.PATH ?? '').length > 0) return null;
  // The running server may have been found by the PATH or the TEMPORAL_CLI_PATH of another shell.
  const known = [temporalCliPath, homePaths(home).temporalCli, programOfServer(home)];
  const found = known.find((path) => path && basename(path) === 'temporal' && existsSync(path));
  return found ? dirname(found) : null;
}

/** Program of the home's embedded server; null if none runs, or the system has no /proc. */
function programOfServer(home: string): string | null {
  try {
    const { embedded } = UpState.parse(JSON.parse(readFileSync(homePaths(home).upFile, 'utf8'))).temporal;
    return embedded && realpathSync(`/proc/${embedded.pid}/exe`);
  } catch {
    return null; // the path is only a convenience
  }
}

const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
