import { z } from 'zod';

/**
 * Importance of an event: `detail` is one of many, `info` belongs in a history, `notice` is news, and `warning` may
 * require action.
 */
type EventLevel = 'detail' | 'info' | 'notice' | 'warning';

/** One kind of event. */
interface Kind<Shape extends z.ZodRawShape> {
  level: EventLevel;
  data: z.ZodObject<Shape>;
  /** Text of the event, from its data and the number of its trial; null: not about a trial. */
  say: (data: z.output<z.ZodObject<Shape>>, n: number | null) => string;
}

const kind = <Shape extends z.ZodRawShape>(level: EventLevel, shape: Shape, say: Kind<Shape>['say']): Kind<Shape> => ({
  level,
  data: z.object(shape),
  say,
});

const text = z.string();
const textOrNull = z.string().nullable();
const number = z.number().nullable();
const by = z.enum(['gate', 'person']);

/** All kinds of events, with level, data and text. */
export const EVENTS = {
  phase: kind('info', { from: text, phase: text, reason: textOrNull }, ({ from, phase, reason }) =>
    because(from === phase ? phase : `${from} → ${phase}`, reason),
  ),
  window: kind('info', { from: number, window: z.number() }, ({ from, window }) =>
    from === null ? `window ${window}` : `window ${from} → ${window}`,
  ),
  'lead-moved': kind(
    'info',
    { candidateId: text, previous: text, value: number, runs: z.number() },
    ({ candidateId, value }, n) => `the lead is now ${nameOf(candidateId, n)}${at(value)}`,
  ),
  'claim-made': kind(
    'notice',
    { candidateId: text, previous: text, value: z.number(), sd: z.number(), runs: z.number(), by, reason: text },
    ({ candidateId, value, reason }, n) => because(`the best is now ${nameOf(candidateId, n)}${at(value)}`, reason),
  ),
  'claim-taken-back': kind(
    'warning',
    // inPlaceTrial: trial of the candidate in place. Events of older versions lack it.
    { candidateId: text, inPlace: textOrNull, inPlaceTrial: number.optional(), value: number, by, reason: text },
    ({ candidateId, inPlace, inPlaceTrial = null, value, reason }, n) => {
      const now =
        inPlace === null
          ? 'no candidate replaces it'
          : `the best is again ${nameOf(inPlace, inPlaceTrial)}${at(value)}`;
      return because(`${nameOf(candidateId, n)} is no longer the best, ${now}`, reason);
    },
  ),
  'budget-share': kind(
    'notice',
    { limit: text, share: z.number(), spent: z.number(), of: z.number() },
    ({ limit, share, spent, of }) => `${share} % of budget.${limit} is spent: ${rounded(spent)} of ${rounded(of)}`,
  ),
  'endpoint-down': kind('warning', { why: text }, ({ why }) => because('the model endpoint is down', why)),
  'endpoint-back': kind('notice', { why: text }, ({ why }) => because('the model endpoint is tried again', why)),
  'host-out': kind('warning', { host: text, why: text }, ({ host, why }) =>
    because(`host ${host} is in quarantine`, why),
  ),
  'host-back': kind('notice', { host: text, why: text }, ({ host, why }) => because(`host ${host} is back`, why)),
  'attention-appeared': kind(
    'warning',
    { key: text, title: text, why: textOrNull, commands: z.array(text), since: text },
    ({ title, why }) => because(`needs you: ${title}`, why),
  ),
  'attention-ended': kind('notice', { key: text, title: text }, ({ title }) => `no longer needs you: ${title}`),
  'task-changed': kind(
    'notice',
    { from: text, to: text, task: text, keptIncumbent: z.boolean(), why: textOrNull },
    ({ task, to, keptIncumbent, why }) =>
      because(`the task is now ${task} ${short(to)}, the best ${keptIncumbent ? 'stays' : 'no longer counts'}`, why),
  ),
  continued: kind('detail', { from: text, to: text }, ({ to }) => `the research continues in workflow run ${to}`),
  'update-due': kind(
    'detail',
    { k: z.number(), samples: z.number() },
    ({ k, samples }) => `update ${k} of the policy is due: ${samples} samples have ended`,
  ),
  'update-ended': kind(
    'info',
    { k: z.number(), state: text, checkpoint: textOrNull, reward: number, reason: textOrNull },
    ({ k, state, checkpoint, reward, reason }) => {
      if (checkpoint === null) return because(`update ${k} of the policy made no version (${state})`, reason);
      const source = reward === null ? '' : `, from a mean reward of ${rounded(reward)}`;
      return because(`update ${k} made version ${k} of the policy, ${short(checkpoint)}${source}`, reason);
    },
  ),
  'gate-fired': kind('warning', { k: z.number(), then: text, words: text }, ({ k, then, words: why }) =>
    because(`a limit of the policy was crossed at update ${k} (${then})`, why),
  ),
  'policy-set': kind(
    'notice',
    { from: z.number(), version: z.number(), how: text, by },
    ({ from, version, how }) => `version of the policy in force: ${from} → ${version} (${how})`,
  ),
  'trial-admitted': kind(
    'detail',
    { kind: text, candidateId: textOrNull, ofTrial: number },
    ({ kind: trialKind, ofTrial }, n) =>
      `${trial(n)} is admitted: ${trialKind}${ofTrial === null ? '' : ` of #${ofTrial}`}`,
  ),
  'trial-started': kind('detail', { host: text, slot: text }, ({ slot }, n) => `${trial(n)} started on ${slot}`),
  'trial-ended': kind(
    'detail',
    { kind: text, status: text, failure: textOrNull, value: number, seconds: number },
    ({ status, failure, value }, n) =>
      `${trial(n)} ended: ${status}${failure === null ? '' : ` (${failure})`}${at(value)}`,
  ),
  'trial-ruled': kind('detail', { verdict: text, reason: text, by }, ({ verdict, reason }, n) =>
    because(`${trial(n)}: ${verdict}`, reason),
  ),
} as const;

export type EventKind = keyof typeof EVENTS;

/** An event to store. `researchId` is null for an event of a host; `n` is the number of the trial that it is about. */
export type NewEvent = {
  [K in EventKind]: {
    kind: K;
    researchId: string | null;
    n?: number | null;
    data: z.input<(typeof EVENTS)[K]['data']>;
  };
}[EventKind];

const because = (what: string, why: string | null): string => (why === null || why === '' ? what : `${what}: ${why}`);
const trial = (n: number | null): string => (n === null ? 'a trial' : `#${n}`);
const short = (hash: string): string => hash.slice(0, 12);
const nameOf = (candidateId: string, n: number | null): string => (n === null ? short(candidateId) : `#${n}`);
const rounded = (value: number): string => String(Number(value.toPrecision(6)));
const at = (value: number | null): string => (value === null ? '' : ` at ${rounded(value)}`);
