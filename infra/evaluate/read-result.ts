import { z } from 'zod';
import { describeIssue } from '../../domain/issue/describe-issue.ts';
import { type Feedback, type ReportedCase, storedFeedback } from '../../domain/metric/feedback.ts';
import { parseJsonLine } from '../../domain/metric/json-line.ts';
import { parseNumber } from '../../domain/metric/printed-number.ts';

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

/**
 * Reads an evaluator's result, a JSON object of name → number, and `notes`, a text or a list of cases. Else returns the problem as a message.
 * `conversing`: the evaluator's stdout is connected to the candidate.
 */
export function readResult(
  text: string,
  { conversing }: { conversing: boolean },
): ({ ok: true } & Reported) | { ok: false; message: string } {
  const expected = 'expected one JSON object of name → number (or "nan", "inf", "-inf") on descriptor 3';
  if (text.trim() === '') return { ok: false, message: nothingWritten(conversing) };
  const json = parseJsonLine(text);
  const result = Result.safeParse(json);
  if (!result.success) return { ok: false, message: `${expected}; got ${show(text)}` };
  const { notes, ...values } = result.data;
  const metrics: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    const number = numberOf(value);
    if (number === null) return { ok: false, message: `${expected}; ${show(name)} is ${shown(value)}` };
    metrics[name] = number;
  }
  if (Object.keys(metrics).length === 0) return { ok: false, message: `${expected}; it holds no number` };
  if (notes === undefined || notes === null || typeof notes === 'string')
    return { ok: true, metrics, notes: notes?.slice(0, NOTES) ?? null, feedback: null };
  const cases = readCases(notes);
  if (typeof cases === 'string') return { ok: false, message: cases };
  return { ok: true, metrics, notes: null, feedback: cases.length === 0 ? null : storedFeedback(cases) };
}

/** Reads a list of cases, or returns the problem. */
function readCases(notes: unknown): ReportedCase[] | string {
  const expected = `notes: expected a text or a list of ${CASE}`;
  if (!Array.isArray(notes)) return `${expected}; got ${shown(notes)}`;
  const cases: ReportedCase[] = [];
  for (const [at, given] of notes.entries()) {
    const read = Case.safeParse(given);
    if (!read.success) return `${expected}; ${describeIssue(read.error, given)} in the case at position ${at}`;
    const { value = 'missing' } = read.data;
    const number = numberOf(value);
    if (number === null) return `${expected}; the value of the case at position ${at} is ${shown(value)}`;
    cases.push({ ...read.data, value: number });
  }
  return cases;
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
