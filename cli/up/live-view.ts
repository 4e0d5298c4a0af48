import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Db } from '../../db/connect.ts';
import type { Status } from '../../db/reads/read-status.ts';
import type { Phase } from '../../db/schema.ts';
import type { Output } from '../io.ts';
import { styleFor } from '../render/style.ts';
import { formatSeconds } from '../render/number.ts';
import type { ShownAddresses } from './addresses.ts';
import { renderFrame } from './frame.ts';
import { nothingTold, plainLines } from './plain.ts';
import { createScreen } from './screen.ts';
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
  /** Ends the view, too, when the research has ended. */
  untilEnded?: boolean;
  /** Instead of plain lines: told each status that differs from the last one. */
  onStatus?: (status: Status) => void;
}

/** Shows a research until the signal; survives a Postgres that is away. Returns the phase last seen, null if none. */
export async function runLiveView(view: LiveView): Promise<Phase | null> {
  const out = view.out ?? process.stdout;
  const show = view.tty ? onScreen(view, out) : inLines(view, out);
  let source = open(view);
  let last: Snapshot | undefined;
  let awaySince: number | undefined;
  try {
    while (!view.signal.aborted) {
      try {
        last =
          (await within(PATIENCE_MS, takeSnapshot(source.db, { researchId: view.researchId, last: LAST }))) ?? last;
        awaySince = undefined;
        show.look(last, null);
      } catch (error) {
        awaySince ??= Date.now();
        show.look(last, awayText(awaySince, error));
        void source.close().catch(() => undefined); // its server is gone; the next look opens a new pool
        source = open(view);
      }
      if (view.untilEnded && !awaySince && (last?.status.phase === 'stopped' || last?.status.phase === 'failed')) break;
      await sleep(POLL_MS, undefined, { signal: view.signal }).catch(() => undefined);
    }
    return last?.status.phase ?? null;
  } finally {
    show.end();
    await within(PATIENCE_MS, source.close()).catch(() => undefined); // we end anyway
  }
}

interface Show {
  look(snapshot: Snapshot | undefined, away: string | null): void;
  end(): void;
}

function onScreen(view: LiveView, out: Output): Show {
  const screen = createScreen(out);
  const style = styleFor(true);
  return {
    look: (snapshot, away) =>
      screen.draw(
        snapshot
          ? renderFrame(snapshot, {
              columns: out.columns ?? 80,
              rows: out.rows ?? 24,
              now: new Date(),
              addresses: view.addresses,
              style,
              away,
            })
          : [away ?? `waiting for the research ${view.researchId} to start`],
      ),
    end: () => screen.close(),
  };
}

function inLines(view: LiveView, out: Output): Show {
  const say = (line: string) => void out.write(`${line}\n`);
  let told = nothingTold();
  let status = '';
  let wasAway = false;
  let begun = false;
  return {
    look: (snapshot, away) => {
      const quiet = view.onStatus !== undefined;
      if (away !== null && !wasAway && !quiet) say(away);
      if (away === null && wasAway && !quiet) say('Postgres answers again');
      wasAway = away !== null;
      if (!snapshot) return;
      if (view.onStatus) {
        const next = JSON.stringify(snapshot.status);
        if (next !== status) view.onStatus(snapshot.status);
        status = next;
        return;
      }
      if (!begun) for (const line of addressLines(view)) say(line);
      begun = true;
      const news = plainLines(snapshot, told);
      told = news.told;
      for (const line of news.lines) say(line);
    },
    end: () => undefined,
  };
}

const addressLines = ({ addresses, researchId }: LiveView): string[] => [
  ...(addresses.temporalUi ? [`web ui    ${addresses.temporalUi}`] : []),
  ...(addresses.temporal ? [`temporal  ${addresses.temporal}`] : []),
  `postgres  ${addresses.postgres}`,
  `steer     perpetua pause | resume | stop | note | best ${researchId}`,
];

function open(view: LiveView): { db: Db; close: () => Promise<void> } {
  // A broken idle connection is no news: the next look finds out and says so.
  return connect(view.databaseUrl, { max: 1, onError: () => undefined });
}

function awayText(since: number, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error ? cause.message || cause.name : String(cause);
  return `Postgres does not answer for ${formatSeconds((Date.now() - since) / 1000)} (${why}); trying again`;
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
