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
import { hasSettled, nothingReported, progressLines, troubleLines } from './progress-lines.ts';
import type { ResearchView } from '../../../db/reads/read-research.ts';
import { takeSnapshot, type Snapshot } from './snapshot.ts';

const POLL_MS = 1000;
/** A query that takes longer means that Postgres is away (stopped, frozen, cut off). */
const PATIENCE_MS = 5000;
/** Ended trials read at each poll; more than can end between two polls. */
const LAST = 200;

export interface Following {
  databaseUrl: string;
  researchId: string;
  addresses: ShownAddresses;
  /** Ends the following. */
  signal: AbortSignal;
  /** Default: stdout. */
  out?: Output;
  /** Asks Temporal which steps fail; never rejects. */
  ask: (trialIds: string[]) => Promise<TemporalState>;
  /** True: end when the research has ended, too. */
  untilEnded?: boolean;
  /** Further notes about the research as it is now. */
  notes?: (research: ResearchView) => string[];
  /** Replaces the lines: receives each status as JSON that differs from the last one, once Temporal has answered. */
  onStatus?: (status: StatusJson) => void;
}

/**
 * Prints a line for each event of a research until the signal; survives a Postgres that is away. Returns the last status,
 * null if there was none.
 */
export async function followResearch(following: Following): Promise<StatusView | null> {
  const print = createPrinter(following);
  let source = open(following);
  let last: Snapshot | undefined;
  let awaySince: number | undefined;
  const askNow = createTemporalPoller(following.ask);
  const what = { researchId: following.researchId, last: LAST, readTally: createAbortTallyReader() };
  try {
    while (!following.signal.aborted) {
      let asked: TemporalState | null = null;
      try {
        last = (await within(PATIENCE_MS, takeSnapshot(source.db, what))) ?? last;
        awaySince = undefined;
        asked = askAbout(last, askNow);
        print(last, { asked, away: null });
      } catch (error) {
        awaySince ??= Date.now();
        print(last, { asked, away: awayText(awaySince, error) });
        void source.close().catch(() => undefined); // its server is gone; the next poll opens a new pool
        source = open(following);
      }
      // The JSON of the end needs Temporal's answer.
      if (following.untilEnded && !awaySince && asked && last && hasSettled(last.status)) break;
      await sleep(POLL_MS, undefined, { signal: following.signal }).catch(() => undefined);
    }
    return last?.status ?? null;
  } finally {
    await within(PATIENCE_MS, source.close()).catch(() => undefined); // we end anyway
  }
}

/** Temporal's answer about the research and its trials under way; null before the first answer. */
function askAbout(
  snapshot: Snapshot | undefined,
  ask: (trialIds: string[]) => TemporalState | null,
): TemporalState | null {
  const trialIds = (snapshot?.running ?? []).map(({ n }) => trialIdOf(snapshot?.research.id ?? '', n));
  return snapshot && hasEndedWithTrials(snapshot.status.phase, trialIds) ? NO_OBSTACLE : ask(trialIds);
}

/** Facts beside the snapshot. */
interface Beside {
  asked: TemporalState | null;
  /** Why the snapshot is old; null while it is fresh. */
  away: string | null;
}

type Print = (snapshot: Snapshot | undefined, beside: Beside) => void;

function createPrinter(following: Following): Print {
  const { out = process.stdout, onStatus } = following;
  if (onStatus !== undefined) return createStatusPrinter(onStatus);
  const say = (line: string) => void out.write(`${line}\n`);
  let told = nothingReported();
  let wasAway = false;
  let begun = false;
  let waits = false;
  return (snapshot, { asked, away }) => {
    if (away !== null && !wasAway) say(away);
    if (away === null && wasAway) say('Postgres answers again');
    wasAway = away !== null;
    if (!snapshot) {
      if (away !== null) return;
      if (!waits) say(`waiting for the research ${following.researchId} to start`);
      waits = true;
      const news = troubleLines({ told, asked, now: new Date() });
      told = { ...told, troubles: news.troubles };
      for (const line of news.lines) say(line);
      return;
    }
    if (!begun) for (const line of addressLines(following)) say(line);
    begun = true;
    const notes = following.notes?.(snapshot.research) ?? [];
    const news = progressLines(snapshot, { told, asked, now: new Date(), notes });
    told = news.told;
    for (const line of news.lines) say(line);
  };
}

function createStatusPrinter(onStatus: (status: StatusJson) => void): Print {
  let last = '';
  return (snapshot, { asked }) => {
    if (!snapshot || !asked) return;
    const status = statusJson(snapshot.status, asked);
    const text = JSON.stringify(status, withoutCountdown);
    if (text !== last) onStatus(status);
    last = text;
  };
}

/** Leaves out the time to the next attempt: it differs at every poll, and is no news. */
const withoutCountdown = (key: string, value: unknown): unknown => (key === 'nextAttemptSeconds' ? undefined : value);

const addressLines = ({ addresses, researchId: id }: Following): string[] => [
  ...(addresses.dashboard ? [`dashboard ${dashboardLine(addresses.dashboard)}`] : []),
  ...(addresses.temporalUi ? [`web ui    ${addresses.temporalUi}`] : []),
  ...(addresses.temporal ? [`temporal  ${temporalLine(addresses.temporal, addresses.shell)}`] : []),
  `postgres  ${addresses.postgres}`,
  `status    npx perpetua status ${id}`,
  `steer     npx perpetua pause | resume | stop ${id} · note ${id} "…" · best ${id} --out DIR`,
];

function open(following: Following): { db: Db; close: () => Promise<void> } {
  // A broken idle connection is no news: the next poll finds it and says so.
  return connect(following.databaseUrl, { max: 1, onError: () => undefined });
}

function awayText(since: number, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error ? cause.message || cause.name : String(cause);
  return `Postgres does not answer, for ${formatSeconds((Date.now() - since) / 1000)} now (${why}). It is asked again and again`;
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms);
  });
  promise.catch(() => undefined); // a late rejection must not end the process
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
