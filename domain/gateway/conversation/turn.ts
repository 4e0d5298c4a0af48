/** A message of a conversation with a model, in the form that people read. */
export interface Turn {
  /** `system`, `user`, `assistant`, `tool`, or another role of the protocol. */
  role: string;
  text: string;
  /** Reasoning of the model, as far as the protocol shows it. */
  reasoning: string;
  calls: readonly ToolCall[];
  results: readonly ToolResult[];
}

export interface ToolCall {
  /** Null if the protocol gives calls no id: then results name the tool. */
  id: string | null;
  name: string;
  /** JSON text of the input. */
  input: string;
}

export interface ToolResult {
  /** Id of the call; the name of the tool if calls have no id. */
  id: string | null;
  output: string;
}

/** Functions that read the bodies of one protocol. Each skips what it does not know. */
export interface ProtocolReader {
  request: (body: Fields) => Turn[];
  /** The message of an answer that came as one JSON object. */
  whole: (body: Fields) => Turn | null;
  /** The message of an answer that came as a stream, as far as it came. */
  streamed: (events: readonly Fields[]) => Turn | null;
}

export type Fields = Readonly<Record<string, unknown>>;

export const turn = (role: string, given: Partial<Omit<Turn, 'role'>>): Turn => ({
  role,
  text: '',
  reasoning: '',
  calls: [],
  results: [],
  ...given,
});

/** An object's fields; no fields for any other value. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** Elements of a list that are objects. */
export const objectsIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

export const stringOr = <T>(value: unknown, otherwise: T): string | T =>
  typeof value === 'string' ? value : otherwise;

/** A text as it is, any other value as JSON; empty for a missing value. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Joins texts by lines, without empty ones. */
export const joinTexts = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n');

/** JSON text without insignificant spaces, from a value or from JSON text. Text that is no JSON stays. */
export function inputOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value ?? {});
  try {
    return JSON.stringify(JSON.parse(value));
  } catch {
    return value;
  }
}

/** Text of content that is a text or a list of parts. A part without text, such as an image, is named by its type. */
export function contentText(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content);
  return joinTexts(
    content.map((part: unknown) => {
      if (typeof part === 'string') return part;
      const { text, refusal, type } = fieldsOf(part);
      return stringOr(text, null) ?? stringOr(refusal, null) ?? `[${stringOr(type, 'part')}]`;
    }),
  );
}

/** True for a turn that says something. */
export const isFilled = ({ text, reasoning, calls, results }: Turn): boolean =>
  text !== '' || reasoning !== '' || calls.length > 0 || results.length > 0;
