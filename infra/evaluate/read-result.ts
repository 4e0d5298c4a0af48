import { z } from 'zod';
import { decodeNumber } from '../../domain/json/number.ts';
import { parseJsonLine } from '../../domain/metric/json-line.ts';

/** Most characters of the notes. */
const NOTES = 4096;
const Value = z.union([z.number(), z.enum(['nan', 'inf', '-inf'])]);
const Result = z.looseObject({ notes: z.string().nullable().optional() });

/** Texts that JSON has in place of numbers that are not finite, by the word of Python and JavaScript. */
const NOT_FINITE = new Map<unknown, string>([
  ['NaN', 'nan'],
  ['Infinity', 'inf'],
  ['-Infinity', '-inf'],
]);

/**
 * Reads an evaluator's result, a JSON object of name → number, and `notes`. Else returns the problem as a message.
 * `conversing`: the evaluator's stdout is connected to the candidate.
 */
export function readResult(
  text: string,
  { conversing }: { conversing: boolean },
): { ok: true; metrics: Record<string, number>; notes: string | null } | { ok: false; message: string } {
  const expected = 'expected one JSON object of name → number (or "nan", "inf", "-inf") on descriptor 3';
  if (text.trim() === '') return { ok: false, message: nothingWritten(conversing) };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { ok: false, message: notFiniteProblem(text) ?? `${expected}; got ${show(text)}` };
  }
  const result = Result.safeParse(json);
  if (!result.success || Array.isArray(json)) return { ok: false, message: `${expected}; got ${show(text)}` };
  const { notes, ...values } = result.data;
  const metrics: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    const number = Value.safeParse(value);
    if (!number.success) return { ok: false, message: `${expected}; ${show(name)} is ${shown(value)}` };
    metrics[name] = decodeNumber(number.data);
  }
  if (Object.keys(metrics).length === 0) return { ok: false, message: `${expected}; it holds no number` };
  return { ok: true, metrics, notes: notes?.slice(0, NOTES) ?? null };
}

const nothingWritten = (conversing: boolean): string =>
  'the evaluator wrote nothing to descriptor 3 (PERPETUA_RESULT_FD). ' +
  `${conversing ? 'Its stdout goes to the candidate' : 'Its stdout is not read'}. ` +
  'In Python: os.write(3, json.dumps(result).encode())';

/** The problem of an object with a bare NaN or Infinity, as Python writes them; null if the text is no such object. */
function notFiniteProblem(text: string): string | null {
  const object = parseJsonLine(text);
  if (object === null) return null;
  const [name, value] = Object.entries(object).find(([, word]) => NOT_FINITE.has(word)) ?? ['loss', 'NaN'];
  const example = `{${JSON.stringify(name)}: ${JSON.stringify(NOT_FINITE.get(value))}}`;
  return `NaN and Infinity are not JSON; got ${show(text.trim())}. Write such a value as a text: ${example}`;
}

// JSON.stringify fails on lists that are nested too deeply.
const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'a list or an object' : show(JSON.stringify(value));

const show = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text);
