// One call: a caller with a goal and little patience, and the agent. A call is a success only by what it leaves behind.
import { DAYS, FIELDS, NAMES, NUMBERS, valuesOf } from './agent.mjs';
import { phrase, RIGHT, valueText } from './phrases.mjs';

/** Seconds that the agent speaks for an act, without questions and values that it reads back. */
const SPOKEN = { answer: 4, apologise: 3, refuse: 3, repeat: 2, end: 1, transfer: 1 };
const USUAL = 2;
const GREETING = { long: 9, short: 3, none: 0 };
/** Seconds that the agent thinks for each word of its prompt. */
const THINKING = 0.006;
/** Seconds that a wrong act costs beside its own, as it annoys. */
const ANNOYANCE = 8;
/** Share of values that the agent mishears. */
const MISHEARD = 0.06;
const ORDERS = {
  'name-first': ['name', 'day', 'time', 'people'],
  'name-last': ['day', 'time', 'people', 'name'],
  'people-first': ['people', 'day', 'time', 'name'],
};

/** The caller hung up, or the agent ended the call. */
class Over extends Error {}

const POOLS = { name: NAMES, day: DAYS, time: NUMBERS.slice(4, 10), people: NUMBERS.slice(1, 8) };

/** Values of all fields. */
export const drawGoal = (random) => Object.fromEntries(FIELDS.map((field) => [field, random.pick(POOLS[field])]));

/** Starts a call. `said` collects the turns. */
export function createCall(random, agent, { isHeldOut, patience }) {
  const left = { bookings: [], cancelled: [], remedies: [], complaints: 0, apologies: 0, ended: null, wrong: null };
  const known = {};
  const said = [];
  let seconds = GREETING[agent.settings.greeting];

  function spend(spoken) {
    seconds += spoken;
    if (seconds > patience) throw new Over();
  }

  /** The agent takes the values of a text over, some of them wrong. `picky`: it leaves denied values out. */
  function note(text, picky) {
    for (const { field, value, denied } of valuesOf(text)) {
      if (picky && denied) continue;
      known[field] = random.chance(MISHEARD) ? random.pick(POOLS[field]) : value;
    }
  }

  /** Says it until the agent does the right thing. After a wrong act, which counts, the caller uses other words. */
  function say(intent, values) {
    for (;;) {
      const text = phrase(random, intent, isHeldOut, typeof values === 'function' ? values() : values);
      // Only the clerk of make-calls.mjs reads the intent.
      const act = agent.decide(text, intent);
      said.push({ intent, text, act });
      spend(THINKING * agent.words + (SPOKEN[act] ?? USUAL));
      if (act === 'transfer' || act === 'end') left.ended = act;
      if (act === 'collect' || act === 'cancel') note(text, false);
      if (act === 'correct') note(text, true);
      if (act === RIGHT[intent]) return text;
      left.wrong ??= said.at(-1);
      leave(act);
      if (left.ended !== null) throw new Over();
      // Values of a correction are also noted by `collect`, the right ones by luck.
      if (intent === 'correction' && act === 'collect') return text;
      spend(act === 'repeat' ? 1 : ANNOYANCE);
    }
  }

  /** Records the effects of an act. */
  function leave(act) {
    if (act === 'refund' || act === 'callback') left.remedies.push(act);
    if (act === 'log') left.complaints++;
    if (act === 'apologise') left.apologies++;
    if (act === 'confirm' && FIELDS.every((field) => known[field])) left.bookings.push({ ...known });
    if (act === 'cancel') left.cancelled.push(known);
  }
  const serve = (intent, values) => {
    const text = say(intent, values);
    leave(RIGHT[intent]);
    return text;
  };
  return { left, known, said, random, agent, serve, say, spend, order: ORDERS[agent.settings.order] };
}

/** Runs a script to its end. Returns what the call left behind. */
export function play(call, script) {
  try {
    script(call);
  } catch (error) {
    if (!(error instanceof Over)) throw error;
  }
  return call.left;
}

/** Words for the values of fields, in a random order. */
export const valueTexts = (random, goal, fields) =>
  random
    .shuffle(fields)
    .map((field) => valueText(random, field, goal[field]))
    .join(', ');

/** A value of the field other than this one. */
export const otherValue = (random, field, value) => random.pick(POOLS[field].filter((other) => other !== value));
