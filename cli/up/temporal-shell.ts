import { basename, dirname } from 'node:path';
import type { Config } from '../../config/load.ts';
import { homePaths } from '../../config/paths.ts';
import { onPath } from '../../infra/temporal/find-cli.ts';

/**
 * What a shell needs so that `temporal workflow …` reaches the embedded server: assignments for one `export`. Empty where
 * the environment names the server, since the shell has it then.
 */
export function temporalShell(config: Config, temporal: { address: string; namespace: string }): string[] {
  if (config.temporal.address !== null) return [];
  const folder = folderOfCli(config);
  return [
    `TEMPORAL_ADDRESS=${temporal.address}`,
    ...(temporal.namespace === 'default' ? [] : [`TEMPORAL_NAMESPACE=${quoted(temporal.namespace)}`]),
    ...(folder === null ? [] : [`PATH=${quoted(folder)}:$PATH`]),
  ];
}

/** The folder in which a file named `temporal` lies; null where the PATH has one, or none is named so. */
function folderOfCli({ temporalCliPath, home, env }: Config): string | null {
  if (temporalCliPath !== null) return basename(temporalCliPath) === 'temporal' ? dirname(temporalCliPath) : null;
  return onPath('temporal', env.PATH ?? '').length > 0 ? null : dirname(homePaths(home).temporalCli);
}

const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
