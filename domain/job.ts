import { z } from 'zod';
import { parseTrialId } from './trial/ids.ts';

/** Runs once, until its command ends: a trial, an update of a model, a command of a person. */
const ToAnEnd = z.strictObject({
  shape: z.literal('to-an-end'),
  /** Run in the place of its task's own. */
  command: z.string().min(1).optional(),
});

/** A text by which a line of a server's output says that it serves. */
export const ReadyText = z
  .string()
  .min(1)
  .max(1000)
  .refine((text) => !/[\n\0]/.test(text), 'a part of one line, without NUL characters');

/** Pause before a server is begun again, in seconds: doubled each time up to the most, until it has served for as long as that. */
export const Restart = z
  .strictObject({ firstSeconds: z.number().positive(), mostSeconds: z.number().positive().max(86_400) })
  .refine(({ firstSeconds, mostSeconds }) => firstSeconds <= mostSeconds, 'firstSeconds of at most mostSeconds');
export type Restart = z.infer<typeof Restart>;

/** That pause where nobody asks for another one. */
export const DEFAULT_RESTART: Restart = { firstSeconds: 1, mostSeconds: 60 };

/** Serves until it is told to stop: no wall limit, and begun again where it ends by itself. */
const WithoutEnd = z.strictObject({
  shape: z.literal('without-an-end'),
  command: z.string().min(1),
  ready: ReadyText,
  restart: Restart,
});

/** A directory in which short runs follow one another: no slot is held while none runs. */
const ShortRuns = z.strictObject({ shape: z.literal('short-runs') });

/** The work of a job, beside its task. */
export const JobSpec = z.discriminatedUnion('shape', [ToAnEnd, WithoutEnd, ShortRuns]);
export type JobSpec = z.infer<typeof JobSpec>;

/** Kinds of jobs, and their shapes. */
export const JOB_SHAPES = {
  trial: 'to-an-end',
  update: 'to-an-end',
  command: 'to-an-end',
  server: 'without-an-end',
  agent: 'short-runs',
} as const satisfies Record<string, JobSpec['shape']>;
export type JobKind = keyof typeof JOB_SHAPES;

/** Kinds that a person asks for, each the work of a workflow of its own; the others belong to what asked for them. */
const ASKED_KINDS = ['command', 'server'] as const satisfies readonly JobKind[];
export type AskedKind = (typeof ASKED_KINDS)[number];
export const isAskedKind = (kind: string): kind is AskedKind => ASKED_KINDS.some((one) => one === kind);

/** A trial's job: its task says what it runs, and its id is the trial's. */
export const TRIAL_SPEC: JobSpec = { shape: 'to-an-end' };

/**
 * The id of a job that is no trial: primary key, workflow id, and what names the run directory. It never ends in `/<number>`,
 * as only a trial's does; a token of the caller's makes it unique. Throws where the token is a number.
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

/** Doublings after which any pause is the longest; more would leave the numbers. */
const MOST_DOUBLINGS = 64;

/**
 * Seconds from the end of a server's run to the next one. `failed`: runs that ended since the last good one, with the last one; 0
 * where that was good.
 */
export function restartPause({ firstSeconds, mostSeconds }: Restart, failed: number): number {
  const doublings = Math.min(MOST_DOUBLINGS, Math.max(0, failed - 1));
  return Math.min(mostSeconds, firstSeconds * 2 ** doublings);
}
