import { z } from 'zod';
import { AgentRun } from './agent/agent-run.ts';
import { parseTrialId } from './trial/ids.ts';

/** A job that runs once, until its command ends: a trial, a proposal, an update of a model, a person's command. */
const ToAnEnd = z.strictObject({
  shape: z.literal('to-an-end'),
  /** Command that replaces the task's own. */
  command: z.string().min(1).optional(),
  /** Coding agent that makes the proposal of a trial, in place of a command. */
  agent: AgentRun.optional(),
});

/** Text in a line of a server's output that marks the server as ready. */
export const ReadyText = z
  .string()
  .min(1)
  .max(1000)
  .refine((text) => !/[\n\0]/.test(text), 'a part of one line, without NUL characters');

/**
 * Pauses before a server's next start, in seconds. Each failed run doubles the pause, up to `mostSeconds`. A run that
 * serves for `mostSeconds` resets the pause.
 */
export const Restart = z
  .strictObject({ firstSeconds: z.number().positive(), mostSeconds: z.number().positive().max(86_400) })
  .refine(({ firstSeconds, mostSeconds }) => firstSeconds <= mostSeconds, 'firstSeconds of at most mostSeconds');
export type Restart = z.infer<typeof Restart>;

/** Pauses of a server whose job sets none. */
export const DEFAULT_RESTART: Restart = { firstSeconds: 1, mostSeconds: 60 };

/** A server: runs until a person stops it, without a wall-clock limit. The job restarts it if it exits by itself. */
const WithoutEnd = z.strictObject({
  shape: z.literal('without-an-end'),
  command: z.string().min(1),
  ready: ReadyText,
  restart: Restart,
});

/** A directory for a sequence of short runs. Between two runs the job holds no slot. */
const ShortRuns = z.strictObject({ shape: z.literal('short-runs') });

/** The work of a job, in addition to its task. */
export const JobSpec = z.discriminatedUnion('shape', [ToAnEnd, WithoutEnd, ShortRuns]);
export type JobSpec = z.infer<typeof JobSpec>;

/** Kinds of jobs, and the shape of each. */
export const JOB_SHAPES = {
  trial: 'to-an-end',
  update: 'to-an-end',
  command: 'to-an-end',
  proposal: 'to-an-end',
  server: 'without-an-end',
  agent: 'short-runs',
} as const satisfies Record<string, JobSpec['shape']>;
export type JobKind = keyof typeof JOB_SHAPES;

/**
 * Kinds that a person starts. Each such job has a workflow of its own; other jobs belong to the workflow that needs
 * them.
 */
export const ASKED_KINDS = ['command', 'server'] as const satisfies readonly JobKind[];
export type AskedKind = (typeof ASKED_KINDS)[number];
export const isAskedKind = (kind: string): kind is AskedKind => ASKED_KINDS.some((asked) => asked === kind);

/** The job of a trial: the task gives its command, and the trial's id is the job's id. */
export const TRIAL_SPEC: JobSpec = { shape: 'to-an-end' };

/**
 * The id of a job that is not a trial: its primary key, workflow id and the name of its run directory. The caller's
 * token makes the id unique. Only a trial's id ends in `/<number>`, so that a numeric token throws an Error.
 */
export function jobIdOf({
  kind,
  name,
  token,
}: {
  kind: Exclude<JobKind, 'trial'>;
  name: string;
  token: string;
}): string {
  const id = `${kind}/${name}/${token}`;
  if (parseTrialId(id)) throw new Error(`Expected a token of a job that is no number, got ${token}`);
  return id;
}

/** Doublings after which every pause is at its maximum; without this bound, 2 ** doublings would become infinite. */
const MOST_DOUBLINGS = 64;

/**
 * Seconds from the end of a server's run to its next start. `failed` counts the runs that ended since the last good
 * run, the newest included; 0 if the newest was good.
 */
export function restartPause({ firstSeconds, mostSeconds }: Restart, failed: number): number {
  const doublings = Math.min(MOST_DOUBLINGS, Math.max(0, failed - 1));
  return Math.min(mostSeconds, firstSeconds * 2 ** doublings);
}
