import type { RunEnd } from '../compute.ts';
import {
  SUPERVISOR_RESULT_FD,
  type EvaluatorLimits,
  type EvaluatorSandbox,
  type SandboxedEvaluator,
} from '../compute/local/evaluator-sandbox.ts';
import { readEvaluator, type EvaluatorExit, type EvaluatorProcess } from './read-evaluator.ts';

/** The limit of the sandbox that ended an evaluator, in words; undefined if no limit did. */
function excessOf(
  reason: RunEnd['reason'],
  { memoryMb, ...limits }: EvaluatorLimits,
  lowered: Partial<EvaluatorLimits> = {},
): string | undefined {
  const ofMachine = `${memoryMb} MB of memory, four fifths of this machine's divided by its slots`;
  const texts: Partial<Record<RunEnd['reason'], string>> = {
    memory: lowered.memoryMb === undefined ? ofMachine : `${lowered.memoryMb} MB of memory`,
    processes: `${limits.processes} processes`,
    disk: `${limits.diskMb} MiB and ${limits.files} files in its folders`,
  };
  return texts[reason];
}

/** Starts an evaluator in the sandbox. */
export async function startInSandbox(
  sandbox: EvaluatorSandbox,
  evaluator: SandboxedEvaluator,
): Promise<EvaluatorProcess> {
  const { process: supervisor, readEnd } = await sandbox.start(evaluator);
  let stopped = false;
  const exitOf = async (code: number | null, signal: string | null): Promise<EvaluatorExit> => {
    const { end, message } = await readEnd();
    const excess = end && (excessOf(end.reason, sandbox.limits, evaluator.limits) ?? null);
    if (end && (end.reason === 'exit' || excess !== null || stopped))
      return { code: end.exitCode, signal: end.signal, excess: excess ?? null };
    if (stopped) return { code: null, signal: 'SIGTERM', excess: null };
    // The machine may have lost the means of a sandbox. The caller evaluates again.
    sandbox.forget();
    const got = message || (end ? 'another process ended it' : `the supervisor ended with ${code ?? signal}`);
    throw new Error(`evaluator: expected its sandbox to run it to its end; ${got}`);
  };
  return readEvaluator(supervisor, {
    descriptors: { result: SUPERVISOR_RESULT_FD, lifeline: 3 },
    exitOf,
    stop: () => {
      stopped = true;
      supervisor.kill('SIGTERM');
    },
  });
}
