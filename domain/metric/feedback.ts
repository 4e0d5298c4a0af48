import { cleanText } from '../json/clean-text.ts';
import { jsonBytes } from '../json/json-bytes.ts';
import { encodeNumber, type EncodedNumber } from '../json/number.ts';

/** One case of an evaluation, such as a test or an instance. */
export interface FeedbackCase {
  name: string;
  value: EncodedNumber;
  text: string;
  /** True: for people only. No prompt and no tool of an agent shows the case. */
  heldOut?: true;
}

/** Cases of an evaluation. */
export interface Feedback {
  cases: readonly FeedbackCase[];
  /** Number of further cases that were too much to store. */
  omitted: number;
}

/** A case as an evaluator reports it. */
export interface ReportedCase {
  name: string;
  value: number;
  text: string;
  heldOut: boolean;
}

/** Most bytes of a stored feedback, as JSON. */
export const FEEDBACK_BYTES = 8192;
const NAME_CHARACTERS = 200;
const TEXT_CHARACTERS = 2000;
/** Room for the mapping around the cases. */
const FRAME_BYTES = 40;

/**
 * The cases in at most `FEEDBACK_BYTES` of JSON. If they are larger, their texts are cut first, the longest ones most.
 * Then the last cases are left out.
 */
export function storedFeedback(reported: readonly ReportedCase[]): Feedback {
  const whole = reported.map((one) => caseOf(one, TEXT_CHARACTERS));
  for (let most = TEXT_CHARACTERS; most >= 1; most = Math.floor(most / 2)) {
    const cases = whole.map((one) => ({ ...one, text: cut(one.text, most) }));
    if (bytesOf(cases) <= FEEDBACK_BYTES) return { cases, omitted: 0 };
  }
  const cases: FeedbackCase[] = [];
  let bytes = FRAME_BYTES;
  for (const one of whole) {
    const shortest = { ...one, text: '' };
    bytes += jsonBytes(shortest) + 1;
    if (bytes > FEEDBACK_BYTES) break;
    cases.push(shortest);
  }
  return { cases, omitted: whole.length - cases.length };
}

/** The cases that a proposer may read. */
export const shownCases = ({ cases, omitted }: Feedback): Feedback => ({
  cases: cases.filter(({ heldOut }) => heldOut !== true),
  omitted,
});

function caseOf({ name, value, text, heldOut }: ReportedCase, most: number): FeedbackCase {
  const stored = {
    name: cleanText(cut(name, NAME_CHARACTERS)),
    value: encodeNumber(value),
    text: cleanText(cut(text, most)),
  };
  return heldOut ? { ...stored, heldOut: true } : stored;
}

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).toWellFormed()}${most > 0 ? '…' : ''}`;

const bytesOf = (cases: readonly FeedbackCase[]): number =>
  cases.reduce((sum, one) => sum + jsonBytes(one) + 1, FRAME_BYTES);
