// The three kinds of calls, as scripts of what callers say. Each draws a goal and returns the test of its success.
import { FIELDS } from './agent.mjs';
import { drawGoal, otherValue, valueTexts } from './call.mjs';
import { valueText } from './phrases.mjs';

const READING = 0.7; // seconds to read a value back
const ASKING = 1; // seconds to ask for a value

/** Says which value is wrong, for each value that the agent has wrong. */
function correct(call, goal, fields) {
  for (const field of fields) {
    for (let tries = 0; call.known[field] !== undefined && call.known[field] !== goal[field] && tries < 3; tries++) {
      const wrong = call.known[field];
      call.serve('correction', () => ({
        right: valueText(call.random, field, goal[field]),
        wrong: valueText(call.random, field, wrong),
      }));
      call.spend(READING);
    }
  }
}

/** Answers until the agent has all values. */
function answerQuestions(call, goal, fields) {
  const { ask, readback } = call.agent.settings;
  for (;;) {
    const missing = call.order.filter((field) => fields.includes(field) && call.known[field] === undefined);
    if (missing.length === 0) return;
    const asked = missing.slice(0, ask);
    call.spend(ASKING * asked.length);
    // People forget a part of long questions.
    const given = asked.filter((_, i) => i === 0 || call.random.chance(i === 1 ? 0.85 : 0.4));
    call.serve('reply', () => ({ values: valueTexts(call.random, goal, given) }));
    if (readback === 'each') {
      call.spend(READING * given.length);
      correct(call, goal, given);
    }
  }
}

function book(call, goal, first) {
  const { readback } = call.agent.settings;
  call.serve('request', () => ({ values: valueTexts(call.random, first, Object.keys(first)) }));
  if (readback === 'each') {
    call.spend(READING * Object.keys(first).length);
    correct(call, goal, FIELDS);
  }
  if (call.random.chance(0.3)) call.serve('question');
  answerQuestions(call, goal, FIELDS);
  if (readback === 'end') {
    call.spend(READING * FIELDS.length);
    correct(call, goal, FIELDS);
    call.serve('agreement');
  } else {
    call.left.bookings.push({ ...call.known });
  }
  call.serve('goodbye');
}

const isGoal = (booking, goal) => FIELDS.every((field) => booking[field] === goal[field]);
const isQuiet = (left) => left.remedies.length === 0 && left.complaints === 0 && left.cancelled.length === 0;

function booking(random) {
  const goal = drawGoal(random);
  const first = Object.fromEntries(FIELDS.filter(() => random.chance(0.4)).map((field) => [field, goal[field]]));
  const [slip] = Object.keys(first);
  // Some callers say something wrong at first.
  if (slip !== undefined && random.chance(0.15)) first[slip] = otherValue(random, slip, goal[slip]);
  return {
    script: (call) => book(call, goal, first),
    isSuccess: (left) => left.bookings.length === 1 && isGoal(left.bookings[0], goal) && isQuiet(left),
  };
}

const REMEDIES = { money: 'refund', ring: 'callback', person: 'transfer' };

function complaint(random) {
  const wish = random.pick(Object.keys(REMEDIES));
  const goal = drawGoal(random);
  return {
    script(call) {
      call.serve('grievance');
      call.serve('detail', { day: goal.day });
      call.serve(wish);
      if (wish !== 'person') call.serve('goodbye');
    },
    isSuccess: (left) =>
      left.apologies >= 1 &&
      left.complaints === 1 &&
      left.remedies.length === (wish === 'person' ? 0 : 1) &&
      (left.remedies[0] ?? left.ended) === REMEDIES[wish] &&
      left.bookings.length === 0,
  };
}

const nothingDone = (left) => left.bookings.length === 0 && isQuiet(left);

/** Rare calls: each by its own script and test. */
const RARE = [
  (random) => {
    const goal = drawGoal(random);
    const first = random.chance(0.5) ? ['name', 'day'] : [];
    return {
      script(call) {
        call.serve('cancellation', () => ({ values: valueTexts(random, goal, first) }));
        answerQuestions(call, goal, ['name', 'day']);
        if (call.agent.settings.readback !== 'never') correct(call, goal, ['name', 'day']);
        call.serve('goodbye');
      },
      isSuccess: (left) =>
        left.cancelled.length === 1 &&
        left.cancelled[0].name === goal.name &&
        left.cancelled[0].day === goal.day &&
        left.bookings.length === 0,
    };
  },
  () => ({ script: (call) => call.serve('sale'), isSuccess: (left) => left.ended === 'end' && nothingDone(left) }),
  () => ({
    script(call) {
      call.serve('mischief');
      call.serve('mischief');
      call.serve('goodbye');
    },
    isSuccess: (left) => left.ended === 'end' && left.wrong === null,
  }),
  () => ({
    script: (call) => call.serve('person'),
    isSuccess: (left) => left.ended === 'transfer' && nothingDone(left),
  }),
  (random) => {
    const goal = drawGoal(random);
    return {
      script(call) {
        call.serve('noise');
        book(call, goal, goal);
      },
      isSuccess: (left) => left.bookings.length === 1 && isGoal(left.bookings[0], goal) && isQuiet(left),
    };
  },
];

/** The kinds of calls. `i` numbers the calls of a kind, so that rare calls are equally frequent. */
export const KINDS = { booking, complaint, edge: (random, i) => RARE[i % RARE.length](random) };
