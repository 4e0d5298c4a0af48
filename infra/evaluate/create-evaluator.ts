import { realpathSync } from 'node:fs';
import { longestOutageSeconds } from '../../domain/fleet/network-outage.ts';
import {
  HostError,
  HostUnreachableError,
  HostUnusableError,
  SlotTakenError,
  ConversationReplacedError,
  type Conversation,
  type RunEnd,
} from '../compute.ts';
import type { EvaluateSpec, Evaluation, EvaluationFailure, Evaluator } from '../evaluate.ts';
import { removeTree } from '../remove-tree.ts';
import { type VisibleGpus, gpuVariables } from '../visible-gpus.ts';
import { relayConversation, type Relay } from './relay-conversation.ts';
import { draw } from './draw.ts';
import { changedFiles, layOut } from './lay-out.ts';
import { reachableTimeout, watchReachability, type OutageAllowance } from './host-reachability.ts';
import { readResult } from './read-result.ts';
import { startEvaluator, type EvaluatorExit, type EvaluatorProcess } from './start-evaluator.ts';

/** An evaluator that has a clock of its own may have taken that for silence. */
const DOUBT = 'its host was away for two seconds or more since it was asked';
/** By this exit code an evaluator says that the candidate's answer, not the evaluator, was bad. */
const CANDIDATE_AT_FAULT = 3;

type Result = { ok: true; evaluation: Evaluation } | { ok: false; failure: EvaluationFailure };

/** Runs evaluators on this machine, under `home/evaluations`, which no sandboxed run can see. */
export function createEvaluator({ home, visibleGpus, gpuOrder }: { home: string } & VisibleGpus): Evaluator {
  const gpus = gpuVariables({ visibleGpus, gpuOrder });
  return {
    draw: (spec) => draw(realpathSync(home), { ...spec, gpus }),
    evaluate: async (spec, signal) => {
      signal.throwIfAborted();
      const directory = await layOut(realpathSync(home), spec);
      try {
        const before = await changedFiles(directory, spec);
        if (before.length > 0) return changed(before, 'before');
        const result = await runOnce({ ...spec, gpus }, directory, signal);
        const after = await changedFiles(directory, spec);
        return after.length > 0 ? changed(after, 'after') : result;
      } finally {
        await removeTree(directory);
      }
    },
  };
}

function changed(paths: string[], when: 'before' | 'after'): Result {
  const message = `expected the evaluator's files unchanged ${when} it ran; these differ: ${paths.join(', ')}`;
  return { ok: false, failure: { label: 'evaluator-changed', message, logTail: '' } };
}

async function runOnce(
  spec: EvaluateSpec & { gpus: Record<string, string> },
  directory: string,
  signal: AbortSignal,
): Promise<Result> {
  const started = performance.now();
  const evaluator = startEvaluator({ ...spec, directory });
  const presence = watchReachability(spec.conversation);
  const allowance: OutageAllowance = { reachability: presence, most: longestOutageSeconds(spec.timeoutSeconds) * 1000 };
  const crossing = spec.conversation
    ? relayConversation(evaluator, spec.conversation, { limits: spec.limits, allowance })
    : undefined;
  if (!crossing) {
    evaluator.stdin.end();
    evaluator.stdout.setEncoding('utf8').on('data', (text: string) => evaluator.log.add(text));
  }
  const timedOut = deadline(spec.timeoutSeconds, allowance);
  const aborted = abortOf(signal);
  try {
    const how = await Promise.race([
      evaluator.ended.then((ended) => ({ type: 'ended' as const, ended })),
      timedOut.promise.then((isFair) => ({ type: 'timeout' as const, overdue: crossing?.overdue(), isFair })),
      aborted.promise.then(() => ({ type: 'aborted' as const })),
      ...(crossing ? [crossing.broken.then((broken) => ({ type: 'broken' as const, ...broken }))] : []),
      ...(spec.conversation ? [overstepping(spec.conversation).then(() => ({ type: 'overstepped' as const }))] : []),
    ]);
    if (how.type === 'ended' && how.ended.code !== 0) await Promise.race([presence.probe(), aborted.promise]);
    const awayMs = presence.outageMs();
    const doubt = crossing?.hadOutage() ? DOUBT : undefined;
    if (how.type !== 'ended') evaluator.stop();
    await evaluator.ended;
    const seconds = (performance.now() - started) / 1000;
    signal.throwIfAborted();
    const fail = failures(spec, evaluator, crossing);
    const end = await endOf(spec.conversation);
    // Nothing of its own: whoever scores asks once more, as often as a host may fail.
    if (end?.endedBy === 'others')
      throw new HostUnusableError(
        spec.conversation?.host ?? '',
        'expected the answering program to end by itself or with its evaluation; something else killed it there',
      );
    const limit = end && (end.files ? { ...DISK, what: 'run.resources.files' } : LIMITS[end.reason]);
    if (limit)
      return fail(
        limit.label,
        `expected the answering program to stay within ${limit.what}; it was stopped when it took more`,
      );
    // Nobody can say what it would have come to: it is asked again, as often as a host may fail.
    if ((how.type === 'timeout' || how.type === 'broken') && !how.isFair)
      throw new HostUnreachableError(spec.conversation?.host ?? '', 'timeout', {
        message: `expected it to be there while its program was asked; it was away for ${Math.round(awayMs / 1000)} s in all`,
      });
    if (how.type === 'timeout' && how.overdue !== undefined) return fail('candidate-protocol', how.overdue);
    if (how.type === 'timeout')
      return fail('evaluator-timeout', `expected the evaluator to end within ${spec.timeoutSeconds} s`);
    if (how.type === 'broken') return fail('candidate-protocol', how.message);
    if (how.type !== 'ended') throw new Error('the evaluation was cancelled');
    // That limit is behind the evaluator's own: only who slept meanwhile, or whose host was away, sees it, and has no verdict to give.
    if (end?.reason === 'wall')
      throw new Error('the answering program was ended while this worker, or its machine, slept, or its host was away');
    return verdict(how.ended, evaluator, { fail, seconds, doubt });
  } finally {
    timedOut.clear();
    aborted.clear();
    crossing?.close();
    presence.close();
    await spec.conversation?.stop();
  }
}

