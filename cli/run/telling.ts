import type { RunOfJob } from '../../db/job/read-runs.ts';
import { endingOf } from '../../domain/job/run-ending.ts';
import type { RunEnd } from '../../infra/compute.ts';
import { note, sayJson, type Io } from '../io.ts';

/** How whoever waits for a job hears of it. */
export interface Telling {
  write: (text: string) => void;
  /** It has said that it serves. */
  onReady: (run: RunOfJob) => void;
  /** A run has ended, and the job goes on. */
  onOver: (run: RunOfJob) => void;
  /** Another run has begun; `hasSaid`: the one before has printed something. */
  onAgain: (run: RunOfJob, before: { hasSaid: boolean }) => void;
}

/** Of a command: its output alone, which is kept for the end where that is one JSON object. */
export function tellCommand(io: Io, { said }: { said: string[] | null }): Telling {
  return {
    write: (text) => void (said ? said.push(text) : io.stdout.write(text)),
    onReady: () => undefined,
    onOver: () => undefined,
    onAgain: (_, { hasSaid }) => {
      if (!hasSaid) return;
      if (said) said.length = 0;
      note(io, 'its machine lost it; it is begun once more');
    },
  };
}

/** Of a server: what it prints, and what becomes of it in notes. */
export function tellServer(io: Io): Telling {
  return {
    write: (text) => void io.stdout.write(text),
    onReady: ({ host }) => note(io, `ready on ${host}`),
    onOver: (run) => note(io, `it ${howItEnded(run)}`),
    onAgain: ({ host }) => note(io, `begun again on ${host}`),
  };
}

/** The same as one JSON object a line. */
export function tellServerAsJson(io: Io, id: string): Telling {
  const event = (name: string, more: object): void => sayJson(io, { id, event: name, ...more });
  const of = ({ placement, host }: RunOfJob) => ({ placement, host });
  return {
    write: (text) => event('output', { text }),
    onReady: (run) => event('ready', { ...of(run), at: run.readyAt }),
    onOver: (run) => event('run-ended', { ...of(run), how: howItEnded(run) }),
    onAgain: (run) => event('begun-again', of(run)),
  };
}

const howItEnded = ({ end }: RunOfJob): string => endingOf(end as RunEnd | null);
