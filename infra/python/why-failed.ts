import type { Pythons } from './found.ts';

/** uv's words where it reaches no index; those of a wrong hash or a full disk are others. */
export const NOT_REACHED =
  /Failed to fetch|error sending request|dns error|tcp connect error|operation timed out|Connectivity is disabled/i;

interface Failed {
  host: string;
  version: string;
  lock: string;
  found: Pythons;
  /** What the build said last. */
  said: string;
}

/** Why an environment could not be built on a host, in one sentence, and what to do. */
export function whyFailed({ host, version, lock, found, said }: Failed): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const last = lines.at(-1)?.trim() ?? 'it said nothing';
  if (found.fits === null && !lines.some((line) => line.startsWith('built with') || line.includes('pip')))
    return (
      `environment.python: expected Python ${version} on ${host}, found ${describe(found)}, and uv could not fetch it (${last}); ` +
      `install Python ${version} there, or set environment.python to one that is there`
    );
  if (NOT_REACHED.test(said))
    return (
      `environment.lock: expected a package index that ${host} reaches, reached none (${last}); ` +
      'give it a way to one, or name a mirror in its pip.conf'
    );
  return `environment.lock: expected ${lock} to install on ${host}; uv says: ${last}`;
}

const describe = ({ others }: Pythons): string =>
  others.length === 0 ? 'none' : others.map(({ version, folder }) => `${version} in ${folder}`).join(', ');
