/** What endpoints call an answer that ended at its limit of tokens. */
const CUT =
  /^(?:length(?:_limit|_exceeded)?|(?:model_)?context_(?:window|length)(?:_limit)?(?:_exceeded)?|(?:max|maximum)_?(?:output_?|completion_?|new_?)?(?:tokens?|length)(?:_reached|_exceeded)?|model_length|token_?limit|truncated|incomplete)$/;
const FILTERED = /^(?:content_?filter(?:ed)?|safety|refusal|prohibited_?content|blocklist|recitation|spii)$/;

/** What they call one that they broke off themselves. */
const BROKEN =
  /^(?:abort(?:ed)?|error|cancel(?:l?ed)?|insufficient_system_resources?|(?:network|server|internal)_error)$/;

const plain = (reason: string | null): string =>
  (reason ?? '')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    // `FinishReason.MAX_TOKENS`
    .replace(/^\w+\./, '');

/** Whether an answer ended at its limit, by the endpoint's own word for it: `length`, `MAX_TOKENS`, `max_output_tokens`, … */
export const isCutOff = (finishReason: string | null): boolean => CUT.test(plain(finishReason));

/** Whether an endpoint broke an answer off for another reason: `error`, `abort`, … */
export const isBrokenOff = (finishReason: string | null): boolean => BROKEN.test(plain(finishReason));

/** Whether an answer was held back by a filter. */
export const isFiltered = (finishReason: string | null): boolean => FILTERED.test(plain(finishReason));
