import { findHosts, type HostRow } from '../../db/host/fleet.ts';
import type { Cleaned as SweptHost, Spared } from '../../infra/compute/ssh/sweep.ts';
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

/** Allowance in seconds for the time between the database's answer and the sweep of the host. */
const MARGIN_SECONDS = 2;

export interface CleanOptions {
  dryRun?: boolean;
  olderThan: string;
  keep: string;
  json?: boolean;
}

/** Result of cleaning a host. */
interface Cleaned extends SweptHost {
  host: string;
  dryRun: boolean;
  /** Counts of what a dry run would keep; null for a real one. */
  spared: Spared | null;
  /** Set if the host could not be reached or cleaned. */
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
      // Reads the needed runs only once the host answers. A run placed after that read is younger than the least age.
      await compute.hasAnyRun([]);
      const readAt = performance.now();
      const { runs: keep } = await withDb(io, (db) => readNeeded(db, { last }));
      const secondsSinceRead = Math.ceil((performance.now() - readAt) / 1000) + MARGIN_SECONDS;
      const limits = { keep, olderThanSeconds: Math.max(hours * 3600, secondsSinceRead) };
      const cleaned = await compute.clean({ ...limits, dryRun });
      return { host, dryRun, ...cleaned, spared: dryRun ? await compute.countSpared(limits) : null, error: null };
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
    throw new CliError('failed', `Not everything could be ${dryRun ? 'checked' : 'removed'} on ${bad.join(', ')}.`);
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

function sized(list: readonly { kilobytes: number }[], noun: string): string {
  const megabytes = Math.round(list.reduce((sum, { kilobytes }) => sum + kilobytes, 0) / 1024);
  return list.length > 0 ? `, ${plural(list.length, noun)} (${megabytes} MiB)` : '';
}

function sparedLines(host: string, { underWay, needed, young, ofOthers }: Spared, hours: number): string[] {
  const counts: [number, string][] = [
    [underWay, 'under way'],
    [needed, 'that trials need'],
    [young, `younger than ${hours} h`],
    [ofOthers, 'of other installations'],
  ];
  const parts = counts.flatMap(([count, label]) => (count > 0 ? [`${count} ${label}`] : []));
  return parts.length > 0 ? [`${host}: would keep run directories: ${parts.join(', ')}`] : [];
}
