/** What endpoints call an answer that ended at its limit of tokens. */
const CUT =
  /^(?:length|(?:max|maximum)_?(?:output_?|completion_?|new_?)?(?:tokens?|length)(?:_reached|_exceeded)?|model_length|token_?limit|truncated|incomplete)$/;
const FILTERED = /^(?:content_?filter(?:ed)?|safety|refusal|prohibited_?content|blocklist|recitation|spii)$/;

const plain = (reason: string | null): string =>
  (reason ?? '')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');

/** Whether an answer ended at its limit, by the endpoint's own word for it: `length`, `MAX_TOKENS`, `max_output_tokens`, … */
export const isCutOff = (finishReason: string | null): boolean => CUT.test(plain(finishReason));

/** Whether an answer was held back by a filter. */
export const isFiltered = (finishReason: string | null): boolean => FILTERED.test(plain(finishReason));
