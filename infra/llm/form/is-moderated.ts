const PHRASES = [
  'content.{0,3}(?:policy|filter|management|moderation)',
  '\\bmoderat(?:ion|ed)\\b',
  '\\bflagged(?:\\b|_)',
  '\\b(?:safety|content) (?:system|polic(?:y|ies))',
  'usage polic(?:y|ies)',
  'responsible ?ai',
  'inappropriate content',
  'data_inspection_failed',
  'prohibited[ _]content',
  'sensitive (?:words?|content)',
];

/** Texts by which endpoints refuse the content of a prompt. */
export const MODERATED = new RegExp(PHRASES.join('|'));

/** Statuses with which endpoints refuse a prompt's content. Others concern the key, the rate or an outage. */
const REFUSALS = [400, 403, 422, 451];

/** True if an endpoint's moderation refuses the content of the prompt. */
export const isModerated = ({ status, words }: { status: number; words: string }): boolean =>
  REFUSALS.includes(status) && MODERATED.test(words);
