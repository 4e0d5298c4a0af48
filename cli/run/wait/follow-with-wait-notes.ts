import { setTimeout as sleep } from 'node:timers/promises';
import { rootMessage } from '../../temporal/root-message.ts';

const PROBE_EVERY_MS = 2000;

interface Watch {
  /** Probes why the job waits, in words; null if it does not wait, or a server is unreachable. */
  probe: () => Promise<string | null>;
  /** Receives each reason once. */
  report: (why: string) => void;
  /** Milliseconds between two probes. */
  pauseMs?: number;
}

/** Follows a job, and meanwhile reports each reason for a wait once, as soon as two probes in a row have found it. */
export async function followWithWaitNotes<T>(watch: Watch, follow: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  void watchWaits(watch, over.signal);
  try {
    return await follow();
  } finally {
    over.abort();
  }
}

async function watchWaits({ probe, report, pauseMs = PROBE_EVERY_MS }: Watch, over: AbortSignal): Promise<void> {
  const reported = new Set<string>();
  for (let before: string | null = null; ;) {
    await sleep(pauseMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return;
    const why = await probe().catch((error: unknown) => `why it waits is not known: ${rootMessage(error)}`);
    const text = why === null ? null : withoutNumbers(why);
    if (!over.aborted && why !== null && text !== null && text === before && !reported.has(text)) {
      reported.add(text);
      report(why);
    }
    before = text;
  }
}

/** Masks numbers: a reason with another amount of free room is the same reason. */
const withoutNumbers = (text: string): string => text.replace(/\d+/g, '#');
