import { z } from 'zod';
import { MOST_TRIALS } from './ablation/plan.ts';
import { tooLargeTogether } from './edit/mutable-size.ts';
import { strict } from './issue/describe-issue.ts';
import { ReadyText, Restart } from './job.ts';
import { Budget } from './schema/budget.ts';
import { SINK_NAME } from './notify/sink-name.ts';
import { LARGEST_WINDOW } from './window/largest.ts';
import { jsonBytes } from './json/json-bytes.ts';

export { describeIssue } from './issue/describe-issue.ts';
export { QUERIES, QUEUES, SIGNALS, UPDATES, WORKFLOWS } from './messages/names.ts';

/** The largest trial number that the database can store. */
export const LARGEST_N = 2 ** 31 - 1;

/** Longest key of an injected idea, in characters. */
const LONGEST_INJECT_KEY = 200;

/** Arguments of `pause` and `resume`: none. */
export const NoArgs = z.custom<object | undefined>(isNothing, 'no input, or {}');
/** Arguments of `stop`. Without `now`, runs finish first. */
export const StopArgs = strict({ now: z.boolean().default(false) }).prefault({});
export const ChangeTaskArgs = strict({ task: z.string().min(1) });
export const InjectArgs = strict({
  /** Whole new content of each file, by its path in the workspace. */
  files: z.record(z.string(), z.string()).refine((files) => Object.keys(files).length > 0, 'at least one file'),
  /** Mutable files to delete; the task must allow it (`edits.remove`). */
  delete: z.array(z.string().min(1).max(1024)).max(500).optional(),
  hypothesis: z.string().max(2000).default('injected by a person'),
});
/** Arguments of the update `inject`: those of the signal, and a key. The same key twice is one idea. */
export const InjectOnceArgs = strict({
  ...InjectArgs.shape,
  key: z.string().min(1).max(LONGEST_INJECT_KEY).optional(),
});
export const NoteArgs = strict({ text: z.string().min(1).max(4000) });
export const SetWindowArgs = strict({
  window: z.union([z.literal('auto'), z.number().int().min(1).max(LARGEST_WINDOW)]),
});
/** Budget fields without their defaults: a missing field stays as it is, and null removes a limit. */
export const SetBudgetArgs = strict({
  trials: Budget.shape.trials.nullable(),
  proposals: Budget.shape.proposals.nullable(),
  hours: Budget.shape.hours.nullable(),
  hoursWithoutClaim: Budget.shape.hoursWithoutClaim.nullable(),
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

/** Arguments of `ablate`: the last claim by default, and three runs of each variant. */
export const AblateArgs = strict({
  /** Number of the claim. */
  claim: z.number().int().positive().max(LARGEST_N).optional(),
  /** Most trials of the ablation. */
  trials: z.number().int().positive().max(MOST_TRIALS).optional(),
}).prefault({});
/** Overrides for one section of the task. The activity that opens the research validates them. */
const section = z.record(z.string(), z.unknown()).optional();

/** Arguments of a `research` workflow, for `temporal workflow start --input`. Everything but the task has a default. */
export const ResearchArgs = strict({
  task: z.string().min(1).max(4096),
  /** Overrides of the task's own values. */
  window: z.union([z.literal('auto'), z.number().int().min(1).max(LARGEST_WINDOW)]).optional(),
  budget: SetBudgetArgs.optional(),
  proposer: z.string().min(1).max(100).optional(),
  search: section,
  abort: section,
  keep: section,
  /** Seed root of its trials; its id by default. Researches with the same seed root are paired. */
  seed: z
    .string()
    .min(1)
    .max(200)
    .refine((text) => !text.includes('\0'), 'a text without NUL characters')
    .optional(),
  /** Research whose memory a new research begins with. */
  memoryFrom: z.string().min(1).max(200).optional(),
  /** Names of the sinks that get its messages; all by default. */
  notify: z.array(z.string().regex(SINK_NAME, 'the name of a sink')).min(1).max(50).optional(),
  /**
   * `true` runs the unmodified workspace once, then ends. `attack` runs it a few times and runs the injected versions,
   * then ends. `evaluation` runs the baseline and every proposal of its budget, and claims nothing.
   */
  check: z.union([z.boolean(), z.enum(['attack', 'evaluation'])]).optional(),
  /** Initial state as after `pause`: a paused research stays paused when it is started again. */
  paused: z.boolean().optional(),
  /** Initial state as after `stop`: a stopping research goes on stopping when it is started again. */
  stopping: z.enum(['drain', 'now']).optional(),
  /** Factor that shortens every timeout, heartbeats to no less than five seconds; for tests. */
  tempo: z.number().gt(0).max(1).optional(),
  /** History events after which the research continues as new in a quiet moment; at most 2,000. */
  maxHistory: z.number().int().min(50).optional(),
  /** State from the previous run in the continue-as-new chain; not for people. */
  carry: z.unknown().optional(),
});
/** Arguments of a `job` workflow: a command in a task's workspace, run once or as a server. */
export const JobArgs = strict({
  task: z.string().min(1).max(4096),
  command: z.string().min(1),
  /** Pool that replaces the task's own. */
  pool: z.string().min(1).optional(),
  /** Runs the command as a server until a person stops it, with restarts if it exits by itself. */
  serve: strict({ ready: ReadyText, restart: Restart.optional() }).optional(),
  /** Factor that shortens every timeout; for tests. */
  tempo: z.number().gt(0).max(1).optional(),
  /** History events after which a server's job continues as new, before the next restart. */
  maxHistory: z.number().int().min(10).optional(),
});
export type JobArgs = z.infer<typeof JobArgs>;
export type ResearchArgs = z.infer<typeof ResearchArgs>;
export type SetBudget = z.infer<typeof SetBudgetArgs>;
export type OverrideVerdict = z.infer<typeof OverrideVerdictArgs>;
export type AblateArgs = z.infer<typeof AblateArgs>;
/** Answer to `ablate`: the trials that were queued. */
export interface AblateResult {
  claim: number;
  variants: number;
  /** Runs of the claim and of each variant. */
  runs: number;
  trials: number;
}
export type Inject = z.infer<typeof InjectArgs>;
export type InjectOnce = z.infer<typeof InjectOnceArgs>;
/** Answer to the update `inject`: the key by which the idea's trial is found. */
export interface InjectResult {
  key: string;
}

function isNothing(raw: unknown): boolean {
  if (raw === undefined) return true;
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw) && Object.keys(raw).length === 0;
}

/** Longest path of a task, in characters; Linux has the same limit. */
const TASK_CHARACTERS = 4096;
/**
 * Largest message. Temporal rejects payloads above 2 MiB, and the activity's input adds ids and a key to the message.
 */
const MESSAGE_BYTES = 2 * 2 ** 20 - 4096;

/** The reason why a message is too large to pass to an activity, or for a candidate; null if it is not. */
export function tooLarge(args: object): string | null {
  const excess = 'files' in args ? tooLargeTogether(args.files as Inject['files']) : null;
  if (excess !== null) return `files: ${excess}`;
  const task = 'task' in args && typeof args.task === 'string' ? args.task : undefined;
  if (task !== undefined && task.length > TASK_CHARACTERS)
    return `task: expected a name or a folder of at most ${TASK_CHARACTERS} characters, got ${task.length}`;
  const bytes = jsonBytes(args);
  return bytes > MESSAGE_BYTES ? `expected at most ${MESSAGE_BYTES} bytes in all, got ${bytes}` : null;
}
