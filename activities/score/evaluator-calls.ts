import { ApplicationFailure, Context } from '@temporalio/activity';
import { createStreakCounter } from '../../domain/fleet/streak-counter.ts';
import { clientVariables } from '../../domain/gateway/client-variables.ts';
import { isTaskCheck } from '../../domain/research/check-id.ts';
import type { EvaluatorLlm } from '../../domain/schema/evaluator.ts';
import type { FailureLabel } from '../../domain/trial.ts';
import type { EvaluatorGateway } from '../../infra/evaluate.ts';
import type { CallRequest, Protocol } from '../../domain/gateway/call.ts';
import type { CallLedger } from '../../infra/gateway.ts';
import { createCallLedger } from '../gateway/call-ledger.ts';
import type { ScoreContext, Scored } from './score-context.ts';

/** Facts about the calls of one scoring. */
export interface SeenCalls {
  /** Sentence that refused the first call that was not sent; null: none was refused. */
  refused: string | null;
  /** The endpoint's last failure, without the text of an answer; null: it had none. */
  trouble: string | null;
  /** The call of that failure; null: it had none. `status`: null if the endpoint was not reached. */
  failed: { status: number | null; protocol: Protocol; model: string | null } | null;
  /** True if an answer broke off. A client that ends in the middle of an answer looks the same. */
  hasCut: boolean;
  /** Number of answers that were paid for. */
  bought: number;
}

/** Opens the way of one scoring to models. Its calls are rows of the trial before they leave. */
export async function openEvaluatorGateway(
  { deps, trial }: Pick<ScoreContext, 'deps' | 'trial'>,
  { model, calls, tokens, usd }: EvaluatorLlm,
): Promise<{ gateway: EvaluatorGateway; seen: SeenCalls }> {
  const ledger = createCallLedger({
    store: deps.store,
    trialId: trial.id,
    role: 'evaluator',
    limits: { calls, tokens, ...(usd === undefined ? {} : { usd }) },
    priceOf: deps.models.priceOf,
  });
  const seen: SeenCalls = { refused: null, trouble: null, failed: null, hasCut: false, bought: 0 };
  const caller = { ledger: watching(ledger, seen), role: 'evaluator' } as const;
  const gateway: EvaluatorGateway = {
    serve: (socket) => deps.gateway.serveAt(socket, caller),
    relay: await deps.gateway.relay(),
    env: clientVariables(model),
  };
  return { gateway, seen };
}

/** Statuses by which an endpoint refuses a request for its content, which is the evaluator's fault. */
const REFUSED: readonly number[] = [400, 413, 422];

/** A ledger that notes what became of the calls. */
function watching(ledger: CallLedger, seen: SeenCalls): CallLedger {
  const requests = new Map<number, Pick<CallRequest, 'protocol' | 'model'>>();
  const noteFailure = (turn: number, status: number | null, trouble: string): void => {
    const request = requests.get(turn);
    seen.trouble = trouble;
    if (request) seen.failed = { ...request, status };
  };
  return {
    begin: async (request, signal) => {
      const begun = await ledger.begin(request, signal);
      if ('refused' in begun) seen.refused ??= begun.refused;
      else requests.set(begun.turn, { protocol: request.protocol, model: request.model });
      return begun;
    },
    end: (turn, answer) => {
      const { status, cut } = answer;
      if (status >= 400 && !REFUSED.includes(status))
        noteFailure(turn, status, `the endpoint of its model answered ${status}`);
      if (cut) seen.hasCut = true;
      // A call that the evaluator left before its answer is charged, too.
      if (status < 400) seen.bought += 1;
      return ledger.end(turn, answer);
    },
    fail: (turn, error) => {
      noteFailure(turn, null, 'the endpoint of its model cannot be reached');
      return ledger.fail(turn, error);
    },
  };
}

/**
 * Failures that an endpoint may have caused; its failed requests count towards the limit of calls, too. An evaluator
 * that blames the candidate has had its answers.
 */
const BY_ENDPOINT: readonly FailureLabel[] = [
  'evaluator-failed',
  'evaluator-timeout',
  'metric-unreadable',
  'no-metric',
  'call-limit',
];
/** Scorings in a row that an endpoint failed after it had been paid for answers. */
const MOST_BOUGHT = 3;
const LONGEST_PAUSE_SECONDS = 600;
/** Attempt of the activity from which on the endpoint's failure is an alert. */
const ALERT_AFTER_ATTEMPTS = 3;

/** Scorings in a row that bought answers in vain, on this worker. */
const inVain = createStreakCounter();
/** Scorings in a row that an endpoint failed, on this worker. */
const failing = createStreakCounter();

