/** Words by which endpoints say that a request exceeds the model's context. */
const TOO_LONG = [
  /context[ _-]?(?:length|window|limit|size)/,
  /max(?:imum)? (?:model |allowed )?(?:input|prompt|context|sequence)\b/,
  /(?:prompt|inputs?|request|messages?|conversation) (?:is |are |was |were )?too (?:long|large|big)/,
  /(?:prompt|inputs?|request|messages?|conversation) (?:token count )?exceeds/,
  /(?:input|prompt|sequence) (?:length|tokens?)\b.{0,60}(?:exceed|long|larger?|great|range|limit|must|maximum|should)/,
  /\btoo many (?:input |prompt )?tokens\b/,
  /reduce (?:the |your )?(?:length|size|number) of (?:the |your )?(?:messages?|input|prompt|tokens)/,
  /reduce your (?:prompt|message size|input)/,
  /`?inputs`? tokens \+ `?max_new_tokens`? must be/,
  /exceed_context_size|context_length_exceeded|string_above_max_length|request_too_large/,
  /max_prompt_tokens_exceeded/,
  /(?:payload|request entity|content) too large/,
  /token count .{0,30}exceeds/,
  /exceed(?:s|ed)? (?:the )?(?:model(?:'s)? )?(?:token|context)/,
];

const CONTENT_TOO_LARGE = 413;
const RATE = 429;

/** True if a refusal says that a shorter prompt would be accepted. */
export function isTooLong({ status, words }: { status: number; words: string }): boolean {
  if (status === CONTENT_TOO_LARGE) return true;
  // A rate limit heals by waiting, unless one request alone exceeds it.
  if (status === RATE) return /request too large/.test(words);
  return TOO_LONG.some((pattern) => pattern.test(words));
}

/** Statements of a context's length in tokens. */
const CONTEXT = [
  /maximum (?:model |allowed )?context (?:length|window|size)\D{0,30}(\d[\d,_]*)/,
  /context (?:length|window|limit|size)(?: of| is|:)?\D{0,20}\d[\d,_]*(?: \+ \d[\d,_]*)? > (\d[\d,_]*)/,
  /context (?:length|window|limit|size)(?: \([a-z_ ]*\))?(?: of| is| was|:| =)? ?(?:only )?(\d[\d,_]*)/,
  /`?max_new_tokens`? must be <= ?(\d[\d,_]*)/,
];

/** Tokens of the context that an error states; null if it states none. */
export function contextTokens(words: string): number | null {
  for (const pattern of CONTEXT) {
    const [, digits] = pattern.exec(words) ?? [];
    if (digits !== undefined) return Number(digits.replace(/[,_]/g, ''));
  }
  return null;
}

/** Words for the limit of an answer. */
const LIMIT =
  /max(?:imum)?[_ ]?(?:completion|output|new|number of output)?[_ ]?tokens?|(?:completion|output|generated) tokens/;
const TOO_LARGE =
  /too (?:large|high|big|many)|exceed|at most|maximum|range|less than|greater than|up to|limit|<=|[<>]|\bbetween\b/;
/** Numbers that are no part of a name such as `gpt-4-1106`. */
const NUMBER = /(?<![\w.-])(?:1 ?[-–~] ?)?(\d[\d,_]*)(?!\w)/g;
/** Least number that is read as a limit. */
const LEAST_STATED = 64;

/**
 * The limit of output tokens that an error allows in place of `tokens`: the largest lower number that it states, else
 * half. Null if the error is not about a limit that is too large.
 */
export function lowerLimit(words: string, tokens: number): number | null {
  // Numbers in other texts of the error, such as its status, are no limits.
  const line = words.split('\n').find((text) => LIMIT.test(text) && TOO_LARGE.test(text.replace(/max_\w+/g, '')));
  if (line === undefined) return null;
  const numbers = [...line.matchAll(NUMBER)].map(([, digits = '']) => Number(digits.replace(/[,_]/g, '')));
  const stated = numbers.filter((number) => number >= LEAST_STATED && number < tokens);
  if (stated.length === 0) return numbers.includes(tokens) ? Math.floor(tokens / 2) : null;
  const largest = Math.max(...stated);
  const isExcluded = new RegExp(`${largest} ?\\(exclusive\\)|(?:less|lower|smaller) than ${largest}`).test(line);
  return isExcluded ? largest - 1 : largest;
}
