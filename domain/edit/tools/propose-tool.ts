import { z } from 'zod';
import { jsonProblem } from './json-problem.ts';
import type { Edit } from '../edit.ts';
import type { Answer } from '../parse-answer.ts';
import type { ToolCallText } from './tool-call.ts';

/** Name of the tool by which a model proposes. */
export const PROPOSE = 'propose';

const MOST_EDITS = 500;
const LONGEST = 4_000_000;

const path = z.string().min(1);
const Edits = z.discriminatedUnion('action', [
  z.object({ action: z.literal('replace'), path, search: z.string(), replace: z.string() }),
  z.object({ action: z.literal('write'), path, content: z.string() }),
  z.object({ action: z.literal('delete'), path }),
]);
const Arguments = z.object({
  hypothesis: z.string().max(4000),
  // Only a remark of the model: an unreadable one rejects no answer that has been paid for.
  expectedDelta: z.unknown().optional(),
  edits: z.array(Edits).min(1).max(MOST_EDITS),
  memory: z.string().nullish(),
});

const text = (description: string) => ({ type: 'string', description });

/** JSON Schema of the arguments. It is flat: some providers take no alternatives (`oneOf`). */
const PARAMETERS = {
  type: 'object',
  properties: {
    hypothesis: text('one or two sentences: what you change and why it should help'),
    expectedDelta: { type: 'number', description: 'the change of the metric that you expect; leave it out if unknown' },
    edits: {
      type: 'array',
      description: 'the edits, applied in order',
      items: {
        type: 'object',
        properties: {
          action: { type: 'string', enum: ['replace', 'write', 'delete'] },
          path: text('path of the file, as the prompt gives it'),
          search: text('only for replace: lines of the file, copied exactly, enough of them to occur only once'),
          replace: text('only for replace: the lines that take their place'),
          content: text('only for write: the whole new content of the file'),
        },
        required: ['action', 'path'],
      },
    },
    memory: text(
      'only if the prompt says that you keep a memory: its whole new text; leave it out to keep the old one',
    ),
  },
  required: ['hypothesis', 'edits'],
};

/** The tool that a request offers to a model that proposes edits. */
export const PROPOSE_TOOL = {
  name: PROPOSE,
  description: 'Proposes one change of the program. Call it once, with all edits.',
  parameters: PARAMETERS,
};

/** Tool calls as edits, with the new text of the model's memory; absent: they leave it. Else the reason. */
export type ToolAnswer = Answer & { memory?: string };

/**
 * Reads the tool calls of an answer, like `parseAnswer` reads text. Several calls are one proposal, in their order.
 * Takes any calls, and never throws.
 */
export function readToolCalls(calls: readonly ToolCallText[]): ToolAnswer {
  const edits: Edit[] = [];
  let hypothesis = '';
  let expectedDelta: number | null = null;
  let memory = '';
  for (const [index, call] of calls.entries()) {
    const where = calls.length === 1 ? 'the tool call' : `tool call ${index + 1}`;
    if (call.name !== PROPOSE)
      return refused(`${where}: expected the tool ${PROPOSE}, got ${JSON.stringify(call.name.slice(0, 100))}`);
    if (call.arguments.length > LONGEST)
      return refused(`${where} has ${call.arguments.length} characters, more than ${LONGEST}`);
    const read = readArguments(call.arguments);
    if (typeof read === 'string') return refused(`${where}: ${read}`);
    if (hypothesis === '') hypothesis = read.hypothesis.trim();
    expectedDelta ??= readDelta(read.expectedDelta);
    edits.push(...read.edits.map(editOf));
    // A blank text does not clear the memory: some models give every argument.
    if (read.memory?.trim()) memory = `${read.memory.trim()}\n`;
  }
  if (edits.length === 0) return refused(`expected a call of the tool ${PROPOSE}, got none`);
  if (edits.length > MOST_EDITS)
    return refused(`the answer has more than ${MOST_EDITS} edits; expected a small change`);
  return { ok: true, hypothesis, expectedDelta, edits, ...(memory === '' ? {} : { memory }) };
}

/** A number, also one that the model wrote as a text; null: unknown. */
function readDelta(given: unknown): number | null {
  const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

const refused = (reason: string): Answer => ({ ok: false, reason });

function readArguments(given: string): z.output<typeof Arguments> | string {
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch {
    return `its arguments are no JSON: ${jsonProblem(given)}`;
  }
  const parsed = Arguments.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.map(String).join('.') ?? '';
  return `its arguments do not fit the schema: ${at === '' ? '' : `${at}: `}${issue?.message ?? 'unknown problem'}`;
}

/** An edit in the form that `applyEdits` takes. A text in JSON may leave out the end of its last line. */
function editOf(edit: z.output<typeof Edits>): Edit {
  if (edit.action === 'delete') return { path: edit.path, remove: true };
  if (edit.action === 'write') {
    const { content } = edit;
    return { path: edit.path, content: content === '' || /[\r\n]$/.test(content) ? content : `${content}\n` };
  }
  const search = edit.search.replace(/\r?\n$/, '');
  const replace = search === edit.search ? edit.replace : edit.replace.replace(/\r?\n$/, '');
  return { path: edit.path, search, replace };
}
