import { z } from 'zod';
import { describeIssue } from '../../domain/issue/describe-issue.ts';
import { type Feedback, type ReportedCase, storedFeedback } from '../../domain/metric/feedback.ts';
import { parseJsonLine } from '../../domain/metric/json-line.ts';
import { parseNumber } from '../../domain/metric/printed-number.ts';
import type { WrittenResult } from './read-evaluator.ts';

/** Most characters of the notes. */
const NOTES = 4096;
const Result = z.looseObject({ notes: z.unknown().optional() });
const Case = z.strictObject({
  name: z.string().min(1),
  value: z.unknown().optional(),
  text: z.string().default(''),
  heldOut: z.boolean().default(false),
});
const CASE = '{"name": text, "value": number, "text": text, "heldOut": true or false}';

/** Values that an evaluator reported. */
interface Reported {
  metrics: Record<string, number>;
  notes: string | null;
  feedback: Feedback | null;
}

/** A result that cannot be read. Prompts show `message`, which quotes only names of metrics, never cases or values. */
interface Unreadable {
  ok: false;
  message: string;
  /** The problem with a quotation of the result, for people; null: there is nothing to quote. */
  quotation: string | null;
}

const EXPECTED = 'expected one JSON object of name → number (or "nan", "inf", "-inf") on descriptor 3';

/**
 * Reads an evaluator's result: a JSON object of name → number, and `notes`, a text or a list of cases. `conversing`:
 * the evaluator's stdout is connected to the candidate.
 */
export function readResult(
  { text, isCut }: WrittenResult,
  { conversing }: { conversing: boolean },
): ({ ok: true } & Reported) | Unreadable {
  if (text.trim() === '') return { ok: false, message: nothingWritten(conversing), quotation: null };
  const beginning = `the result begins with ${show(text)}`;
  if (isCut) return { ok: false, message: `${EXPECTED}; the evaluator wrote more than 1 MiB`, quotation: beginning };
  const result = Result.safeParse(parseJsonLine(text));
  if (!result.success) return { ok: false, message: `${EXPECTED}; got another text`, quotation: beginning };
  const { notes, ...values } = result.data;
  const metrics: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    const number = numberOf(value);
    if (number === null) {
      const message = `${EXPECTED}; ${show(name)} is ${typeOf(value)}`;
      return { ok: false, message, quotation: `${show(name)} is ${shown(value)}` };
    }
    metrics[name] = number;
  }
  if (Object.keys(metrics).length === 0)
    return { ok: false, message: `${EXPECTED}; it holds no number`, quotation: beginning };
  if (notes === undefined || notes === null || typeof notes === 'string')
    return { ok: true, metrics, notes: notes?.slice(0, NOTES) ?? null, feedback: null };
  const cases = readCases(notes);
  if ('message' in cases) return cases;
  return { ok: true, metrics, notes: null, feedback: cases.length === 0 ? null : storedFeedback(cases) };
}

/** Reads a list of cases. A case may be held out, so that the message has only positions, known keys and types. */
function readCases(notes: unknown): ReportedCase[] | Unreadable {
  const expected = `notes: expected a text or a list of ${CASE}`;
  if (!Array.isArray(notes))
    return { ok: false, message: `${expected}; got ${typeOf(notes)}`, quotation: `notes is ${shown(notes)}` };
  const cases: ReportedCase[] = [];
  for (const [at, given] of notes.entries()) {
    const where = `the case at position ${at}`;
    const read = Case.safeParse(given);
    if (!read.success) {
      const message = `${expected}; ${caseProblem(given, read.error)} in ${where}`;
      return { ok: false, message, quotation: `${where}: ${describeIssue(read.error, given)}` };
    }
    const { value } = read.data;
    const number = value === undefined ? null : numberOf(value);
    if (number === null) {
      const message = `${expected}; value is ${typeOf(value)} in ${where}`;
      return { ok: false, message, quotation: `${where}: value is ${value === undefined ? 'missing' : shown(value)}` };
    }
    cases.push({ ...read.data, value: number });
  }
  return cases;
}

/** The problem of a case by its known keys and their types. An unknown key may itself be held-out data. */
function caseProblem(given: unknown, { issues: [issue] }: z.ZodError): string {
  const key = String(issue?.path[0] ?? '');
  if (!isMapping(given)) return `got ${typeOf(given)}`;
  if (issue?.code === 'unrecognized_keys' || key === '') return 'got an unknown key';
  return `${key} is ${typeOf(given[key])}`;
}

const isMapping = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The type of a JSON value in words. */
function typeOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (typeof value === 'object') return 'a list or an object';
  if (value === '') return 'an empty text';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'boolean' ? 'true or false' : 'a number';
}

const nothingWritten = (conversing: boolean): string =>
  'the evaluator wrote nothing to descriptor 3 (PERPETUA_RESULT_FD). ' +
  `${conversing ? 'Its stdout goes to the candidate' : 'Its stdout is not read'}. ` +
  'In Python: os.write(3, json.dumps(result).encode())';

/**
 * A value as a number. NaN and infinity may be words, in quotes or without (Python's json.dumps), or null (JavaScript's
 * JSON.stringify). A finite number in quotes is a mistake to report.
 */
function numberOf(value: unknown): number | null {
  if (value === null) return Number.NaN;
  if (typeof value === 'number') return value;
  const read = typeof value === 'string' ? parseNumber(value) : undefined;
  return read === undefined || Number.isFinite(read) ? null : read;
}

// JSON.stringify fails on lists that are nested too deeply.
const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'a list or an object' : show(JSON.stringify(value));

const show = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text);
