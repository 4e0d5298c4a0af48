import { oneLine } from '../../domain/text/sanitize.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { contentionReason, contentionTitle } from '../contention.ts';
import { raiseCommand, spentLimits } from '../rows/raise-budget.ts';
import { describeUntaken, seemsUntaken } from '../wait.ts';
import type { Attention, Finding } from './entry.ts';
import type { AttentionFacts } from './facts.ts';
import { beginOf, kindOfReason, waitForPerson, type WaitRule } from './waits.ts';

/** A rule for conditions that a person's act changes. */
export interface Deed<Facts> {
  /** First part of the key. */
  name: string;
  level: Attention['level'];
  /** Seconds for which the product tries to end the condition by itself, before it asks for a person. */
  patienceSeconds: number;
  find: (facts: Facts) => Finding | null;
}

/** Seconds of an outage that people need not hear of. */
export const OUTAGE_SECONDS = 600;

type Found = Omit<Finding, 'researches' | 'at' | 'cause'> & { at?: string | null; cause?: string };

const finding = ({ id }: Pick<AttentionFacts, 'id'>, { at = null, cause = id, ...rest }: Found): Finding => ({
  researches: [id],
  at,
  cause,
  ...rest,
});

function failed(facts: AttentionFacts): Finding | null {
  if (facts.phase !== 'failed') return null;
  return finding(facts, {
    fingerprint: kindOfReason(facts.reason),
    title: 'The research has failed',
    why: facts.reason,
    at: facts.since.phase,
    commands: [
      `npx perpetua status ${shellWord(facts.id)}`,
      `npx perpetua start ${shellWord(facts.task)} --id ${shellWord(facts.id)}`,
    ],
  });
}

/** Kinds of refusals by an endpoint, by status: each asks for another act. */
const REFUSALS: Readonly<Record<string, string>> = { 401: 'key', 402: 'credit', 403: 'key', 404: 'name', 407: 'proxy' };

function endpoint(facts: AttentionFacts): Finding | null {
  const { endpointDown } = facts;
  if (endpointDown === null) return null;
  // The reason names the address of a model endpoint, and otherwise begins with the name of the server.
  const address = /https?:\/\/(?:[^\s/@]*@)?([^\s/]+)/.exec(endpointDown)?.[1]?.replace(/[:,.;]+$/, '');
  const status = /\banswered (\d{3})\b/.exec(endpointDown)?.[1] ?? '';
  return finding(facts, {
    cause: address ?? beginOf(endpointDown.split(':', 1)[0] ?? 'model'),
    fingerprint: REFUSALS[status] ?? 'no-answer',
    title: 'The proposer gets no answer',
    why: oneLine(endpointDown),
    at: facts.since.endpointDown,
    commands: ['npx perpetua doctor'],
  });
}

/** Scores that do not come, since the evaluator's model does not answer. */
function evaluatorModel(facts: AttentionFacts): Finding | null {
  const { evaluatorDown } = facts;
  if (evaluatorDown === null) return null;
  const { trialId, model, why, at } = evaluatorDown;
  return finding(facts, {
    cause: model,
    fingerprint: 'no-answer',
    title: `The evaluator gets no answer from ${oneLine(model)}`,
    why: `runs wait for their scores${why === null ? '' : `: ${oneLine(why)}`}`,
    at,
    commands: [`npx perpetua calls ${shellWord(trialId)} --evaluator`, 'npx perpetua doctor'],
  });
}

/** The limits that are reached, and the command to raise them, if the research waits for that. */
function spent(facts: AttentionFacts): Finding | null {
  const raise = raiseCommand(facts);
  if (raise === null || facts.budget.whenSpent !== 'wait') return null;
  const limits = spentLimits(facts.budget).join(', ');
  return finding(facts, {
    fingerprint: limits,
    title: `The budget is spent: ${limits}`,
    why: 'it waits until you raise the limit',
    at: facts.since.spent,
    commands: [raise],
  });
}

const waits =
  (rule: WaitRule, title: string) =>
  (facts: AttentionFacts): Finding | null => {
    const wait = waitForPerson(facts);
    if (wait?.rule !== rule) return null;
    const { cause, fingerprint, why, commands } = wait;
    const at = facts.wait === null ? facts.since.phase : null;
    return finding(facts, { cause, fingerprint, title, why, at, commands });
  };