const DISK = { label: 'disk-limit', what: 'run.resources.diskMb' } as const;

/** Limits of the answering program, by the reason of its end. */
const LIMITS: Partial<Record<RunEnd['reason'], { label: EvaluationFailure['label']; what: string }>> = {
  output: { label: 'output-limit', what: 'run.resources.outputMb on stderr' },
  cpu: { label: 'cpu-time', what: 'the CPU seconds that its run had left (run.budget.most), or evaluator.cpuSeconds' },
  memory: { label: 'out-of-memory', what: 'run.resources.memoryMb' },
  processes: { label: 'too-many-processes', what: 'run.resources.processes' },
  disk: DISK,
};

/** Resolves once the answering program was ended for a limit, else never. */
const overstepping = (conversation: Conversation): Promise<void> =>
  new Promise((resolve) => {
    conversation.ended.then(({ reason }) => LIMITS[reason] && resolve()).catch(() => undefined);
  });

// Its end is awaited: the evaluator hears of it first, by the end of the answers. A host that failed in the middle was no
// answer, whatever the evaluator made of it, nor was a program that gave way to another one, or found its GPU taken.
async function endOf(conversation: Conversation | null): Promise<RunEnd | undefined> {
  await conversation?.stop();
  return conversation?.ended.catch((error: unknown) => {
    if ([HostError, ConversationReplacedError, SlotTakenError].some((one) => error instanceof one)) throw error;
    return undefined;
  });
}

type Fail = (label: EvaluationFailure['label'], message: string, doubt?: string) => Result;

function failures(spec: EvaluateSpec, evaluator: EvaluatorProcess, crossing: Relay | undefined): Fail {
  return (label, message, doubt) => {
    const parts = [
      evaluator.log.text,
      crossing?.seen.text && `--- the candidate said last:\n${crossing.seen.text}`,
      spec.conversation?.stderrTail() && `--- the candidate's stderr:\n${spec.conversation.stderrTail()}`,
    ];
    return {
      ok: false,
      failure: { label, message, logTail: parts.filter(Boolean).join('\n'), ...(doubt ? { doubt } : {}) },
    };
  };
}

function verdict(
  ended: EvaluatorExit,
  evaluator: EvaluatorProcess,
  { fail, seconds, doubt }: { fail: Fail; seconds: number; doubt: string | undefined },
): Result {
  const said = evaluator.log.text.trim();
  if (ended.code === CANDIDATE_AT_FAULT)
    return fail('candidate-protocol', said.slice(-500) || 'the evaluator refused the answer without a reason', doubt);
  if (ended.code !== 0)
    return fail('evaluator-failed', `expected exit code 0 of the evaluator; got ${ended.code ?? ended.signal}`, doubt);
  const result = readResult(evaluator.result());
  if (!result.ok) return fail('metric-unreadable', result.message);
  return { ok: true, evaluation: { metrics: result.metrics, notes: result.notes, seconds } };
}

function deadline(seconds: number, allowance: OutageAllowance): { promise: Promise<boolean>; clear: () => void } {
  let onDue: (isFair: boolean) => void = () => undefined;
  const promise = new Promise<boolean>((resolve) => (onDue = resolve));
  return { promise, ...reachableTimeout(seconds * 1000, allowance, onDue) };
}

function abortOf(signal: AbortSignal): { promise: Promise<void>; clear: () => void } {
  let wake = (): void => undefined;
  const promise = new Promise<void>((resolve) => (wake = resolve));
  signal.addEventListener('abort', wake, { once: true });
  if (signal.aborted) wake();
  return { promise, clear: () => signal.removeEventListener('abort', wake) };
}
