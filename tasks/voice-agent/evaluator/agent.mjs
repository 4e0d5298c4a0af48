// The agent that answers the phone. It is frozen: only prompt.txt and settings.yaml change what it does.
// It does what the example does that is most like the caller's words. An example is a line `caller:` with a line
// `agent:` behind it. All other words of the prompt change nothing, and take as long to read as those of examples.

/** A prompt or settings that the agent cannot use; the message says why. */
export class PromptError extends Error {}

/** Everything the agent can do in a turn. */
export const ACTS = [
  'collect', // take name, day, time and people from the words, and ask for what is missing
  'correct', // take the right one of two values
  'confirm', // make the booking that was read back
  'answer', // answer a question about the house
  'apologise',
  'log', // write a complaint down
  'refund',
  'callback',
  'cancel', // cancel an existing booking
  'refuse',
  'repeat', // ask the caller to say it again
  'transfer', // hand over to a person; ends the call
  'end', // say goodbye; ends the call
];

export const FIELDS = ['name', 'day', 'time', 'people'];

/** The settings, with their allowed values: a list, or the smallest and largest number. */
export const SETTINGS = {
  examples: { least: 1, most: 200, whole: true }, // examples that the agent reads, from the top of prompt.txt
  neighbours: { least: 1, most: 9, whole: true }, // examples that vote
  threshold: { least: 0, most: 1 }, // likeness of the best example below which the agent is unsure
  unsure: ['repeat', 'collect', 'transfer'], // what it does then
  ask: { least: 1, most: 4, whole: true }, // fields that it asks for at once
  order: ['name-first', 'name-last', 'people-first'],
  readback: ['never', 'each', 'end'], // when it reads values back
  greeting: ['long', 'short', 'none'],
};

const LIMITS = { bytes: 16_384, line: 400 };

/** Reads lines `name: value`, one for each setting. */
export function readSettings(text) {
  if (Buffer.byteLength(text) > LIMITS.bytes) throw new PromptError('expected settings.yaml of at most 16 KiB');
  const settings = new Map();
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const content = line.replace(/(^|\s)#.*/, '').trim();
    if (content === '') continue;
    const [, name, value] = /^([a-z]+)\s*:\s*(\S+)$/.exec(content) ?? [];
    const where = `line ${i + 1} of settings.yaml`;
    if (name === undefined || !Object.hasOwn(SETTINGS, name) || settings.has(name))
      throw new PromptError(`${where}: expected one line for each of ${Object.keys(SETTINGS).join(', ')}`);
    settings.set(name, settingOf(SETTINGS[name], value, `${where}: expected ${name}`));
  }
  const missing = Object.keys(SETTINGS).filter((name) => !settings.has(name));
  if (missing.length > 0) throw new PromptError(`expected ${missing.join(', ')} in settings.yaml`);
  return Object.fromEntries(settings);
}

