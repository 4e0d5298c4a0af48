import { setTimeout as sleep } from 'node:timers/promises';
import { rootMessage } from '../../temporal/root-message.ts';

const LOOK_EVERY_MS = 2000;

interface Watch {
  /** Why it waits now; null where it does not, or where a server is away. */
  look: () => Promise<string | null>;
  tell: (why: string) => void;
  pauseMs?: number;
}

/** Tells, while the job is followed, each reason for which it waits, once, where two looks in a row have found it. */
export async function followWithWaitNotes<T>(watch: Watch, follow: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  void watchWaits(watch, over.signal);
  try {
    return await follow();
  } finally {
    over.abort();
  }
}

async function watchWaits({ look, tell, pauseMs = LOOK_EVERY_MS }: Watch, over: AbortSignal): Promise<void> {
  const told = new Set<string>();
  for (let before: string | null = null; ;) {
    await sleep(pauseMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return;
    const why = await look().catch((error: unknown) => `why it waits cannot be told: ${rootMessage(error)}`);
    const text = why === null ? null : withoutNumbers(why);
    if (!over.aborted && why !== null && text !== null && text === before && !told.has(text)) {
      told.add(text);
      tell(why);
    }
    before = text;
  }
}

/** Free room changes from look to look, and is the same reason. */
const withoutNumbers = (text: string): string => text.replace(/\d+/g, '#');