/** Trials wait although a slot is free, so that no worker seems to place them. */
function untaken(facts: AttentionFacts, now: Date): Finding | null {
  const { queue } = facts;
  if (queue === null || !seemsUntaken(queue)) return null;
  return finding(facts, {
    cause: queue.pool,
    fingerprint: 'no-worker',
    ...describeUntaken(queue),
    at: new Date(now.getTime() - queue.seconds * 1000).toISOString(),
  });
}

/** Runs that other processes kept from a CPU: their machine is at fault. */
function contended(facts: AttentionFacts): Finding | null {
  const { contention } = facts;
  if (contention === null) return null;
  return finding(facts, {
    cause: contention.newest.host,
    fingerprint: 'cpu',
    title: contentionTitle(contention),
    why: contentionReason(contention),
    commands: [`npx perpetua show ${shellWord(contention.newest.trialId)}`],
  });
}

/** Consecutive failures, unless the research waits for their cause. */
function losing(facts: AttentionFacts): Finding | null {
  if (facts.losingStreak === null || waitForPerson(facts) !== null) return null;
  const { trials, orMore, newest } = facts.losingStreak;
  return finding(facts, {
    fingerprint: facts.since.losing?.fault ?? 'unknown',
    title: `The last ${trials} trials${orMore ? ' (or more)' : ''} failed`,
    why: oneLine(newest.reason ?? newest.status.replace('_', ' ')),
    at: facts.since.losing?.at ?? null,
    commands: [`npx perpetua show ${shellWord(newest.trialId)}`],
  });
}

/** Failed runs of the unmodified workspace, unless `losing` reports them, or the research waits for their cause. */
function baseline(facts: AttentionFacts): Finding | null {
  if (facts.failedBaseline === null || facts.losingStreak !== null || waitForPerson(facts) !== null) return null;
  const { trials, newest } = facts.failedBaseline;
  const why = oneLine(newest.reason ?? newest.status.replace('_', ' '));
  return finding(facts, {
    fingerprint: facts.since.failedBaseline?.fault ?? 'unknown',
    title: trials === 1 ? 'A baseline run failed' : `${trials} baseline runs failed`,
    why: `${why}. Proposals start from the same unmodified workspace and may fail for the same reason`,
    at: facts.since.failedBaseline?.at ?? null,
    commands: [`npx perpetua show ${shellWord(newest.trialId)}`],
  });
}

function halted(facts: AttentionFacts): Finding | null {
  const { learning, gatesFired } = facts;
  if (!learning?.halted) return null;
  return finding(facts, {
    fingerprint: kindOfReason(learning.halted),
    title: 'Learning is halted',
    why: oneLine(learning.halted),
    at: gatesFired.find(({ words }) => words === learning.halted)?.at ?? null,
    commands: [`npx perpetua policy rollback ${shellWord(facts.id)} ${learning.version}`],
  });
}

/** Rules for a research that has ended. */
export const DEEDS_AFTER_END: readonly Deed<AttentionFacts>[] = [
  { name: 'failed', level: 'warning', patienceSeconds: 0, find: failed },
];

/** Rules for a research that has not ended. */
export const deedsOf = (now: Date): readonly Deed<AttentionFacts>[] => [
  { name: 'endpoint', level: 'warning', patienceSeconds: OUTAGE_SECONDS, find: endpoint },
  { name: 'evaluator-model', level: 'warning', patienceSeconds: OUTAGE_SECONDS, find: evaluatorModel },
  { name: 'budget', level: 'warning', patienceSeconds: 0, find: spent },
  { name: 'disk', level: 'warning', patienceSeconds: 0, find: waits('disk', 'A disk is full') },
  { name: 'database', level: 'warning', patienceSeconds: 0, find: waits('database', 'The database refuses rows') },
  { name: 'setup', level: 'warning', patienceSeconds: 0, find: waits('setup', 'The setup of the task fails') },
  { name: 'no-worker', level: 'warning', patienceSeconds: 0, find: (facts) => untaken(facts, now) },
  { name: 'contention', level: 'notice', patienceSeconds: 0, find: contended },
  { name: 'losing', level: 'warning', patienceSeconds: 0, find: losing },
  { name: 'baseline', level: 'warning', patienceSeconds: 0, find: baseline },
  { name: 'learning-halted', level: 'warning', patienceSeconds: 0, find: halted },
];
