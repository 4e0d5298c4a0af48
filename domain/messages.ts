import { z } from 'zod';
import { strict } from './issue/describe-issue.ts';
import { ReadyText, Restart } from './job.ts';
import { Budget } from './schema/budget.ts';
import { LARGEST_WINDOW } from './window/largest.ts';
import { jsonBytes } from './json/json-bytes.ts';

export { describeIssue } from './issue/describe-issue.ts';
export { QUERIES, QUEUES, SIGNALS, UPDATES, WORKFLOWS } from './messages/names.ts';

/** The largest number of a trial that the database can hold. */
const LARGEST_N = 2 ** 31 - 1;

/** What `pause` and `resume` take. */
export const NoArgs = z.custom<object | undefined>(isNothing, 'no input, or {}');
/** Arguments of `stop`. Without `now`, runs finish first. */
export const StopArgs = strict({ now: z.boolean().default(false) }).prefault({});
export const ChangeTaskArgs = strict({ task: z.string().min(1) });
export const InjectArgs = strict({
  /** Path in the workspace to the whole new content of that file. */
  files: z.record(z.string(), z.string()).refine((files) => Object.keys(files).length > 0, 'at least one file'),
  hypothesis: z.string().max(2000).default('injected by a person'),
});
export const NoteArgs = strict({ text: z.string().min(1).max(4000) });
export const SetWindowArgs = strict({
  window: z.union([z.literal('auto'), z.number().int().min(1).max(LARGEST_WINDOW)]),
});
/** Budget fields without their defaults: what is not named stays as it is, and null lifts a limit. */
export const SetBudgetArgs = strict({
  trials: Budget.shape.trials.nullable(),
  proposals: Budget.shape.proposals.nullable(),
  hours: Budget.shape.hours.nullable(),
  slotSeconds: Budget.shape.slotSeconds.nullable(),
  tokens: Budget.shape.tokens.nullable(),
  usd: Budget.shape.usd.nullable(),
  counts: Budget.shape.counts.unwrap().optional(),
  whenSpent: Budget.shape.whenSpent.unwrap().optional(),
});
export const OverrideVerdictArgs = strict({
  n: z.number().int().positive().max(LARGEST_N),
  verdict: z.enum(['keep', 'discard']),
  reason: z.string().min(1).max(1000),
});

/** Values in place of the task's own in one of its sections; the activity that opens the research knows what fits. */
const section = z.record(z.string(), z.unknown()).optional();

/** What `temporal workflow start --input` takes; everything but the task has a default. */
export const ResearchArgs = strict({
  task: z.string().min(1).max(4096),
  /** Overrides of the task's own values. */
  window: z.union([z.literal('auto'), z.number().int().min(1).max(LARGEST_WINDOW)]).optional(),
  budget: SetBudgetArgs.optional(),
  proposer: z.string().min(1).max(100).optional(),
  search: section,
  abort: section,
  keep: section,
  /** What the seeds of its trials are made from, instead of its id: researches with the same one are paired. */
  seed: z
    .string()
    .min(1)
    .max(200)
    .refine((text) => !text.includes('\0'), 'a text without NUL characters')
    .optional(),
  /** `true` runs the unmodified workspace once and ends; `attack` a few times, and what is injected, then it ends. */
  check: z.union([z.boolean(), z.literal('attack')]).optional(),
  /** Begins as after `pause`, or as after `stop`: a research that is started again stays paused, or goes on stopping. */
  paused: z.boolean().optional(),
  stopping: z.enum(['drain', 'now']).optional(),
  /** Shortens every timeout, heartbeats to five seconds at the least; for tests. */
  tempo: z.number().gt(0).max(1).optional(),
  /** Events of history after which the research continues as new, 2,000 at the most; in a quiet moment. */
  maxHistory: z.number().int().min(50).optional(),
  /** Written by the run before; not for people. */
  carry: z.unknown().optional(),
});
/** What a `job` takes: a command in the workspace of a task, run once, or as a server. */
export const JobArgs = strict({
  task: z.string().min(1).max(4096),
  command: z.string().min(1),
  /** In place of the task's own. */
  pool: z.string().min(1).optional(),
  /** It serves until it is told to stop, and is begun again where it ends by itself. */
  serve: strict({ ready: ReadyText, restart: Restart.optional() }).optional(),
  /** Shortens every timeout; for tests. */
  tempo: z.number().gt(0).max(1).optional(),
  /** Events of history after which a server continues as new, before it is begun again. */
  maxHistory: z.number().int().min(10).optional(),
});
export type JobArgs = z.infer<typeof JobArgs>;
export type ResearchArgs = z.infer<typeof ResearchArgs>;
export type SetBudget = z.infer<typeof SetBudgetArgs>;
export type OverrideVerdict = z.infer<typeof OverrideVerdictArgs>;
export type Inject = z.infer<typeof InjectArgs>;

function isNothing(raw: unknown): boolean {
  if (raw === undefined) return true;
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw) && Object.keys(raw).length === 0;
}

/** Largest path of a task that Linux takes, too. */
const TASK_CHARACTERS = 4096;
/** Temporal takes no payload above 2 MiB, and what is handed on has ids and a key beside what came. */
const MESSAGE_BYTES = 2 * 2 ** 20 - 4096;

/** Why a message is too large to be handed on to an activity; null where it is not. */
export function tooLarge(args: object): string | null {
  const task = 'task' in args && typeof args.task === 'string' ? args.task : undefined;
  if (task !== undefined && task.length > TASK_CHARACTERS)
    return `task: expected a name or a folder of at most ${TASK_CHARACTERS} characters, came ${task.length}`;
  const bytes = jsonBytes(args);
  return bytes > MESSAGE_BYTES ? `expected at most ${MESSAGE_BYTES} bytes in all, came ${bytes}` : null;
}
