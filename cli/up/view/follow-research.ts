import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Db } from '../../../db/connect.ts';
import { createAbortTallyReader } from '../../../db/reads/status/abort-tally-reader.ts';
import { trialIdOf } from '../../../domain/trial/ids.ts';
import type { StatusView } from '../../../view/status.ts';
import { hasEndedWithTrials, NO_OBSTACLE, type TemporalState } from '../../temporal/read-temporal-state.ts';
import type { Output } from '../../io.ts';
import { statusJson, type StatusJson } from '../../render/status-json.ts';
import { formatSeconds } from '../../../domain/text/format.ts';
import { dashboardLine, type ShownAddresses, temporalLine } from '../addresses.ts';
import { createTemporalPoller } from './temporal-poller.ts';
import { hasSettled } from './has-settled.ts';
import { nothingReported, progressLines, troubleLines } from './progress-lines.ts';
import type { ResearchView } from '../../../db/reads/read-research.ts';
import { takeSnapshot, type Snapshot } from './snapshot.ts';

const POLL_MS = 1000;
/** Time after which a query counts as failed: Postgres is stopped, frozen or cut off. */
const PATIENCE_MS = 5000;
/** Number of ended trials in one poll; more than can end between two polls. */
const LAST = 200;

export interface Following {
  databaseUrl: string;
  researchId: string;
  addresses: ShownAddresses;
  /** Ends the following. */
  signal: AbortSignal;
  /** Default: stdout. */
  out?: Output;
  /** Reads the state in Temporal of the research and of these open trials; never rejects. */
  ask: (trialIds: string[]) => Promise<TemporalState>;
  /** True: end also when the research has ended. */
  untilEnded?: boolean;
  /** Returns further notes about the current research. */
  notes?: (research: ResearchView) => string[];
  /** Replaces the lines: receives each changed status as JSON, once Temporal has answered. */
  onStatus?: (status: StatusJson) => void;
}

/**
 * Prints a line for each event of a research until the signal. Survives outages of Postgres. Returns the last status;
 * null if there was none.
 */
export async function followResearch(following: Following): Promise<StatusView | null> {
  const print = createPrinter(following);
  let source = open(following);
  let last: Snapshot | undefined;
  let downSince: number | undefined;
  const pollTemporal = createTemporalPoller(following.ask);
  const input = { researchId: following.researchId, last: LAST, readTally: createAbortTallyReader() };
  try {
    while (!following.signal.aborted) {
      let temporalState: TemporalState | null = null;
      try {
        last = (await within(PATIENCE_MS, takeSnapshot(source.db, input))) ?? last;
        downSince = undefined;
        temporalState = latestTemporalState(last, pollTemporal);
        print(last, { temporalState, outage: null });
      } catch (error) {
        downSince ??= Date.now();
        print(last, { temporalState, outage: outageText(downSince, error) });
        void source.close().catch(() => undefined); // its server is gone; the next poll uses a new pool
        source = open(following);
      }
      // Waits for Temporal's answer: the last JSON needs it.
      if (following.untilEnded && !downSince && temporalState && last && hasSettled(last.status)) break;
      await sleep(POLL_MS, undefined, { signal: following.signal }).catch(() => undefined);
    }
    return last?.status ?? null;
  } finally {
    await within(PATIENCE_MS, source.close()).catch(() => undefined); // an error of the close changes nothing
  }
}

/** Latest answer of Temporal about the research and its open trials; null before the first answer. */
function latestTemporalState(
  snapshot: Snapshot | undefined,
  poll: (trialIds: string[]) => TemporalState | null,
): TemporalState | null {
  const trialIds = (snapshot?.running ?? []).map(({ n }) => trialIdOf(snapshot?.research.id ?? '', n));
  return snapshot && hasEndedWithTrials(snapshot.status.phase, trialIds) ? NO_OBSTACLE : poll(trialIds);
}

interface PollResult {
  /** Null before Temporal's first answer. */
  temporalState: TemporalState | null;
  /** Description of an outage of Postgres; null if the snapshot is new. */
  outage: string | null;
}

type Print = (snapshot: Snapshot | undefined, result: PollResult) => void;

function createPrinter(following: Following): Print {
  const { out = process.stdout, onStatus } = following;
  if (onStatus !== undefined) return createStatusPrinter(onStatus);
  const write = (line: string): void => {
    out.write(`${line}\n`);
  };
  let reported = nothingReported();
  let wasDown = false;
  let begun = false;
  let waits = false;
  return (snapshot, { temporalState, outage }) => {
    if (outage !== null && !wasDown) write(outage);
    if (outage === null && wasDown) write('Postgres answers again');
    wasDown = outage !== null;
    if (!snapshot) {
      if (outage !== null) return;
      if (!waits) write(`waiting for the research ${following.researchId} to start`);
      waits = true;
      const news = troubleLines({ before: reported, temporalState, now: new Date() });
      reported = { ...reported, troubles: news.troubles };
      for (const line of news.lines) write(line);
      return;
    }
    if (!begun) for (const line of addressLines(following)) write(line);
    begun = true;
    const notes = following.notes?.(snapshot.research) ?? [];
    const news = progressLines(snapshot, { before: reported, temporalState, now: new Date(), notes });
    reported = news.state;
    for (const line of news.lines) write(line);
  };
}

function createStatusPrinter(onStatus: (status: StatusJson) => void): Print {
  let last = '';
  return (snapshot, { temporalState }) => {
    if (!snapshot || !temporalState) return;
    const status = statusJson(snapshot.status, temporalState);
    const text = JSON.stringify(status, withoutCountdown);
    if (text !== last) onStatus(status);
    last = text;
  };
}

/** JSON replacer that omits the time to the next attempt: it changes at every poll, and is no news. */
const withoutCountdown = (key: string, value: unknown): unknown => (key === 'nextAttemptSeconds' ? undefined : value);

function addressLines({ addresses, researchId: id }: Following): string[] {
  const lines: string[] = [];
  if (addresses.dashboard) lines.push(`dashboard ${dashboardLine(addresses.dashboard)}`);
  if (addresses.temporalUi) lines.push(`web ui    ${addresses.temporalUi}`);
  if (addresses.temporal) lines.push(`temporal  ${temporalLine(addresses.temporal, addresses.shell)}`);
  lines.push(
    `postgres  ${addresses.postgres}`,
    `status    npx perpetua status ${id}`,
    `steer     npx perpetua pause | resume | stop ${id} · note ${id} "…" · best ${id} --out DIR`,
  );
  return lines;
}

function open(following: Following): { db: Db; close: () => Promise<void> } {
  // Ignores the error of an idle connection: the next poll fails and reports it.
  return connect(following.databaseUrl, { max: 1, onError: () => undefined });
}

function outageText(since: number, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error ? cause.message || cause.name : String(cause);
  const duration = formatSeconds((Date.now() - since) / 1000);
  return `Postgres has not answered for ${duration} (${why}); trying again`;
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms);
  });
  promise.catch(() => undefined); // a late rejection must not end the process
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
