import type { Pythons } from './read-pythons.ts';

/** uv's words where it reaches no index; those of a wrong hash or a full disk are others. */
export const INDEX_UNREACHABLE =
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
export function describeBuildFailure({ host, version, lock, found, said }: Failed): string {
  const reason = reasonIn(said);
  if (found.fits === null && !said.includes('Resolved'))
    return (
      `environment.python: expected Python ${version} on ${host}, found ${describe(found)}, and uv could not fetch it (${reason}); ` +
      `install Python ${version} there, or set environment.python to one that is there`
    );
  if (INDEX_UNREACHABLE.test(said))
    return (
      `environment.lock: expected a package index that ${host} reaches, reached none (${reason}); ` +
      'give it a way to one, or name a mirror in its pip.conf'
    );
  const lacking = [...said.matchAll(/requires `([^`]+)`, but it's not installed/g)].map(([, name = '']) => name);
  if (lacking.length > 0)
    return (
      `environment.lock: expected all packages that others of ${lock} need, it lacks ${lacking.slice(0, MOST).join(', ')}; ` +
      '`uv pip compile requirements.in -o requirements.lock` writes them all'
    );
  return `environment.lock: expected ${lock} to install on ${host}; uv says: ${reason}`;
}

/** Packages, and causes, that are named. */
const MOST = 5;

/** The error that uv names, with its causes; else what was said last. */
function reasonIn(said: string): string {
  const lines = said.split('\n').map((line) => line.trim());
  const error = lines.findLastIndex((line) => /^(error:|×)/.test(line));
  const causes = lines.slice(error + 1).filter((line) => /^(cause:|Caused by:)/i.test(line));
  if (error < 0) return lines.findLast((line) => line !== '') ?? 'it said nothing';
  return [lines[error], ...causes].slice(0, MOST).join(', ');
}

const describe = ({ others }: Pythons): string =>
  others.length === 0 ? 'none' : others.map(({ version, folder }) => `${version} in ${folder}`).join(', ');
