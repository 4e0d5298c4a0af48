import { log } from '@temporalio/activity';
import { adviceFor } from '../../domain/tools/advice.ts';
import { missingIn } from '../../domain/tools/missing.ts';
import type { Failure } from '../../domain/trial.ts';
import type { Scored, ScoreContext } from './types.ts';

/** Exit code of a shell that found no such command: an evaluator's words stand beside no code of their own. */
const NOT_FOUND = 127;

/**
 * Ends the message of a run that did not find a program, a module or a file with where its machine has that, and what to write
 * into task.yaml. Only of the unmodified version: its author can mend it, a proposal cannot.
 */
export async function advised(context: ScoreContext, failure: Failure): Promise<Failure> {
  const { run, end } = context;
  if (failure.label !== 'exit-code') return failure;
  return withAdvice(context, failure, { exitCode: end.exitCode, log: run.logTail ?? '' });
}

/** The same of an evaluator, which runs on this machine, and of a program that answers it. */
export async function evaluatorAdvised(context: ScoreContext, scored: Scored): Promise<Scored> {
  if (scored.ok || !['evaluator-failed', 'candidate-protocol'].includes(scored.failure.label)) return scored;
  if (!context.deps.hosts.isOwnHost(context.run.host)) return scored;
  const said = { exitCode: NOT_FOUND, log: scored.notes ?? '' };
  return { ...scored, failure: await withAdvice(context, scored.failure, said) };
}

async function withAdvice(
  { deps, trial, version: { task }, run }: ScoreContext,
  failure: Failure,
  said: { exitCode: number | null; log: string },
): Promise<Failure> {
  const missing = trial.kind === 'baseline' ? missingIn(said) : null;
  if (missing === null) return failure;
  const { path, readable } = task.run;
  try {
    const finding = await deps.hosts.computeOf(run.host).find(missing, { path, beside: [] });
    const machine = deps.hosts.isOwnHost(run.host) ? 'this machine' : `host ${run.host}`;
    const advice = adviceFor(missing, finding, { path, readable, lock: task.environment?.lock ?? null, machine });
    return advice === null ? failure : { ...failure, message: `${failure.message}\n${advice}` };
  } catch (error) {
    // It is only told: the outcome stands without it.
    log.warn('what a run did not find could not be looked for', { host: run.host, missing, error: String(error) });
    return failure;
  }
}
