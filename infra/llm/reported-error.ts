import { isBrokenOff, isCutOff, isFiltered } from '../../domain/edit/answer/finish-reason.ts';
import { MODERATED } from './form/is-moderated.ts';
import { isTooLong } from './form/length.ts';
import { textsIn } from './form/texts.ts';

/** An error that an answer with status 200 reports. */
export interface ReportedError {
  /** HTTP status that the error stands for. */
  status: number;
  /** The error's own words; null if it has only a code. */
  message: string | null;
  /** Seconds that the error asks to wait; null if it does not ask. */
  retryAfterSeconds: number | null;
  /** The part of the answer that is the error. */
  error: unknown;
}

type Fields = Record<string, unknown>;

/**
 * The error that the JSON of an answer with status 200 reports: at its top, in a list of errors, or in its choice. Null
 * if the answer is whole, or if it reports no error.
 */
export function findReportedError(json: unknown): ReportedError | null {
  // Some gateways put an error into a list of one.
  const root = fieldsOf(firstOf(json));
  if (root === null) return typeof json === 'string' && json.trim() !== '' ? report(json) : null;
  const choice = Array.isArray(root.choices) ? fieldsOf(firstOf(root.choices)) : null;
  const message = fieldsOf(choice?.message);
  const error = [root.error, firstOf(root.errors), choice?.error, message?.error].find(isSaid);
  if (error !== undefined) return isWhole(choice) ? null : report(error);
  const reason = typeof choice?.finish_reason === 'string' ? choice.finish_reason : null;
  if (choice !== null && isBrokenOff(reason) && !hasText(choice))
    return report({ code: 502, message: `the endpoint broke the answer off: finish_reason ${JSON.stringify(reason)}` });
  if (choice !== null) return null;
  return topLevelError(root);
}

/** The first entry of a list; any other value itself. */
const firstOf = (value: unknown): unknown => (Array.isArray(value) ? (value as unknown[])[0] : value);

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

const isSaid = (value: unknown): boolean =>
  (typeof value === 'string' && value.trim() !== '') ||
  (fieldsOf(value) !== null && Object.keys(value as object).length > 0);

const hasText = ({ message, text }: Fields): boolean => {
  const content = fieldsOf(message)?.content ?? text;
  return (typeof content === 'string' || Array.isArray(content)) && content.length > 0;
};

/** True if a choice has a text and ended as the model meant it, although an error stands beside it. */
function isWhole(choice: Fields | null): boolean {
  const reason = choice?.finish_reason;
  if (choice === null || typeof reason !== 'string' || !hasText(choice)) return false;
  return !isBrokenOff(reason) && !isCutOff(reason) && !isFiltered(reason);
}

const MESSAGES = [
  'message',
  'msg',
  'detail',
  'error_msg',
  'error_message',
  'errmsg',
  'status_msg',
  'description',
  'reason',
  'title',
];
const CODES = ['code', 'status', 'status_code', 'statusCode', 'error_code', 'http_code', 'type'];

/** An error whose fields are those of the answer: a code that is no success, or a message. */
function topLevelError(root: Fields): ReportedError | null {
  const fields = { ...root, ...fieldsOf(root.base_resp) };
  const codes = CODES.map((key) => fields[key]).filter((code) => typeof code === 'string' || typeof code === 'number');
  const isSuccess = codes.some((code) => /^(?:0|2\d\d|20000|ok|success)$/i.test(String(code)));
  if (isSuccess || fields.success === true) return null;
  const failed = codes.some((code) => httpStatus(code) !== null) || fields.success === false;
  return messageOf(fields) === null && !failed ? null : report(fields);
}

function messageOf(fields: Fields): string | null {
  // An object under `message` is a model's message, such as that of Ollama's own API.
  const keys = fieldsOf(fields.message) === null ? MESSAGES : MESSAGES.filter((key) => key !== 'message');
  const first = keys.map((key) => fields[key]).find(isSaid);
  if (first === undefined) return null;
  return typeof first === 'string' ? first : JSON.stringify(first);
}

function report(error: unknown): ReportedError {
  const fields = fieldsOf(error) ?? { message: error };
  const status = CODES.map((key) => httpStatus(fields[key])).find((code) => code !== null);
  const wait = fields.retry_after ?? fields.retry_after_seconds ?? fieldsOf(fields.metadata)?.retry_after_seconds;
  return {
    status: status ?? statusByWords(textsIn(error).join('\n').toLowerCase()),
    message: messageOf(fields),
    retryAfterSeconds: typeof wait === 'number' && wait >= 0 ? wait : null,
    error,
  };
}

function httpStatus(code: unknown): number | null {
  if (typeof code !== 'number' && (typeof code !== 'string' || code.trim() === '')) return null;
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : null;
}

/** Words of errors and the status that they stand for; the first that fits counts. */
const BY_WORDS: readonly [RegExp, number][] = [
  [
    /rate.?limit|too.?many.?requests|throttl|slow down|resource.?exhausted|(?:tokens|requests) per (?:min|day|sec)/,
    429,
  ],
  [
    /overload|at capacity|temporar|unavailable|time.?d? ?out|try again later|(?:server|engine|system|model) is busy/,
    503,
  ],
  // After 503, since the moderation itself may be down.
  [MODERATED, 400],
  [/insufficient.?(?:quota|balance|funds|credit)|billing|payment|arrears/, 402],
  [/(?:invalid|incorrect|missing).{0,10}(?:api.?key|token|credential)|unauthori[sz]ed|authenticat/, 401],
  [/permission|forbidden|access denied/, 403],
  [/model.?not.?found|model.{0,60}(?:not found|not exist|no longer)|no such model|unknown model/, 404],
  [/invalid.?request|invalid.?(?:parameter|argument|value|input)|bad.?request|unsupported|not support|validation/, 400],
];

/** The status that an error in words stands for; 503 for unknown words, which do not exclude that it heals. */
function statusByWords(words: string): number {
  if (isTooLong({ status: 400, words })) return 400;
  return BY_WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? 503;
}
