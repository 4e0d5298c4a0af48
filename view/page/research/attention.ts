import type { Gate } from '../../../domain/learning/gates/gate.ts';
import { shellWord } from '../../../domain/text/shell-word.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import { contentionReason, contentionTitle } from '../../contention.ts';
import { freshAlerts } from '../../notices.ts';
import { hasEnded } from '../../phase.ts';
import { describeVersion } from '../../policy/learning.ts';
import { raiseCommand, spentLimits } from '../../rows/raise-budget.ts';
import type { StatusView } from '../../status.ts';
import { describeUntaken, describeWait, seemsUntaken } from '../../wait.ts';

/** A condition that may need a person, with commands to copy. `at` is its beginning, in ISO 8601. */
export interface Attention {
  /** Ids of the affected researches; empty if the condition concerns a host. */
  researches: string[];
  level: 'detail' | 'info' | 'notice' | 'warning';
  title: string;
  why: string | null;
  at: string | null;
  commands: string[];
}

/** Facts of a research that may need a person. */
export interface AttentionFacts extends Pick<
  StatusView,
  | 'phase'
  | 'reason'
  | 'endpointDown'
  | 'budget'
  | 'losingStreak'
  | 'failedBaseline'
  | 'contention'
  | 'alerts'
  | 'queue'
  | 'wait'
> {
  id: string;
  task: string;
  learning: Pick<NonNullable<StatusView['learning']>, 'version' | 'pinned' | 'halted'> | null;
  /** Trial of the best, if the candidate could have written its score itself; else null. */
  untrustedBest: string | null;
  /** Gates that fired in the last day, newest first. */
  gatesFired: { k: number; at: string; words: string; then: Gate['then'] }[];
  /** Time of the last change of its row. */
  updatedAt: string;
}

/** Conditions of a research that may need a person, the most severe first, without duplicates. */
export function attentionOf(facts: AttentionFacts, now: Date): Attention[] {
  if (hasEnded(facts.phase)) return loudestFirst(failed(facts));
  return loudestFirst([...OPEN_RESEARCH_RULES.flatMap((rule) => rule(facts)), ...alerted(facts, now)]);
}

const LEVELS: readonly Attention['level'][] = ['warning', 'notice', 'info', 'detail'];

/** Sorts by severity, then the newest first. Keeps one of several items with equal researches, title and reason. */
export function loudestFirst(items: readonly Attention[]): Attention[] {
  const seen = new Set<string>();
  return items
    .filter(({ researches, title, why }) => {
      const key = JSON.stringify([researches, title, why]);
      return !seen.has(key) && seen.add(key);
    })
    .map((item, index) => ({ item, index }))
    .sort(
      (a, b) =>
        LEVELS.indexOf(a.item.level) - LEVELS.indexOf(b.item.level) ||
        (b.item.at ?? '').localeCompare(a.item.at ?? '', 'en') ||
        a.index - b.index,
    )
    .map(({ item }) => item);
}

type Rule = (facts: AttentionFacts) => Attention[];

const item = (
  { id }: Pick<AttentionFacts, 'id'>,
  { at = null, ...rest }: Omit<Attention, 'researches' | 'at'> & { at?: string | null },
): Attention => ({ researches: [id], at, ...rest });

const failed: Rule = (facts) => {
  if (facts.phase !== 'failed') return [];
  return [
    item(facts, {
      level: 'warning',
      title: 'The research has failed',
      why: facts.reason,
      at: facts.updatedAt,
      commands: [
        `npx perpetua status ${shellWord(facts.id)}`,
        `npx perpetua start ${shellWord(facts.task)} --id ${shellWord(facts.id)}`,
      ],
    }),
  ];
};

const endpoint: Rule = (facts) => {
  if (facts.endpointDown === null) return [];
  return [
    item(facts, {
      level: 'warning',
      title: 'The proposer gets no answer',
      why: oneLine(facts.endpointDown),
      at: facts.updatedAt,
      commands: ['npx perpetua doctor'],
    }),
  ];
};

/** The limits that are reached, and the command to raise them. */
const spent: Rule = (facts) => {
  const raise = raiseCommand(facts);
  if (raise === null) return [];
  const waits = facts.budget.whenSpent === 'wait';
  return [
    item(facts, {
      level: waits ? 'warning' : 'notice',
      title: `The budget is spent: ${spentLimits(facts.budget).join(', ')}`,
      why: waits ? 'it waits until you raise the limit' : 'it ends when the trials under way have ended',
      commands: [raise],
    }),
  ];
};

/** Commands that a reason names in brackets, as in `make room (npx perpetua clean)`; null if it names none. */
function commandsIn(reason: string | null): string[] | null {
  const named = [...(reason ?? '').matchAll(/\((npx perpetua [^()]+)\)/g)].map(([, command = '']) => command);
  return named.length === 0 ? null : [...new Set(named)];
}

