import type { Gate } from '../../../domain/learning/gates/gate.ts';
import { shellWord } from '../../../domain/text/shell-word.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import { formatSeconds } from '../../../domain/text/format.ts';
import { plural } from '../../../domain/text/plural.ts';
import { freshAlerts } from '../../notices.ts';
import { hasEnded } from '../../phase.ts';
import { describeVersion } from '../../policy/learning.ts';
import { raiseCommand, spentLimits } from '../../rows/raise-budget.ts';
import type { StatusView } from '../../status.ts';
import { describeWait } from '../../wait.ts';

/** Something that may need a person, with the commands that a person may copy; `at` is since when. */
export interface Attention {
  /** None: of a host. */
  researches: string[];
  level: 'detail' | 'info' | 'notice' | 'warning';
  title: string;
  why: string | null;
  at: string | null;
  commands: string[];
}

/** What is known of a research of what a person may have to act on. */
export interface AttentionFacts extends Pick<
  StatusView,
  'phase' | 'reason' | 'endpointDown' | 'budget' | 'losingStreak' | 'failedBaseline' | 'alerts' | 'queue' | 'wait'
> {
  id: string;
  task: string;
  learning: Pick<NonNullable<StatusView['learning']>, 'version' | 'pinned' | 'halted'> | null;
  /** The trial of the best, if that could have written its score itself. */
  untrustedBest: string | null;
  /** Gates that fired in the last day, the newest first. */
  gatesFired: { k: number; at: string; words: string; then: Gate['then'] }[];
  /** The last change of its row. */
  updatedAt: string;
}

/** Seconds that trials wait beside a free slot before nobody seems to place them. */
const UNTAKEN_SECONDS = 60;

/** What a research needs of a person, the loudest first, nothing twice. */
export function attentionOf(facts: AttentionFacts, now: Date): Attention[] {
  const ended = hasEnded(facts.phase) ? [failed] : [...WHILE_IT_GOES_ON, (one: AttentionFacts) => alerted(one, now)];
  return loudestFirst(ended.flatMap((rule) => rule(facts)));
}

const LEVELS: readonly Attention['level'][] = ['warning', 'notice', 'info', 'detail'];

/** The loudest first, of equally loud ones the newest; what says the same of the same research is there once. */
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

const failed: Rule = (facts) =>
  facts.phase !== 'failed'
    ? []
    : [
        item(facts, {
          ...{ level: 'warning', title: 'It has failed', why: facts.reason, at: facts.updatedAt },
          commands: [
            `npx perpetua status ${shellWord(facts.id)}`,
            `npx perpetua start ${shellWord(facts.task)} --id ${shellWord(facts.id)}`,
          ],
        }),
      ];

const endpoint: Rule = (facts) =>
  facts.endpointDown === null
    ? []
    : [
        item(facts, {
          ...{ level: 'warning', title: 'The model endpoint gives no proposals', why: oneLine(facts.endpointDown) },
          ...{ at: facts.updatedAt, commands: ['npx perpetua doctor'] },
        }),
      ];

/** The limits that are reached, and how to raise them. */
const spent: Rule = (facts) => {
  const raise = raiseCommand(facts);
  if (raise === null) return [];
  const waits = facts.budget.whenSpent === 'wait';
  return [
    item(facts, {
      level: waits ? 'warning' : 'notice',
      title: `The budget is spent: ${spentLimits(facts.budget).join(', ')}`,
      why: waits ? 'it waits until the limit is raised' : 'it ends when what runs has finished',
      commands: [raise],
    }),
  ];
};

/** Commands that a reason names in brackets, as `make room (npx perpetua clean)`; null where it names none. */
function commandsIn(why: string | null): string[] | null {
  const named = [...(why ?? '').matchAll(/\((npx perpetua [^()]+)\)/g)].map(([, command = '']) => command);
  return named.length === 0 ? null : [...new Set(named)];
}

