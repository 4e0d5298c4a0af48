import { realpathSync } from 'node:fs';
import { SandboxMissingError } from '../../domain/fault/sandbox-missing.ts';
import { longestOutageSeconds } from '../../domain/fleet/network-outage.ts';
import {
  CannotShowError,
  HostError,
  HostUnreachableError,
  HostUnusableError,
  SlotTakenError,
  ConversationReplacedError,
  type Conversation,
  type RunEnd,
} from '../compute.ts';
import type { EvaluateSpec, Evaluation, EvaluationFailure, Evaluator } from '../evaluate.ts';
import { gatewayProblem, withGateway } from '../gateway/evaluator-gateway.ts';
import { removeTree } from '../remove-tree.ts';
import { type VisibleGpus, gpuVariables } from '../gpus/visible-gpus.ts';
import { relayConversation, type Relay } from './relay-conversation.ts';
import { check } from './check.ts';
import { draw } from './draw.ts';
import { changedFiles, layOut } from './lay-out.ts';
import { reachableTimeout, watchReachability, type OutageAllowance } from './host-reachability.ts';
import { findArtefactCode } from './artefact/find-artefact-code.ts';
import { readResult } from './read-result.ts';
import { createEvaluatorSandbox } from '../compute/local.ts';
import { foldersIn, type EvaluatorSandbox } from '../compute/local/evaluator-sandbox.ts';
import type { EvaluatorExit, EvaluatorProcess } from './read-evaluator.ts';
import { evaluatorEnvironment, startEvaluator } from './start-evaluator.ts';
import { startInSandbox } from './start-in-sandbox.ts';

/** Doubt about a failure after an outage, which an evaluator with a clock of its own may have taken for silence. */
const DOUBT = 'its host was unreachable for two seconds or more during the evaluation';
/** Exit code by which an evaluator reports that the candidate's answer is at fault. */
const CANDIDATE_AT_FAULT = 3;

type Result = { ok: true; evaluation: Evaluation } | { ok: false; failure: EvaluationFailure };

/**
 * Runs evaluators on this machine, under `home/evaluations`, which no sandboxed run can see. `slots`: runs of this
 * machine at once, hence evaluators that share its memory; default: 1.
 */
export function createEvaluator(options: { home: string; slots?: number } & VisibleGpus): Evaluator {
  const { home, slots = 1, visibleGpus, gpuOrder } = options;
  const gpus = gpuVariables({ visibleGpus, gpuOrder });
  let opened: EvaluatorSandbox | undefined;
  const sandbox = (): EvaluatorSandbox => (opened ??= createEvaluatorSandbox({ home, places: slots }));
  // A later failure of the probe is a fault of the machine: evaluators must not lose their sandbox by it.
  let gaveSandbox = false;
  const hasSandbox = async (): Promise<boolean> => {
    const isAvailable = await sandbox().isAvailable();
    if (gaveSandbox && !isAvailable) throw new SandboxMissingError();
    gaveSandbox = isAvailable;
    return isAvailable;
  };
  const chooseBegin = async (mode: EvaluateSpec['sandbox']): Promise<Begin> => {
    if (mode === 'none') return bare;
    if (await hasSandbox()) return inSandbox(sandbox());
    if (mode === 'required') throw new SandboxMissingError();
    return bare;
  };
  return {
    findCode: findArtefactCode,
    hasSandbox,
    lacksGateway: () => gatewayProblem(realpathSync(home), sandbox()),
    check: (spec, signal) => check({ home: realpathSync(home), sandbox: sandbox() }, spec, signal),
    draw: (spec) => draw(realpathSync(home), { ...spec, gpus }),
    evaluate: async (spec, signal) => {
      signal.throwIfAborted();
      const directory = await layOut(realpathSync(home), spec);
      try {
        const before = await changedFiles(directory, spec);
        if (before.length > 0) return changed(before, 'before');
        const begin = await chooseBegin(spec.gateway ? 'required' : spec.sandbox);
        const result = await withGateway(spec, directory, async () => {
          const evaluator = await begin(spec, { directory, gpus }).catch(refused);
          return 'ok' in evaluator ? evaluator : await runOnce(spec, evaluator, signal);
        });
        const after = await changedFiles(directory, spec);
        return after.length > 0 ? changed(after, 'after') : result;
      } finally {
        await removeTree(directory);
      }
    },
  };
}

