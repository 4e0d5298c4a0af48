import { sql } from 'drizzle-orm';
import { isCheck } from '../../../domain/research/check-id.ts';
import type { Attention, DismissedAttention, NeedsYou } from '../../../view/attention/entry.ts';
import type { AttentionHost } from '../../../view/attention/facts.ts';
import { needsYou } from '../../../view/attention/needs-you.ts';
import type { Tx } from '../../connect.ts';
import { readFleetStatus } from '../fleet/read-fleet.ts';
import { isoOf } from '../page/iso.ts';
import { readResearches, type ResearchView } from '../read-research.ts';
import { readFacts } from './read-facts.ts';

interface Input {
  researches: readonly ResearchView[];
  /** Pool whose hosts are included; absent: all pools. */
  pool?: string;
  now: Date;
}

/** Conditions of these researches and of the hosts, without the entries that a person put away for everybody. */
export async function readAttention(db: Tx, input: Input): Promise<NeedsYou> {
  const { attention, states } = await readConditions(db, input);
  const { shown } = await splitDismissed(db, attention);
  return { attention: shown, states };
}

/** All conditions of these researches and of the hosts. */
export async function readConditions(db: Tx, { researches, pool, now }: Input): Promise<NeedsYou> {
  const hosts = await readHosts(db);
  const fleetHosts = hosts.map(({ name }) => name);
  const facts = await readFacts(db, { researches, fleetHosts, now });
  const shown = hosts.filter((host) => pool === undefined || host.pool === pool);
  return needsYou({ researches: facts, hosts: shown }, now);
}

/** All conditions of the installation: of every research except checks, and of every host. */
export async function readAllConditions(db: Tx, now: Date): Promise<NeedsYou> {
  const { sound } = await readResearches(db);
  return readConditions(db, { researches: sound.filter(({ id }) => !isCheck(id)), now });
}

/** A row of an entry that lasts. */
interface OpenRow extends Record<string, unknown> {
  key: string;
  fingerprint: string;
  beganAt: string;
  dismissedAt: string | null;
}

interface Split {
  shown: Attention[];
  dismissed: DismissedAttention[];
}

/**
 * Separates the entries that a person put away for everybody from the others. An entry whose rule knows no beginning
 * gets the time at which it was first recorded.
 */
export async function splitDismissed(db: Tx, attention: readonly Attention[]): Promise<Split> {
  const split: Split = { shown: [], dismissed: [] };
  if (attention.length === 0) return split;
  const { rows } = await db.execute<OpenRow>(sql`
    select key, fingerprint, began_at as "beganAt", dismissed_at as "dismissedAt"
    from attention_entries
    where ended_at is null and key = any(${sql.param(attention.map(({ key }) => key))}::text[])`);
  const open = new Map(rows.map((row) => [row.key, row]));
  for (const entry of attention) {
    const row = open.get(entry.key);
    if (row === undefined || row.fingerprint !== entry.fingerprint) {
      split.shown.push(entry);
      continue;
    }
    const dated = { ...entry, at: entry.at ?? isoOf(row.beganAt) };
    if (row.dismissedAt === null) split.shown.push(dated);
    else split.dismissed.push({ ...dated, dismissedAt: isoOf(row.dismissedAt) });
  }
  return split;
}

type FleetHost = AttentionHost & { pool: string };

async function readHosts(db: Tx): Promise<FleetHost[]> {
  const hosts = await readFleetStatus(db);
  if (hosts.length === 0) return [];
  const names = sql.param(hosts.map(({ name }) => name));
  const { rows } = await db.execute<{ name: string; appliedAt: string; outSince: string | null }>(sql`
    select name, applied_at as "appliedAt", (
      select at from events where research_id is null and kind = 'host-out' and data->>'host' = hosts.name
      order by events.xid desc, events.id desc limit 1) as "outSince"
    from hosts where name = any(${names}::text[])`);
  const times = new Map(rows.map((row) => [row.name, row]));
  return hosts.map((host) => {
    const { name, pool, state, quarantineSeconds, seenSecondsAgo, lastError } = host;
    const { appliedAt = null, outSince = null } = times.get(name) ?? {};
    const begun = quarantineSeconds === null ? appliedAt : outSince;
    const since = begun === null ? null : isoOf(begun);
    return { name, pool, state, quarantineSeconds, seenSecondsAgo, lastError, since };
  });
}
