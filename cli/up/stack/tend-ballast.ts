import { homePaths } from '../../../config/paths.ts';
import { BALLAST, ballastMove } from '../../../domain/room.ts';
import { dropUnfinished, freeMbAt, giveUpBallast, isBallastThere, makeBallast } from '../../../infra/ballast.ts';
import type { OnEvent } from '../events.ts';

const LOOK_MS = 2000;

/** What is looked at, and how; tests have their own. */
interface Means {
  freeMb: (home: string) => Promise<number>;
  sizeMb: number;
  lookMs: number;
}

const MEANS: Means = { freeMb: freeMbAt, sizeMb: BALLAST.sizeMb, lookMs: LOOK_MS };

export interface Tender {
  /** Makes it where there is plenty of room, and gives it up when room is nearly out, until `stop`. */
  keep: () => Promise<void>;
  /** One look: gives it up where room is nearly out. */
  relieve: () => Promise<void>;
  stop: () => void;
}

/**
 * Looks after a file that takes room in this home: where something fills the disk, it is given up, so that Postgres and
 * Temporal go on, or come back, and a person can clean. It needs no server. Made again by the next start.
 */
export function tendBallast(home: string, onEvent: OnEvent, { freeMb, sizeMb, lookMs }: Means = MEANS): Tender {
  const { ballast: path } = homePaths(home);
  const end = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const move = async () => ballastMove({ freeMb: await freeMb(home), isThere: await isBallastThere(path) });

  async function relieve(): Promise<void> {
    // A disk that cannot be asked is others' to tell of.
    const next = await move().catch(() => null);
    if (next !== 'give up' || !(await giveUpBallast(path).catch(() => false))) return;
    const text = `the disk is full: ${path} (${sizeMb} MiB) was given up, so that the servers go on. Make room now: npx perpetua clean. The next start with room makes the file again`;
    onEvent({ type: 'warning', part: 'stack', text });
  }
  async function make(): Promise<void> {
    await dropUnfinished(path);
    if ((await move()) === 'make') await makeBallast(path, sizeMb, end.signal);
  }
  function look(): void {
    timer = setTimeout(() => void relieve().then(() => end.signal.aborted || look()), lookMs);
    timer.unref();
  }
  return {
    relieve,
    keep: async () => {
      look();
      // Nobody needs it to work: a disk that refuses it has none.
      await make().catch(() => undefined);
    },
    stop: () => {
      end.abort();
      clearTimeout(timer);
    },
  };
}