/** The failure of an evaluator whose task names a folder that no sandbox may show. */
function refused(error: unknown): Result {
  if (!(error instanceof CannotShowError)) throw error;
  return { ok: false, failure: { label: 'evaluator-failed', message: error.message, logTail: '' } };
}

function changed(paths: string[], when: 'before' | 'after'): Result {
  const message = `expected the evaluator's files unchanged ${when} it ran; these differ: ${paths.join(', ')}`;
  return { ok: false, failure: { label: 'evaluator-changed', message, logTail: '' } };
}

/** Starts an evaluator in the work folder of a directory. `gpus`: variables that restrict the visible GPUs. */
type Begin = (
  spec: EvaluateSpec,
  place: { directory: string; gpus: Record<string, string> },
) => Promise<EvaluatorProcess>;

const bare: Begin = async (spec, { directory, gpus }) =>
  startEvaluator({ ...spec, directory: foldersIn(directory).work, gpus });

const inSandbox =
  (sandbox: EvaluatorSandbox): Begin =>
  (spec, { directory, gpus }) => {
    const { command, path = [], seed, secret, files, artefacts, readable = [], network = false, gpu = false } = spec;
    const { work } = foldersIn(directory);
    const { gateway = null } = spec;
    const own = { directory: work, path, seed, secret, gpus: gpu ? gpus : {}, models: gateway?.env };
    return startInSandbox(sandbox, {
      directory,
      command,
      env: evaluatorEnvironment(own),
      path,
      readable,
      network,
      gpu,
      relay: gateway?.relay ?? null,
      laid: [...files, ...artefacts],
    });
  };

async function runOnce(spec: EvaluateSpec, evaluator: EvaluatorProcess, signal: AbortSignal): Promise<Result> {
  const started = performance.now();
  const reachability = watchReachability(spec.conversation);
  const allowance: OutageAllowance = { reachability, most: longestOutageSeconds(spec.timeoutSeconds) * 1000 };
  const relay = spec.conversation
    ? relayConversation(evaluator, spec.conversation, { limits: spec.limits, allowance })
    : undefined;
  if (!relay) {
    evaluator.stdin.end();
    evaluator.stdout.setEncoding('utf8').on('data', (text: string) => evaluator.log.add(text));
  }
  const timedOut = deadline(spec.timeoutSeconds, allowance);
  const aborted = abortOf(signal);
  try {
    const outcome = await Promise.race([
      evaluator.ended.then((ended) => ({ type: 'ended' as const, ended })),
      timedOut.promise.then((isFair) => ({ type: 'timeout' as const, overdue: relay?.overdue(), isFair })),
      aborted.promise.then(() => ({ type: 'aborted' as const })),
      ...(relay ? [relay.broken.then((breach) => ({ type: 'broken' as const, ...breach }))] : []),
      ...(spec.conversation ? [limitExceeded(spec.conversation).then(() => ({ type: 'over-limit' as const }))] : []),
    ]);
    if (outcome.type === 'ended' && outcome.ended.code !== 0)
      await Promise.race([reachability.probe(), aborted.promise]);
    const outageMs = reachability.outageMs();
    const doubt = relay?.hadOutage() ? DOUBT : undefined;
    if (outcome.type !== 'ended') evaluator.stop();
    await evaluator.ended;
    const seconds = (performance.now() - started) / 1000;
    signal.throwIfAborted();
    const fail = failures(spec, evaluator, relay);
    const end = await endOf(spec.conversation);
    // The candidate is not at fault. The caller repeats the evaluation, as often as a host may fail.
    if (end?.endedBy === 'others')
      throw new HostUnusableError(
        spec.conversation?.host ?? '',
        'expected the answering program to end by itself or with its evaluation; another process killed it',
      );
    const limit = end && limitOf(end);
    if (limit)
      return fail(
        limit.label,
        `expected the answering program to stay within ${limit.what}; it used more and was stopped`,
      );
    // The result is unknown because of the outage. The caller repeats the evaluation, as often as a host may fail.
    if ((outcome.type === 'timeout' || outcome.type === 'broken') && !outcome.isFair)
      throw new HostUnreachableError(spec.conversation?.host ?? '', 'timeout', {
        message:
          'expected the host to be reachable during the evaluation; ' +
          `it was unreachable for ${Math.round(outageMs / 1000)} s`,
      });
    if (outcome.type === 'timeout' && outcome.overdue !== undefined) return fail('candidate-protocol', outcome.overdue);
    if (outcome.type === 'timeout')
      return fail('evaluator-timeout', `expected the evaluator to end within ${spec.timeoutSeconds} s`);
    if (outcome.type === 'broken') return fail('candidate-protocol', outcome.message);
    if (outcome.type !== 'ended') throw new Error('the evaluation was cancelled');
    // The wall limit is longer than the evaluator's time. Only a sleep or an outage reaches it, which gives no verdict.
    if (end?.reason === 'wall')
      throw new Error('the answering program reached its limit of time while this worker slept or its host was away');
    return verdict(outcome.ended, evaluator, { fail, seconds, doubt, conversing: spec.conversation !== null });
  } finally {
    timedOut.clear();
    aborted.clear();
    relay?.close();
    reachability.close();
    await spec.conversation?.stop();
  }
}

