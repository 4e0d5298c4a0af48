const anyOf = (...patterns: string[]): RegExp => new RegExp(`^(?:${patterns.join('|')})$`);

/** Endpoints' words for an answer that ended at its token limit. */
const CUT = anyOf(
  'length(?:_limit|_exceeded)?',
  '(?:model_)?context_(?:window|length)(?:_limit)?(?:_exceeded)?',
  '(?:max|maximum)_?(?:output_?|completion_?|new_?)?(?:tokens?|length)(?:_reached|_exceeded)?',
  'model_length',
  'token_?limit',
  'truncated',
  'incomplete',
);
/** Endpoints' words for an answer that a filter withheld. */
const FILTERED = /^(?:content_?filter(?:ed)?|safety|refusal|prohibited_?content|blocklist|recitation|spii)$/;

/** Endpoints' words for an answer that they broke off. */
const BROKEN =
  /^(?:abort(?:ed)?|error|cancel(?:l?ed)?|insufficient_system_resources?|(?:network|server|internal)_error)$/;

const plain = (reason: string | null): string =>
  (reason ?? '')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    // `FinishReason.MAX_TOKENS`
    .replace(/^\w+\./, '');

/** True if an answer ended at its token limit, by the endpoint's word for it: `length`, `MAX_TOKENS`, … */
export const isCutOff = (finishReason: string | null): boolean => CUT.test(plain(finishReason));

/** True if an endpoint broke an answer off for another reason: `error`, `abort`, … */
export const isBrokenOff = (finishReason: string | null): boolean => BROKEN.test(plain(finishReason));

/** True if a filter withheld an answer. */
export const isFiltered = (finishReason: string | null): boolean => FILTERED.test(plain(finishReason));

/** Stored as the finish reason if an endpoint answered a prompt with nothing, again and again. */
export const NOTHING = 'nothing';
