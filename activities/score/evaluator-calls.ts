import { ApplicationFailure, Context } from '@temporalio/activity';
import { createStreakCounter } from '../../domain/fleet/streak-counter.ts';
import { clientVariables } from '../../domain/gateway/client-variables.ts';
import { isTaskCheck } from '../../domain/research/check-id.ts';
import type { EvaluatorLlm } from '../../domain/schema/evaluator.ts';
import type { FailureLabel } from '../../domain/trial.ts';
import type { EvaluatorGateway } from '../../infra/evaluate.ts';
import type { CallLedger } from '../../infra/gateway.ts';
import { createCallLedger } from '../gateway/call-ledger.ts';
import type { ScoreContext, Scored } from './score-context.ts';

/** Facts about the calls of one scoring. */
export interface SeenCalls {
  /** Sentence that refused the first call that was not sent; null: none was refused. */
  refused: string | null;
  /** The endpoint's last failure, without the text of an answer; null: it had none. */
  trouble: string | null;
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
  const seen: SeenCalls = { refused: null, trouble: null, hasCut: false, bought: 0 };
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
  return {
    begin: async (request) => {
      const begun = await ledger.begin(request);
      if ('refused' in begun) seen.refused ??= begun.refused;
      return begun;
    },
    end: (turn, answer) => {
      const { status, cut } = answer;
      if (status >= 400 && !REFUSED.includes(status)) seen.trouble = `the endpoint of its model answered ${status}`;
      if (cut) seen.hasCut = true;
      // A call that the evaluator left before its answer is charged, too.
      if (status < 400) seen.bought += 1;
      return ledger.end(turn, answer);
    },
    fail: (turn, error) => {
      seen.trouble = 'the endpoint of its model cannot be reached';
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

/**
 * The outcome of a scoring with calls of a model. A refused call leaves no score: a score of fewer calls would not
 * compare with others. If the endpoint failed the evaluator, throws a retryable failure: the candidate is not at fault.
 * After {@link MOST_BOUGHT} scorings in a row that bought answers, the failure stands, since each repeats their cost.
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
    return outcome;
  }
  const { researchId } = trial;
  const { failure } = outcome;
  const standing: Scored = { ...outcome, failure: { ...failure, message: `${failure.message} (${why})` } };
  const { research } = await deps.store.trial.loadTrialAndResearch(trial.id);
  // A person waits for the answer of a check, and for the end of a research.
  if (isTaskCheck(researchId) || research.phase === 'stopping') return standing;
  if (seen.bought > 0 && inVain.add(key, Date.now()) >= MOST_BOUGHT) return standing;
  return scoreAgain({ deps, trial }, `an evaluator gave no score, since ${why}; such runs are scored again`);
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

/** What the endpoint did to make a scoring fail; null if it did nothing, or if the scoring did not fail by it. */
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
