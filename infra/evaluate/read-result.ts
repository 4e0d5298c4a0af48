import { z } from 'zod';
import { decodeNumber } from '../../domain/json/number.ts';

/** Most characters of the notes. */
const NOTES = 4096;
const Value = z.union([z.number(), z.enum(['nan', 'inf', '-inf'])]);
const Result = z.looseObject({ notes: z.string().nullable().optional() });

/** Reads an evaluator's result, a JSON object of name → number, and `notes`. Else returns the problem as a message. */
export function readResult(
  text: string,
): { ok: true; metrics: Record<string, number>; notes: string | null } | { ok: false; message: string } {
  const expected = 'expected one JSON object of name → number (or "nan", "inf", "-inf") on descriptor 3';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { ok: false, message: `${expected}; got ${text.trim() === '' ? 'nothing' : show(text)}` };
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

// JSON.stringify fails on lists that are nested too deeply.
const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'a list or an object' : show(JSON.stringify(value));

const show = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text);
