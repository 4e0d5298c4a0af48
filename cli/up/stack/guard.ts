import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, type ProcessIdentity } from '../../../infra/process/identity.ts';
import type { OnEvent, PartName } from '../events.ts';

const POLL_MS = 300;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** Lifetime after which a process counts as well started. */
const STEADY_MS = 60_000;

export interface Guarded {
  part: PartName;
  name: string;
  process: ProcessIdentity;
  /** Starts the process again. After an error, the guard calls it again later. */
  restart: () => Promise<ProcessIdentity>;
  /** Returns the last lines of the process's log. */
  tail: () => string;
  onEvent: OnEvent;
}

/** Restarts a process, started here or adopted, whenever it dies, with growing waits between attempts. */
export function guard(guarded: Guarded): { current: () => ProcessIdentity; stop: () => Promise<void> } {
  const end = new AbortController();
  let current = guarded.process;
  const pause = (ms: number) => sleep(ms, undefined, { signal: end.signal }).catch(() => undefined);

  async function revive(waitMs: number): Promise<boolean> {
    try {
      current = await guarded.restart();
      guarded.onEvent({ type: 'ready', part: guarded.part, text: `${guarded.name} is back (process ${current.pid})` });
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      guarded.onEvent({
        type: 'warning',
        part: guarded.part,
        text: `${guarded.name} did not start, next attempt in ${waitMs / 1000} s: ${reason}`,
      });
      return false;
    }
  }

  async function watch(): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    let bornAt = performance.now();
    while (!end.signal.aborted) {
      if (isAlive(current)) {
        await pause(POLL_MS);
        continue;
      }
      if (performance.now() - bornAt > STEADY_MS) waitMs = FIRST_WAIT_MS;
      guarded.onEvent({
        type: 'warning',
        part: guarded.part,
        text:
          `${guarded.name} (process ${current.pid}) died, starting it again in ${waitMs / 1000} s. ` +
          `Its log ends with:\n${guarded.tail()}`,
      });
      do {
        await pause(waitMs);
        waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
      } while (!end.signal.aborted && !(await revive(waitMs)));
      bornAt = performance.now();
    }
  }

  const done = watch();
  return {
    current: () => current,
    stop: async () => {
      end.abort();
      await done; // waits for a restart in progress, so that `current` has its process
    },
  };
}