/** A wait of another kind, which the two above do not tell. */
const waiting: Rule = (facts) => {
  const { phase, reason, endpointDown, wait } = facts;
  const told = endpointDown !== null || spent(facts).length > 0;
  if (phase !== 'waiting' || (told && wait === null)) return [];
  const why = wait === null ? reason : describeWait(wait);
  return [
    item(facts, {
      ...{ level: 'warning', title: 'It waits', why: why === null ? null : oneLine(why), at: facts.updatedAt },
      commands: commandsIn(why) ?? [`npx perpetua status ${shellWord(facts.id)}`],
    }),
  ];
};

/** Trials wait although a slot is free: nobody places them. */
const untaken: Rule = (facts) => {
  const { queue } = facts;
  if (queue === null || queue.taken >= queue.slots || queue.seconds < UNTAKEN_SECONDS) return [];
  return [
    item(facts, {
      level: 'warning',
      title: 'No worker seems to run',
      why: `${plural(queue.trials, 'trial')} ${queue.trials === 1 ? 'waits' : 'wait'} for ${formatSeconds(queue.seconds)} though a slot of ${queue.pool} is free`,
      commands: ['npx perpetua worker', 'npx perpetua doctor'],
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

/** That runs of the unmodified workspace failed, unless the streak of failures tells it. */
const baseline: Rule = (facts) => {
  if (facts.failedBaseline === null || facts.losingStreak !== null) return [];
  const { trials, newest } = facts.failedBaseline;
  const why = oneLine(newest.reason ?? newest.status.replace('_', ' '));
  return [
    item(facts, {
      level: 'warning',
      title: trials === 1 ? 'A baseline run failed' : `${trials} baseline runs failed`,
      why: `${why}. It is the task's unmodified workspace, so its proposals may fail of it, too`,
      commands: [`npx perpetua show ${shellWord(newest.trialId)}`],
    }),
  ];
};

const halted: Rule = (facts) => {
  const { learning } = facts;
  if (!learning?.halted) return [];
  return [
    item(facts, {
      ...{ level: 'warning', title: 'The learning is halted', why: oneLine(learning.halted) },
      commands: [`npx perpetua policy rollback ${shellWord(facts.id)} ${learning.version}`],
    }),
  ];
};

/** A gate that only told may need a person; one that adjusted a setting has seen to it itself. */
const gates: Rule = (facts) =>
  facts.gatesFired
    .filter(({ words }) => words !== facts.learning?.halted)
    .slice(0, 3)
    .map(({ k, at, words, then }) =>
      item(facts, {
        ...(then === 'adjust'
          ? ({ level: 'info', title: `A gate adjusted update ${k}` } as const)
          : ({ level: 'notice', title: `A gate fired at update ${k}` } as const)),
        ...{ why: oneLine(words), at },
        commands: [`npx perpetua policy show ${shellWord(facts.id)} ${k}`],
      }),
    );

const untrusted: Rule = (facts) =>
  facts.untrustedBest === null
    ? []
    : [
        item(facts, {
          level: 'warning',
          title: 'The best could have written its score itself',
          why: 'nobody can tell whether its value is true',
          commands: [`npx perpetua diff ${shellWord(facts.untrustedBest)}`],
        }),
      ];

const pinned: Rule = (facts) =>
  !facts.learning?.pinned
    ? []
    : [
        item(facts, {
          level: 'info',
          title: 'Nothing is learnt',
          why: `a person pinned the policy to ${describeVersion(facts.learning.version)}`,
          commands: [`npx perpetua policy pin ${shellWord(facts.id)} --off`],
        }),
      ];

const paused: Rule = (facts) =>
  facts.phase !== 'paused'
    ? []
    : [
        item(facts, {
          ...{ level: 'info', title: 'It is paused', why: facts.reason, at: facts.updatedAt },
          commands: [`npx perpetua resume ${shellWord(facts.id)}`],
        }),
      ];

const alerted = (facts: AttentionFacts, now: Date): Attention[] =>
  freshAlerts(facts.alerts, now).map(({ at, message }) =>
    item(facts, {
      ...{ level: 'notice', title: 'An alert', why: oneLine(message), at },
      commands: [`npx perpetua status ${shellWord(facts.id)}`],
    }),
  );

const WHILE_IT_GOES_ON: readonly Rule[] = [
  ...[endpoint, spent, waiting, untaken, losing, baseline, halted, untrusted, gates, pinned, paused],
];
