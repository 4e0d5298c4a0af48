import type { Failure } from '../../domain/trial.ts';
import { adviceOn } from '../host/advice-on.ts';
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
  { deps, trial, version: { task }, run: { host } }: ScoreContext,
  failure: Failure,
  said: { exitCode: number | null; log: string },
): Promise<Failure> {
  const advice = trial.kind === 'baseline' ? await adviceOn(deps, { host, task, said }) : null;
  return advice === null ? failure : { ...failure, message: `${failure.message}\n${advice}` };
}
