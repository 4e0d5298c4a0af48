import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Db } from '../../../db/connect.ts';
import { createAbortReader } from '../../../db/reads/status/abort-reader.ts';
import { trialIdOf } from '../../../domain/ids.ts';
import type { StatusView } from '../../../domain/view/status.ts';
import { isOver, NOTHING_TO_ASK, type Asked } from '../../temporal/ask-temporal.ts';
import type { Output } from '../../io.ts';
import { statusJson, type StatusJson } from '../../render/status-json.ts';
import { styleFor } from '../../render/text/style.ts';
import { formatSeconds } from '../../../domain/text/format.ts';
import { cut } from '../../render/text/text.ts';
import { createActiveClock } from './active-clock.ts';
import { dashboardLine, type ShownAddresses, temporalLines } from '../addresses.ts';
import { createAsker } from './asker.ts';
import { renderFrame, renderWaiting, steering } from './frame.ts';
import { hasSettled } from './learning.ts';
import { nothingTold, plainLines, troubleLines } from './plain.ts';
import { createScreen } from './screen.ts';
import type { ResearchView } from '../../../db/reads/read-research.ts';
import { takeSnapshot, type Snapshot } from './snapshot.ts';

const POLL_MS = 1000;
/** A query that takes longer means that Postgres is away (stopped, frozen, cut off). */
const PATIENCE_MS = 5000;
/** Ended trials read at each look; more than can end between two looks. */
const LAST = 200;

export interface LiveView {
  databaseUrl: string;
  researchId: string;
  addresses: ShownAddresses;
  /** Ends the view. */
  signal: AbortSignal;
  /** True: redraw in place; false: plain lines, one for each event. */
  tty: boolean;
  /** Default: stdout. */
  out?: Output;
  /** Asks Temporal what fails there; never rejects. */
  ask: (trialIds: string[]) => Promise<Asked>;
  /** Ends the view, too, when the research has ended. */
  untilEnded?: boolean;
  /** What else to say of the research, as it is now. */
  notes?: (research: ResearchView) => string[];
  /** Instead of plain lines: told each status as JSON that differs from the last one, once Temporal was asked, too. */
  onStatus?: (status: StatusJson) => void;
}

/** Shows a research until the signal; survives a Postgres that is away. Returns the status last seen, null if none. */
export async function runLiveView(view: LiveView): Promise<StatusView | null> {
  const out = view.out ?? process.stdout;
  const show = view.tty ? onScreen(view, out) : inLines(view, out);
  let source = open(view);
  let last: Snapshot | undefined;
  let awaySince: number | undefined;
  const askNow = createAsker(view.ask);
  const what = { researchId: view.researchId, last: LAST, readTally: createAbortReader() };
  try {
    while (!view.signal.aborted) {
      let asked: Asked | null = null;
      try {
        last = (await within(PATIENCE_MS, takeSnapshot(source.db, what))) ?? last;
        awaySince = undefined;
        asked = askAbout(last, askNow);
        show.look(last, { asked, away: null });
      } catch (error) {
        awaySince ??= Date.now();
        show.look(last, { asked, away: awayText(awaySince, error) });
        void source.close().catch(() => undefined); // its server is gone; the next look opens a new pool
        source = open(view);
      }
      // Who asks for JSON is told of the end, too, and that needs Temporal's answer.
      if (view.untilEnded && !awaySince && asked && last && hasSettled(last.status)) break;
      await sleep(POLL_MS, undefined, { signal: view.signal }).catch(() => undefined);
    }
    return last?.status ?? null;
  } finally {
    show.end();
    await within(PATIENCE_MS, source.close()).catch(() => undefined); // we end anyway
  }
}

/** What Temporal says of the research and its trials under way; null before it has answered. */
function askAbout(snapshot: Snapshot | undefined, ask: (trialIds: string[]) => Asked | null): Asked | null {
  const trialIds = (snapshot?.running ?? []).map(({ n }) => trialIdOf(snapshot?.research.id ?? '', n));
  return snapshot && isOver(snapshot.status.phase, trialIds) ? NOTHING_TO_ASK : ask(trialIds);
}

/** What is known beside the snapshot. */
interface Beside {
  asked: Asked | null;
  /** Why the snapshot is old; null while it is fresh. */
  away: string | null;
}

interface Show {
  look(snapshot: Snapshot | undefined, beside: Beside): void;
  end(): void;
}

function onScreen(view: LiveView, out: Output): Show {
  const screen = createScreen(out);
  const style = styleFor(true);
  const clock = createActiveClock();
  return {
    look: (snapshot, { asked, away }) => {
      const [columns, now] = [out.columns ?? 80, new Date()];
      if (!snapshot)
        return screen.draw(away ? [cut(away, columns)] : renderWaiting(view.researchId, { asked, now, columns }));
      const { research, status } = snapshot;
      const activeSeconds = clock(research.activeSeconds, status.phase, now);
      const [{ addresses }, notes] = [view, view.notes?.(research) ?? []];
      screen.draw(
        renderFrame(snapshot, {
          columns,
          rows: out.rows ?? 24,
          now,
          activeSeconds,
          addresses,
          style,
          away,
          asked,
          notes,
        }),
      );
    },
    end: () => screen.close(),
  };
}

function inLines(view: LiveView, out: Output): Show {
  const say = (line: string) => void out.write(`${line}\n`);
  let told = nothingTold();
  let status = '';
  let wasAway = false;
  let begun = false;
  let waits = false;
  return {
    look: (snapshot, { asked, away }) => {
      const quiet = view.onStatus !== undefined;
      if (away !== null && !wasAway && !quiet) say(away);
      if (away === null && wasAway && !quiet) say('Postgres answers again');
      wasAway = away !== null;
      if (!snapshot) {
        if (quiet || away !== null) return;
        if (!waits) say(`waiting for the research ${view.researchId} to start`);
        waits = true;
        const news = troubleLines({ told, asked, now: new Date() });
        told = { ...told, troubles: news.troubles };
        for (const line of news.lines) say(line);
        return;
      }
      if (view.onStatus) {
        if (!asked) return;
        const next = statusJson(snapshot.status, asked);
        const text = JSON.stringify(next, withoutCountdown);
        if (text !== status) view.onStatus(next);
        status = text;
        return;
      }
      if (!begun) for (const line of addressLines(view)) say(line);
      begun = true;
      const notes = view.notes?.(snapshot.research) ?? [];
      const news = plainLines(snapshot, { told, asked, now: new Date(), notes });
      told = news.told;
      for (const line of news.lines) say(line);
    },
    end: () => undefined,
  };
}

/** The time to the next attempt is another one at every look: no news. */
const withoutCountdown = (key: string, value: unknown): unknown => (key === 'nextAttemptSeconds' ? undefined : value);

const addressLines = ({ addresses, researchId }: LiveView): string[] => [
  ...(addresses.dashboard ? [`dashboard ${dashboardLine(addresses.dashboard)}`] : []),
  ...(addresses.temporalUi ? [`web ui    ${addresses.temporalUi}`] : []),
  ...temporalLines(addresses, Infinity).map((line) => `temporal  ${line}`),
  `postgres  ${addresses.postgres}`,
  `steer     npx perpetua ${steering(researchId)}`,
];

function open(view: LiveView): { db: Db; close: () => Promise<void> } {
  // A broken idle connection is no news: the next look finds out and says so.
  return connect(view.databaseUrl, { max: 1, onError: () => undefined });
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
  promise.catch(() => undefined); // who came late is not heard, and must not end the process
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
