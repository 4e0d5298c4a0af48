import { findHosts, type HostRow } from '../../db/host/fleet.ts';
import type { Cleaned as OfHost, Spared } from '../../infra/compute/ssh/sweep.ts';
import { plural } from '../../domain/text/plural.ts';
import { parseNonNegative } from '../arguments/parse-non-negative.ts';
import { CliError } from '../errors.ts';
import { inParallel } from '../in-parallel.ts';
import { printLine, printJson, type Io } from '../io.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { requireKnownHosts } from './require-known-hosts.ts';
import { withDb } from '../context.ts';
import { callerOf } from './caller.ts';
import { readNeeded } from '../../db/reads/read-needed.ts';
import { computeOfHost } from '../../infra/compute/compute-of-host.ts';

/** Between the answer of the database and the look at the host. */
const MARGIN_SECONDS = 2;

export interface CleanOptions {
  dryRun?: boolean;
  olderThan: string;
  keep: string;
  json?: boolean;
}

/** What came of one host; `error` where it could not be reached. */
interface Cleaned extends OfHost {
  host: string;
  dryRun: boolean;
  /** Of a dry run. */
  spared: Spared | null;
  error: string | null;
}

/** Removes what no trial needs any more on the hosts of the fleet. */
export async function cleanFleet(io: Io, names: string[], options: CleanOptions): Promise<void> {
  const hours = parseNonNegative('--older-than', options.olderThan);
  const last = Math.floor(parseNonNegative('--keep', options.keep));
  const { hosts, caller } = await withDb(io, async (db) => ({
    hosts: await findHosts(db),
    caller: await callerOf(io, db),
  }));
  requireKnownHosts(names, hosts);
  const dryRun = options.dryRun === true;
  const cleanOne = async ({ name: host, spec }: HostRow): Promise<Cleaned> => {
    const compute = computeOfHost(spec, caller);
    try {
      // Read for each host anew, once it is reached: a trial that was placed meanwhile is needed, and one placed since is spared.
      await compute.hasAnyRun([]);
      const askedAt = performance.now();
      const { runs: keep } = await withDb(io, (db) => readNeeded(db, { last }));
      const sinceThen = Math.ceil((performance.now() - askedAt) / 1000) + MARGIN_SECONDS;
      const by = { keep, olderThanSeconds: Math.max(hours * 3600, sinceThen) };
      const cleaned = await compute.clean({ ...by, dryRun });
      return { host, dryRun, ...cleaned, spared: dryRun ? await compute.countSpared(by) : null, error: null };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const nothing = { removed: [], killed: [], failed: [], workspaces: [], damaged: [], spared: null };
      return { host, dryRun, ...nothing, error: why };
    } finally {
      compute.close();
    }
  };
  const wanted = hosts.filter(({ name }) => names.length === 0 || names.includes(name));
  const all = await inParallel(wanted, async (host) => {
    const cleaned = await cleanOne(host);
    if (options.json) printJson(io, cleaned);
    else for (const line of describe(cleaned, hours)) printLine(io, line);
    return cleaned;
  });
  const bad = all.filter(({ error, failed }) => error !== null || failed.length > 0).map(({ host }) => host);
  if (bad.length > 0)
    throw new CliError('failed', `Not everything could be ${dryRun ? 'looked at' : 'removed'} on ${bad.join(', ')}.`);
}

function describe(
  { host, dryRun, removed, killed, failed, workspaces, damaged, spared, error }: Cleaned,
  hours: number,
): string[] {
  if (error !== null) return [`${host}: ${oneLine(error)}`];
  const verbs = dryRun ? { remove: 'would remove', kill: 'would end' } : { remove: 'removed', kill: 'ended' };
  const ended = killed.length > 0 ? `, ${verbs.kill} ${plural(killed.length, 'run')} that no trial owns any more` : '';
  const room = sized(workspaces, 'workspace') + sized(damaged, 'damaged or half-copied workspace');
  return [
    `${host}: ${verbs.remove} ${removed.length} run director${removed.length === 1 ? 'y' : 'ies'}${room}${ended}`,
    ...(spared ? sparedLines(host, spared, hours) : []),
    ...failed.map(({ name, reason }) => `${host}: could not remove ${name}: ${oneLine(reason)}`),
  ];
}

function sized(list: readonly { kilobytes: number }[], what: string): string {
  const megabytes = Math.round(list.reduce((sum, { kilobytes }) => sum + kilobytes, 0) / 1024);
  return list.length > 0 ? `, ${plural(list.length, what)} (${megabytes} MiB)` : '';
}

function sparedLines(host: string, { underWay, needed, young, ofOthers }: Spared, hours: number): string[] {
  const counts: [number, string][] = [
    [underWay, 'under way'],
    [needed, 'that trials need'],
    [young, `younger than ${hours} h`],
    [ofOthers, 'of other installations'],
  ];
  const told = counts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []));
  return told.length > 0 ? [`${host}: would spare run directories: ${told.join(', ')}`] : [];
}