/** A wait for anything except the endpoint or the budget, which `endpoint` and `spent` report. */
const waiting: Rule = (facts) => {
  const { phase, reason, endpointDown, wait } = facts;
  const isReported = endpointDown !== null || spent(facts).length > 0;
  if (phase !== 'waiting' || (isReported && wait === null)) return [];
  const why = wait === null ? reason : describeWait(wait);
  return [
    item(facts, {
      level: 'warning',
      title: 'The research waits',
      why: why === null ? null : oneLine(why),
      at: facts.updatedAt,
      commands: commandsIn(why) ?? [`npx perpetua status ${shellWord(facts.id)}`],
    }),
  ];
};

/** Trials wait although a slot is free, so that no worker seems to place them. */
const untaken: Rule = (facts) => {
  const { queue } = facts;
  if (queue === null || !seemsUntaken(queue)) return [];
  return [item(facts, { level: 'warning', ...describeUntaken(queue) })];
};

/** Runs that other processes kept from a CPU: their machine is at fault. */
const contended: Rule = (facts) => {
  if (facts.contention === null) return [];
  return [
    item(facts, {
      level: 'warning',
      title: contentionTitle(facts.contention),
      why: contentionReason(facts.contention),
      commands: [`npx perpetua show ${shellWord(facts.contention.newest.trialId)}`],
    }),
  ];
};

const losing: Rule = (facts) => {
  if (facts.losingStreak === null) return [];
  const { trials, orMore, newest } = facts.losingStreak;
  return [
    item(facts, {
      level: 'warning',
      title: `The last ${trials} trials${orMore ? ' (or more)' : ''} failed`,
      why: oneLine(newest.reason ?? newest.status.replace('_', ' ')),
      commands: [`npx perpetua show ${shellWord(newest.trialId)}`],
    }),
  ];
};

/** Failed runs of the unmodified workspace, unless `losing` reports them. */
const baseline: Rule = (facts) => {
  if (facts.failedBaseline === null || facts.losingStreak !== null) return [];
  const { trials, newest } = facts.failedBaseline;
  const why = oneLine(newest.reason ?? newest.status.replace('_', ' '));
  return [
    item(facts, {
      level: 'warning',
      title: trials === 1 ? 'A baseline run failed' : `${trials} baseline runs failed`,
      why: `${why}. Proposals start from the same unmodified workspace and may fail for the same reason`,
      commands: [`npx perpetua show ${shellWord(newest.trialId)}`],
    }),
  ];
};

const halted: Rule = (facts) => {
  const { learning } = facts;
  if (!learning?.halted) return [];
  return [
    item(facts, {
      level: 'warning',
      title: 'Learning is halted',
      why: oneLine(learning.halted),
      commands: [`npx perpetua policy rollback ${shellWord(facts.id)} ${learning.version}`],
    }),
  ];
};

/** Fired gates. A gate that adjusted a setting has already acted; any other may need a person. */
const gates: Rule = (facts) =>
  facts.gatesFired
    .filter(({ words }) => words !== facts.learning?.halted)
    .slice(0, 3)
    .map(({ k, at, words, then }) =>
      item(facts, {
        level: then === 'adjust' ? 'info' : 'notice',
        title: `A limit of the policy was crossed at update ${k}`,
        why: then === 'tell' ? `${oneLine(words)}; no setting was changed` : oneLine(words),
        at,
        commands: [`npx perpetua policy show ${shellWord(facts.id)} ${k}`],
      }),
    );

const untrusted: Rule = (facts) => {
  if (facts.untrustedBest === null) return [];
  return [
    item(facts, {
      level: 'warning',
      title: 'The best score is untrusted',
      why: 'its run had no sandbox or no evaluator, so the candidate could have forged the score',
      commands: [`npx perpetua diff ${shellWord(facts.untrustedBest)}`],
    }),
  ];
};

const pinned: Rule = (facts) => {
  if (!facts.learning?.pinned) return [];
  return [
    item(facts, {
      level: 'info',
      title: 'The policy is pinned',
      why: `a person pinned it to ${describeVersion(facts.learning.version)}, so it learns nothing`,
      commands: [`npx perpetua policy pin ${shellWord(facts.id)} --off`],
    }),
  ];
};

const paused: Rule = (facts) => {
  if (facts.phase !== 'paused') return [];
  return [
    item(facts, {
      level: 'info',
      title: 'The research is paused',
      why: facts.reason,
      at: facts.updatedAt,
      commands: [`npx perpetua resume ${shellWord(facts.id)}`],
    }),
  ];
};

const alerted = (facts: AttentionFacts, now: Date): Attention[] =>
  freshAlerts(facts.alerts, now).map(({ at, message }) =>
    item(facts, {
      level: 'notice',
      title: 'Alert',
      why: oneLine(message),
      at,
      commands: [`npx perpetua status ${shellWord(facts.id)}`],
    }),
  );

const OPEN_RESEARCH_RULES: readonly Rule[] = [
  endpoint,
  spent,
  waiting,
  untaken,
  contended,
  losing,
  baseline,
  halted,
  untrusted,
  gates,
  pinned,
  paused,
];