/**
 * Failed scorings in a row after which a failure may be the request's own, by its status. An endpoint's moderation
 * answers 403 or 451, and 404 names a model. Errors from 500 on also come from a busy endpoint: eight scorings take ten
 * minutes. Other statuses concern the key, the credit or the rate, and never the request.
 */
const mostRefused = (status: number | null): number => {
  if (status === null) return Infinity;
  if ([403, 404, 451].includes(status)) return 3;
  return status >= 500 ? 8 : Infinity;
};
/** Statuses of moderation. The others may concern one model, so that only answers of this model contradict them. */
const BY_MODERATION: readonly (number | null)[] = [403, 451];

/**
 * The outcome of a scoring with calls of a model. A refused call leaves no score: a score of fewer calls would not
 * compare with others. If the endpoint failed the evaluator, throws a retryable failure: the candidate is not at fault.
 * After {@link MOST_BOUGHT} scorings in a row that bought answers, the failure stands, since each repeats their cost.
 * The failure also stands if the request itself may have caused it ({@link isOfTheRequest}).
 */
export async function judgeCalls(
  { deps, trial, run }: Pick<ScoreContext, 'deps' | 'trial' | 'run'>,
  seen: SeenCalls,
  scored: Scored,
): Promise<Scored> {
  const key = `${run.jobId} ${run.placement}`;
  const outcome = seen.refused === null ? scored : limited(seen.refused, scored);
  const why = troubleOf(seen, outcome);
  if (why === null || outcome.ok) {
    inVain.forget(key);
    failing.forget(key);
    return outcome;
  }
  const { researchId } = trial;
  const { failure } = outcome;
  const standing: Scored = { ...outcome, failure: { ...failure, message: `${failure.message} (${why})` } };
  const { research } = await deps.store.trial.loadTrialAndResearch(trial.id);
  // A person waits for the answer of a check, and for the end of a research.
  if (isTaskCheck(researchId) || research.phase === 'stopping') return standing;
  if (seen.bought > 0 && inVain.add(key, Date.now()) >= MOST_BOUGHT) return standing;
  if (await isOfTheRequest({ deps, trial }, seen.failed, key)) return standing;
  return scoreAgain({ deps, trial }, `an evaluator gave no score, since ${why}; such runs are scored again`);
}

/**
 * True if the content of a request may have caused its failure: it failed again and again, while the endpoint answered
 * calls of other trials. A candidate's text that an endpoint refuses would else be scored again for ever.
 */
async function isOfTheRequest(
  { deps, trial }: Pick<ScoreContext, 'deps' | 'trial'>,
  failed: SeenCalls['failed'],
  key: string,
): Promise<boolean> {
  const now = Date.now();
  const times = failing.add(key, now);
  if (failed === null || times < mostRefused(failed.status)) return false;
  return deps.store.call.hasServedOthers({
    trialId: trial.id,
    protocol: failed.protocol,
    model: BY_MODERATION.includes(failed.status) ? null : failed.model,
    seconds: (now - (failing.firstOf(key) ?? now)) / 1000,
  });
}

/** Throws a retryable failure, by which a run is scored again. From the third attempt on, an alert has the reason. */
export async function scoreAgain(
  { deps, trial: { researchId } }: Pick<ScoreContext, 'deps' | 'trial'>,
  message: string,
): Promise<never> {
  const { attempt } = Context.current().info;
  if (attempt >= ALERT_AFTER_ATTEMPTS) await deps.store.research.insertAlert({ researchId, message, once: true });
  const nextRetryDelay = Math.min(LONGEST_PAUSE_SECONDS, 5 * 2 ** (attempt - 1)) * 1000;
  throw ApplicationFailure.create({ message, type: 'EndpointDown', nextRetryDelay });
}

/** The endpoint's deed that made a scoring fail, in words; null if the scoring did not fail by it. */
function troubleOf({ trouble, hasCut }: SeenCalls, scored: Scored): string | null {
  if (scored.ok || !BY_ENDPOINT.includes(scored.failure.label)) return null;
  if (trouble !== null) return trouble;
  // A scoring that took too long was itself what broke the answer off.
  const isOwn = ['evaluator-timeout', 'call-limit'].includes(scored.failure.label);
  return hasCut && !isOwn ? 'an answer of its model broke off' : null;
}

const limited = (refused: string, scored: Scored): Scored => ({
  ok: false,
  status: 'crashed',
  failure: { label: 'call-limit', message: `the evaluator asked its model again: ${refused}` },
  ...(scored.ok || scored.notes === undefined ? {} : { notes: scored.notes }),
});
