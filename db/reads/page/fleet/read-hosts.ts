import { AGENT_POOL } from '../../../../domain/agent/agent-pool.ts';
import { sql } from 'drizzle-orm';
import type { HostFacts } from '../../../../domain/fleet/slots.ts';
import { describeLastError, lastErrorOf, describeHostTrouble } from '../../../../view/fleet/host-health.ts';
import { withoutHostPrefix } from '../../../../view/fleet/without-host-prefix.ts';
import { describeMachine } from '../../../../view/trial/describe-outcome.ts';
import type { Tx } from '../../../connect.ts';
import { readFleetStatus } from '../../fleet/read-fleet.ts';

/** A machine with slots. */
export interface HostPage {
  name: string;
  pool: string;
  /** `local`: a machine that a worker runs on, and no host of the fleet. */
  state: 'serving' | 'draining' | 'removed' | 'local';
  machine: string | null;
  labels: string[];
  slots: number;
  running: number;
  seenSecondsAgo: number | null;
  quarantineSeconds: number | null;
  failures: number;
  /** Trouble of the host, in words; null if it works. */
  problem: string | null;
  /** Message for a person about a host that works. */
  note: string | null;
}

/** Hosts of the fleet, and workers' machines that have slots, by pool and name. */
export async function readHosts(db: Tx): Promise<HostPage[]> {
  const facts = await readFacts(db);
  const hosts = (await readFleetStatus(db)).map((host): HostPage => {
    const { name, pool, state, labels, slots, running, seenSecondsAgo, quarantineSeconds, failures, note } = host;
    const machine = facts.get(name);
    const last = lastErrorOf(host);
    return {
      name,
      pool,
      state,
      labels,
      slots,
      seenSecondsAgo,
      quarantineSeconds,
      failures,
      running: running.length,
      machine: machine ? describeMachine(machine) : null,
      problem: describeHostTrouble(host) ?? (last && !last.isOver ? describeLastError(last) : null),
      note: note === null ? null : withoutHostPrefix(name, note),
    };
  });
  const all = [...(await readLocal(db)), ...hosts];
  return all.sort((a, b) => (a.pool === b.pool ? order(a.name, b.name) : order(a.pool, b.pool)));
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

async function readFacts(db: Tx): Promise<Map<string, HostFacts>> {
  const { rows } = await db.execute<{ name: string; facts: HostFacts }>(
    sql`select name, facts from hosts where facts is not null`,
  );
  return new Map(rows.map(({ name, facts }) => [name, facts]));
}

async function readLocal(db: Tx): Promise<HostPage[]> {
  const { rows } = await db.execute<
    Pick<HostPage, 'name' | 'pool' | 'slots' | 'running'> & Record<string, unknown>
  >(sql`
    select host as name, min(pool) as pool, (count(*) filter (where wanted))::int as slots,
      (count(*) filter (where state = 'leased'))::int as running
    from slots where pool <> ${AGENT_POOL} and not exists (select 1 from hosts where hosts.name = slots.host)
    group by 1 having bool_or((wanted and state <> 'retired') or state = 'leased')`);
  return rows.map((row) => ({
    ...row,
    state: 'local',
    machine: null,
    labels: [],
    seenSecondsAgo: null,
    quarantineSeconds: null,
    failures: 0,
    problem: null,
    note: null,
  }));
}
