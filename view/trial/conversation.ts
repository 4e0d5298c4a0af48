import type { CallRole, Protocol } from '../../domain/gateway/call.ts';
import { storedToolCalls } from '../../domain/edit/tools/tool-call.ts';
import { readAnswer, readRequest } from '../../domain/gateway/conversation/read.ts';
import type { ToolCall, ToolResult, Turn } from '../../domain/gateway/conversation/turn.ts';

/** A stored call with its bodies. */
export interface StoredCall {
  turn: number;
  role: CallRole;
  protocol: Protocol | null;
  request: unknown;
  answer: string | null;
  /** Tool calls of an answer to a proposer of Perpetua are in its `toolCalls`. */
  outcome?: unknown;
  removedAt: Date | null;
}

/** A tool call of an answer, with its result; `output` null: no later request has it. */
export interface ToolUse extends ToolCall {
  output: string | null;
}

/** A call as people read it: without the messages that earlier calls had. */
export interface ReadCall<C> {
  call: C;
  /** `withheld`: the text of an evaluator's call, which this surface does not show. */
  bodies: 'kept' | 'removed' | 'withheld';
  /** Number of messages that earlier calls of the trial had, or that were earlier answers. */
  before: number;
  /** The other messages of the request. */
  messages: Turn[];
  answer: Turn | null;
  tools: ToolUse[];
}

/** Reads a trial's calls, in the order of their turns. */
export function readConversation<C extends StoredCall>(calls: readonly C[]): ReadCall<C>[] {
  const seen = new Set<string>();
  const read = calls.map((call) => readCall(call, seen));
  const taken = new Set<ToolResult>();
  return read.map((one, index) => ({
    ...one,
    tools: withOutputs(one.answer, { later: read.slice(index + 1), taken }),
  }));
}

function readCall<C extends StoredCall>(call: C, seen: Set<string>): Omit<ReadCall<C>, 'tools'> {
  const bodies = stateOf(call);
  if (bodies !== 'kept') return { call, bodies, before: 0, messages: [], answer: null };
  const request = readRequest(call.protocol, call.request);
  const answer = call.answer === null ? null : withToolCalls(readAnswer(call.protocol, call.answer), call.outcome);
  // A message that comes twice in one request is two messages.
  const counts = new Map<string, number>();
  const keyOf = (turn: Turn): string => {
    const text = textKey(turn);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return `${count} ${text}`;
  };
  const messages = request.map((turn) => ({ turn, key: keyOf(turn) }));
  const fresh = messages.filter(({ key }) => !seen.has(key)).map(({ turn }) => turn);
  for (const { key } of messages) seen.add(key);
  if (answer) seen.add(keyOf(answer));
  return { call, bodies, before: request.length - fresh.length, messages: fresh, answer };
}

/** The answer with the tool calls that are stored beside it. */
function withToolCalls(answer: Turn, outcome: unknown): Turn {
  const calls = storedToolCalls((outcome as { toolCalls?: unknown } | null | undefined)?.toolCalls);
  if (calls.length === 0) return answer;
  return { ...answer, calls: calls.map(({ name, arguments: input }) => ({ id: null, name, input })) };
}

function stateOf({ role, request, removedAt }: StoredCall): ReadCall<unknown>['bodies'] {
  if (removedAt !== null) return 'removed';
  return role === 'evaluator' && request === null ? 'withheld' : 'kept';
}

/** Text of a message, equal for equal ones: agents send an answer back with other ids, and without its reasoning. */
const textKey = ({ role, text, calls, results }: Turn): string =>
  JSON.stringify([role, text.trim(), calls.map(({ name, input }) => [name, input]), results]);

/** Tool calls of an answer with the first result in later requests that belongs to each. */
function withOutputs(
  answer: Turn | null,
  { later, taken }: { later: readonly { messages: readonly Turn[] }[]; taken: Set<ToolResult> },
): ToolUse[] {
  return (answer?.calls ?? []).map((call) => {
    const result = findResult(later, (one) => one.id === (call.id ?? call.name) && !taken.has(one));
    if (result) taken.add(result);
    return { ...call, output: result?.output ?? null };
  });
}

function findResult(
  later: readonly { messages: readonly Turn[] }[],
  fits: (result: ToolResult) => boolean,
): ToolResult | undefined {
  for (const { messages } of later)
    for (const { results } of messages) {
      const found = results.find(fits);
      if (found) return found;
    }
  return undefined;
}

/** The input of a tool call for people: the text itself if the input is one text, such as a command. */
export function inputText(input: string): string {
  try {
    const values = Object.values(JSON.parse(input) as object) as unknown[];
    return values.length === 1 && typeof values[0] === 'string' ? values[0] : input;
  } catch {
    return input;
  }
}

/** Facts of a call's end, other than tokens and cost. */
export interface CallMarks {
  repeated: number;
  failed: number;
  cut: boolean;
  estimated: boolean;
  status: number | null;
}

/** Marks of a call in words: repetitions, failures, an answer that broke off, estimated tokens. */
export function describeMarks({ repeated, failed, cut, estimated }: CallMarks): string[] {
  const marks: string[] = [];
  if (repeated > 0) marks.push(`sent again ${times(repeated)}`);
  if (failed > 0) marks.push(`failed ${times(failed)}`);
  if (cut) marks.push('answer broke off');
  if (estimated) marks.push('tokens estimated');
  return marks;
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);
