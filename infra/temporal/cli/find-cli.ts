import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { buildCli } from './build-cli.ts';
import { type FindCliOptions, PINNED_CLI } from './cli-options.ts';
import { readCliVersion, type CliVersion } from './cli-version.ts';
import { downloadCli } from './download-cli.ts';

export type CliWay = 'TEMPORAL_CLI_PATH' | 'PATH' | 'kept' | 'download' | 'build';
export interface FoundCli {
  path: string;
  way: CliWay;
  version: CliVersion;
}

/** No `temporal` binary exists or can be installed; the message lists all ways to get one. */
export class NoTemporalCliError extends Error {
  override readonly name = 'NoTemporalCliError';
}

/** Finds an installed binary; null if there is none. Throws if TEMPORAL_CLI_PATH is wrong. */
export async function findInstalledCli(
  options: Pick<FindCliOptions, 'cliPath' | 'keptAt' | 'env'>,
): Promise<FoundCli | null> {
  if (options.cliPath !== null) {
    if (!existsSync(options.cliPath))
      throw new Error(`TEMPORAL_CLI_PATH: expected a file, found nothing at ${options.cliPath}. Correct or unset it.`);
    return { path: options.cliPath, way: 'TEMPORAL_CLI_PATH', version: await readCliVersion(options.cliPath) };
  }
  for (const path of onPath('temporal', options.env.PATH ?? '')) {
    const version = await readCliVersion(path).catch(() => null); // a broken binary on the PATH is skipped
    if (version) return { path, way: 'PATH', version };
  }
  if (!existsSync(options.keptAt)) return null;
  return { path: options.keptAt, way: 'kept', version: await readCliVersion(options.keptAt) };
}

/** Finds, else downloads, else builds the `temporal` binary. Throws NoTemporalCliError, or the signal's reason. */
export async function findTemporalCli(options: FindCliOptions): Promise<FoundCli> {
  const installed = await findInstalledCli(options);
  if (installed) return installed;
  options.signal?.throwIfAborted();
  options.onProgress({ step: 'download' });
  const reasons: string[] = [];
  for (const [way, get] of [
    ['download', downloadCli],
    ['build', buildCli],
  ] as const) {
    try {
      await get(options);
      return { path: options.keptAt, way, version: await readCliVersion(options.keptAt) };
    } catch (error) {
      options.signal?.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      reasons.push(`  ${way}: ${reason.replaceAll('\n', '\n    ')}`);
      if (way === 'download') options.onProgress({ step: 'download-failed', reason });
    }
  }
  throw new NoTemporalCliError(
    `Expected a Temporal server, found none and could not get one:\n${reasons.join('\n')}\n` +
      'Any one of these helps:\n' +
      '  1. TEMPORAL_ADDRESS=host:port of a server that already runs\n' +
      '  2. TEMPORAL_CLI_PATH=/path/to/temporal, or `temporal` on the PATH ' +
      `(tested with CLI ${PINNED_CLI})\n` +
      `  3. the binary itself, put at ${options.keptAt}\n` +
      "  4. a network in which the Temporal SDK's download of its dev server works\n" +
      '  5. Go 1.21 or newer on the PATH and a reachable Go module proxy (GOPROXY): ' +
      'it is then built here, in about 4 minutes',
  );
}

/** All files of a name on a PATH, in its order. */
export function onPath(name: string, path: string): string[] {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .filter((file) => existsSync(file));
}