interface Limit {
  label: EvaluationFailure['label'];
  /** The limit, as messages name it. */
  what: string;
}

const DISK: Limit = { label: 'disk-limit', what: 'run.resources.diskMb' };

/** Limits of the conversation's program, by the reason of its end. */
const LIMITS: Partial<Record<RunEnd['reason'], Limit>> = {
  output: { label: 'output-limit', what: 'run.resources.outputMb on stderr' },
  cpu: { label: 'cpu-time', what: 'the CPU seconds that its run left of run.budget.most, or evaluator.cpuSeconds' },
  memory: { label: 'out-of-memory', what: 'run.resources.memoryMb' },
  processes: { label: 'too-many-processes', what: 'run.resources.processes' },
  disk: DISK,
};

/** The limit that ended the program; undefined if no limit did. */
const limitOf = (end: RunEnd): Limit | undefined =>
  end.files ? { ...DISK, what: 'run.resources.files' } : LIMITS[end.reason];

/** Resolves when the program is ended for a limit, else never. */
const limitExceeded = (conversation: Conversation): Promise<void> =>
  new Promise((resolve) => {
    conversation.ended.then(({ reason }) => LIMITS[reason] && resolve()).catch(() => undefined);
  });

// Waits for the end of the program, since the evaluator sees the end of the answers earlier. Throws if the host failed,
// if a newer conversation replaced this one, or if the GPU was taken: then the evaluator's result says nothing.
async function endOf(conversation: Conversation | null): Promise<RunEnd | undefined> {
  await conversation?.stop();
  return conversation?.ended.catch((error: unknown) => {
    if ([HostError, ConversationReplacedError, SlotTakenError].some((kind) => error instanceof kind)) throw error;
    return undefined;
  });
}

type Fail = (label: EvaluationFailure['label'], message: string, more?: FailureDetails) => Result;

interface FailureDetails {
  doubt?: string | undefined;
  /** The problem in more detail, for people. */
  detail?: string | null;
}

/** Makes failures whose log has the evaluator's output, the candidate's last answers and stderr, and details. */
function failures(spec: EvaluateSpec, evaluator: EvaluatorProcess, relay: Relay | undefined): Fail {
  return (label, message, { doubt, detail } = {}) => {
    const parts = [
      evaluator.log.text,
      relay?.seen.text && `--- the candidate said last:\n${relay.seen.text}`,
      spec.conversation?.stderrTail() && `--- the candidate's stderr:\n${spec.conversation.stderrTail()}`,
      detail && `--- the evaluator's result:\n${detail}`,
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
  options: { fail: Fail; seconds: number; doubt: string | undefined; conversing: boolean },
): Result {
  const { fail, seconds, doubt, conversing } = options;
  const log = evaluator.log.text.trim();
  if (ended.code === CANDIDATE_AT_FAULT)
    return fail('candidate-protocol', log.slice(-500) || 'the evaluator refused the answer without a reason', {
      doubt,
    });
  if (ended.excess !== null)
    return fail('evaluator-failed', `expected the evaluator to use at most ${ended.excess}; it used more`, { doubt });
  if (ended.code !== 0) {
    const got = ended.code ?? ended.signal;
    const message = `expected exit code 0 of the evaluator, or 3 if the candidate is at fault; got ${got}`;
    return fail('evaluator-failed', message, { doubt });
  }
  const result = readResult(evaluator.result(), { conversing });
  if (!result.ok) return fail('metric-unreadable', result.message, { detail: result.quotation });
  const { metrics, notes, feedback } = result;
  return { ok: true, evaluation: { metrics, notes, feedback, seconds } };
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
