import type { RunOfJob } from '../../db/job/read-runs.ts';
import { describeRunEnd } from '../../domain/job/describe-run-end.ts';
import type { RunEnd } from '../../infra/compute.ts';
import { printNote, printJson, type Io } from '../io.ts';

/** Receives the output and the events of a job. */
export interface JobListener {
  write: (text: string) => void;
  /** Called once a run of a server has printed its ready text. */
  onReady: (run: RunOfJob) => void;
  /** Called when a run has ended and the job continues. */
  onRunEnded: (run: RunOfJob) => void;
  /** Called when another run has begun. `hasSaid`: the run before it has printed output. */
  onRestart: (run: RunOfJob, before: { hasSaid: boolean }) => void;
}

/** Listener of a command: writes its output, or adds it to `collected` for one JSON object at the end. */
export function createCommandListener(io: Io, { collected }: { collected: string[] | null }): JobListener {
  return {
    write: (text) => {
      if (collected) collected.push(text);
      else io.stdout.write(text);
    },
    onReady: () => undefined,
    onRunEnded: () => undefined,
    onRestart: (_, { hasSaid }) => {
      if (!hasSaid) return;
      if (collected) collected.length = 0;
      printNote(io, 'its run was lost with its machine; it starts again');
    },
  };
}

/** Listener of a server: writes its output to stdout and its events as notes. */
export function createServerListener(io: Io): JobListener {
  return {
    write: (text) => void io.stdout.write(text),
    onReady: ({ host }) => printNote(io, `ready on ${host}`),
    onRunEnded: (run) => printNote(io, `it ${howItEnded(run)}`),
    onRestart: ({ host }) => printNote(io, `started again on ${host}`),
  };
}

/** Listener of a server that writes output and events as one JSON object a line. */
export function createServerJsonListener(io: Io, id: string): JobListener {
  const event = (name: string, more: object): void => printJson(io, { id, event: name, ...more });
  const fieldsOf = ({ placement, host }: RunOfJob) => ({ placement, host });
  return {
    write: (text) => event('output', { text }),
    onReady: (run) => event('ready', { ...fieldsOf(run), at: run.readyAt }),
    onRunEnded: (run) => event('run-ended', { ...fieldsOf(run), how: howItEnded(run) }),
    onRestart: (run) => event('begun-again', fieldsOf(run)),
  };
}

const howItEnded = ({ end }: RunOfJob): string => describeRunEnd(end as RunEnd | null);
