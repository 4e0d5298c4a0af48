import type { Pythons } from './read-pythons.ts';

/** Messages of uv if it reaches no index; messages for a wrong hash or a full disk differ. */
export const INDEX_UNREACHABLE =
  /Failed to fetch|error sending request|dns error|tcp connect error|operation timed out|Connectivity is disabled/i;

interface Failed {
  host: string;
  version: string;
  lock: string;
  found: Pythons;
  /** Last part of the build's output. */
  output: string;
}

/** Describes in one sentence why the build of an environment failed on a host, and what to do. */
export function describeBuildFailure({ host, version, lock, found, output }: Failed): string {
  const reason = reasonIn(output);
  if (found.fits === null && !output.includes('Resolved'))
    return (
      `environment.python: expected Python ${version} on ${host}, found ${describe(found)}, ` +
      `and uv could not fetch it (${reason}); ` +
      `install Python ${version} there, or set environment.python to a version that is there`
    );
  if (INDEX_UNREACHABLE.test(output))
    return (
      `environment.lock: expected ${host} to reach a package index, reached none (${reason}); ` +
      'open its network, or set a mirror in its pip.conf'
    );
  const missing = [...output.matchAll(/requires `([^`]+)`, but it's not installed/g)].map(([, name = '']) => name);
  if (missing.length > 0)
    return (
      `environment.lock: expected all dependencies of its packages in ${lock}; ` +
      `it lacks ${missing.slice(0, MOST).join(', ')}; ` +
      'write them all with `uv pip compile requirements.in -o requirements.lock`'
    );
  return (
    `environment.lock: expected ${lock} to install on ${host}; uv reported: ${reason}; ` +
    'if the lock is at fault, write it again with `uv pip compile requirements.in -o requirements.lock`'
  );
}

/** Most packages, and most lines of uv's error, that a message names. */
const MOST = 5;

/** uv's error with its causes, else the last line of the output. */
function reasonIn(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const error = lines.findLastIndex((line) => /^(error:|×)/.test(line));
  const causes = lines.slice(error + 1).filter((line) => /^(cause:|Caused by:)/i.test(line));
  if (error < 0) return lines.findLast((line) => line !== '') ?? 'no output';
  return [lines[error], ...causes].slice(0, MOST).join(', ');
}

const describe = ({ others }: Pythons): string =>
  others.length === 0 ? 'none' : others.map(({ version, folder }) => `${version} in ${folder}`).join(', ');