function settingOf(allowed, text, expected) {
  if (Array.isArray(allowed)) {
    const value = text.replace(/^(['"])(.*)\1$/, '$2');
    if (allowed.includes(value)) return value;
    throw new PromptError(`${expected} to be one of ${allowed.join(', ')}`);
  }
  const value = Number(text);
  const { least, most, whole = false } = allowed;
  if (/^[\d.eE+-]+$/.test(text) && value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
  throw new PromptError(`${expected} to be a ${whole ? 'whole ' : ''}number from ${least} to ${most}`);
}

/** Reads a prompt: its examples in order, and the number of words of each and of the rest. */
export function readPrompt(text) {
  if (Buffer.byteLength(text) > LIMITS.bytes) throw new PromptError('expected prompt.txt of at most 16 KiB');
  const lines = text.split(/\r?\n/);
  const examples = [];
  let prose = 0;
  for (let i = 0; i < lines.length; i++) {
    const said = /^caller:(.*)$/i.exec(lines[i])?.[1];
    if (lines[i].length > LIMITS.line)
      throw new PromptError(`line ${i + 1} of prompt.txt: expected at most ${LIMITS.line} characters`);
    if (said === undefined) {
      prose += wordCount(lines[i]);
      continue;
    }
    const act = /^agent:\s*([a-z]+)\s*$/i.exec(lines[i + 1] ?? '')?.[1]?.toLowerCase();
    if (act === undefined || !ACTS.includes(act))
      throw new PromptError(`line ${i + 2} of prompt.txt: expected agent: with one of ${ACTS.join(', ')}`);
    examples.push({ act, words: wordCount(said) + 3, features: featuresOf(said) });
    i++;
  }
  return { examples, prose };
}

// ---- What the agent knows of English ----

export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
export const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
export const NAMES = (
  'adams baker carter diaz evans fischer garcia hughes ivanov jensen keller lopez meyer nolan ortiz ' +
  'patel quinn rossi schmidt turner usher vogel walker young'
).split(' ');

/** Words that mean the same to the agent. */
const GROUPS = [
  'book reserve booking reservation table seat seats',
  'cancel drop scrap',
  'refund money reimburse compensation pay back',
  'call phone ring',
  'sorry oops mistake meant actually',
  'yes right correct exactly fine perfect',
  'bye goodbye thanks thank cheers',
  'manager human person somebody someone staff',
  'cold raw burnt stale',
  'rude unfriendly impolite',
  'bill charged overcharged invoice',
  'waited waiting late slow',
  'parking park garage',
  'vegan vegetarian gluten menu',
  'dog dogs pet wheelchair',
  'ignore forget disregard',
  'rules instructions orders',
  'card cards password data',
  'offer sell discount contract',
  'crackle static noise hello hm uh',
];
const CONCEPTS = new Map(GROUPS.flatMap((group) => group.split(' ').map((word) => [word, group.split(' ')[0]])));
/** Words that tell little. */
const COMMON = new Set(
  (
    'a an and are at be but can do for from have i in is it me my of on or our please so that the there this to we ' +
    'with you your'
  ).split(
    ' ',
  ),
);
const WEIGHT = { common: 0.25, entity: 0.6, word: 1 };

/** Words of a text, without punctuation. */
export const wordsOf = (text) =>
  text
    .toLowerCase()
    .replaceAll("'", '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

const wordCount = (text) => wordsOf(text).length;

function fieldOf(words, i) {
  if (DAYS.includes(words[i])) return 'day';
  if (NAMES.includes(words[i])) return 'name';
  if (!NUMBERS.includes(words[i])) return undefined;
  return words[i + 1] === 'oclock' ? 'time' : 'people';
}

/** True for "not friday", "instead of friday" and "rather than on friday". */
function isDenied(words, i) {
  const before = words.slice(0, i).filter((word) => !['at', 'on', 'for', 'under'].includes(word));
  const [second, last] = [before.at(-2), before.at(-1)];
  return last === 'not' || (second === 'instead' && last === 'of') || (second === 'rather' && last === 'than');
}

/** The values that a text names, in order. */
export function valuesOf(text) {
  const words = wordsOf(text);
  return words.flatMap((value, i) => {
    const field = fieldOf(words, i);
    return field === undefined ? [] : [{ field, value, denied: isDenied(words, i) }];
  });
}

const weightOf = (word) => (COMMON.has(word) ? WEIGHT.common : WEIGHT.word);

/** The concepts that the agent hears in a text, with weights, of length 1. */
export function featuresOf(text) {
  const words = wordsOf(text);
  const features = new Map();
  words.forEach((word, i) => {
    const field = fieldOf(words, i);
    const concept = field ? `<${field}>` : (CONCEPTS.get(word) ?? word);
    const weight = field ? WEIGHT.entity : weightOf(word);
    features.set(concept, Math.max(weight, features.get(concept) ?? 0));
  });
  const length = Math.hypot(...features.values());
  return new Map([...features].map(([concept, weight]) => [concept, weight / length]));
}

function likeness(a, b) {
  let sum = 0;
  for (const [concept, weight] of a) sum += weight * (b.get(concept) ?? 0);
  return sum;
}

/** Returns `decide(text)`, the act for words of a caller, and `words`, which the agent reads before each turn. */
export function createAgent(prompt, settings) {
  const examples = prompt.examples.slice(0, settings.examples);
  const words = prompt.prose + examples.reduce((sum, example) => sum + example.words, 0);
  const known = new Map();

  function choose(text) {
    const heard = featuresOf(text);
    const like = examples
      .map(({ act, features }) => ({ act, likeness: likeness(heard, features) }))
      .sort((a, b) => b.likeness - a.likeness)
      .slice(0, settings.neighbours);
    if (like.length === 0 || like[0].likeness < settings.threshold || like[0].likeness === 0) return settings.unsure;
    const votes = new Map();
    for (const { act, likeness } of like) votes.set(act, (votes.get(act) ?? 0) + likeness);
    return [...votes].reduce((best, vote) => (vote[1] > best[1] ? vote : best))[0];
  }

  function decide(text) {
    const act = known.get(text) ?? choose(text);
    known.set(text, act);
    return act;
  }
  return { decide, words, settings };
}
