import type { RunOfJob } from '../../db/job/read-runs.ts';
import { describeRunEnd } from '../../domain/job/describe-run-end.ts';
import type { RunEnd } from '../../infra/compute.ts';
import { printNote, printJson, type Io } from '../io.ts';

/** How whoever waits for a job hears of it. */
export interface JobListener {
  write: (text: string) => void;
  /** It has said that it serves. */
  onReady: (run: RunOfJob) => void;
  /** A run has ended, and the job goes on. */
  onRunEnded: (run: RunOfJob) => void;
  /** Another run has begun; `hasSaid`: the one before has printed something. */
  onRestart: (run: RunOfJob, before: { hasSaid: boolean }) => void;
}

/** Of a command: its output alone, which is kept for the end where that is one JSON object. */
export function createCommandListener(io: Io, { said }: { said: string[] | null }): JobListener {
  return {
    write: (text) => void (said ? said.push(text) : io.stdout.write(text)),
    onReady: () => undefined,
    onRunEnded: () => undefined,
    onRestart: (_, { hasSaid }) => {
      if (!hasSaid) return;
      if (said) said.length = 0;
      printNote(io, 'its machine lost it; it is begun once more');
    },
  };
}

/** Of a server: what it prints, and what becomes of it in notes. */
export function createServerListener(io: Io): JobListener {
  return {
    write: (text) => void io.stdout.write(text),
    onReady: ({ host }) => printNote(io, `ready on ${host}`),
    onRunEnded: (run) => printNote(io, `it ${howItEnded(run)}`),
    onRestart: ({ host }) => printNote(io, `begun again on ${host}`),
  };
}

/** The same as one JSON object a line. */
export function createServerJsonListener(io: Io, id: string): JobListener {
  const event = (name: string, more: object): void => printJson(io, { id, event: name, ...more });
  const of = ({ placement, host }: RunOfJob) => ({ placement, host });
  return {
    write: (text) => event('output', { text }),
    onReady: (run) => event('ready', { ...of(run), at: run.readyAt }),
    onRunEnded: (run) => event('run-ended', { ...of(run), how: howItEnded(run) }),
    onRestart: (run) => event('begun-again', of(run)),
  };
}

const howItEnded = ({ end }: RunOfJob): string => describeRunEnd(end as RunEnd | null);
