import { UsageError } from './usage-error.ts';

/** What `abort-live` takes, in order: what it is, what is usual, the least there may be, and whether it is counted. */
const TAKES = [
  { what: 'pairs', usual: 10, least: 1, counted: true },
  { what: 'slot seconds', usual: 150, least: 1, counted: false },
  { what: 'budget of a run, reference seconds', usual: 1, least: 0.1, counted: false },
  { what: 'would-be stops that all run on', usual: 30, least: 0, counted: true },
] as const;

export type LivePlan = [pairs: number, slotSeconds: number, runSeconds: number, auditFirst: number];

/** The numbers of a command line; throws UsageError for what is none. */
export function livePlanOf(args: readonly string[]): LivePlan {
  if (args.length > TAKES.length)
    throw new UsageError(`expected at most ${TAKES.length} numbers, came ${args.join(' ')}`);
  return TAKES.map(({ what, usual, least, counted }, i) => {
    const text = args[i] ?? String(usual);
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= least && Number.isFinite(value) && (!counted || Number.isInteger(value))) return value;
    throw new UsageError(`${what}: expected a ${counted ? 'whole ' : ''}number from ${least} on, came ${text}`);
  }) as LivePlan;
}
