/** A message on a page. */
export interface ShownMessage {
  role: string;
  text: string;
}

/** A tool call of a model, with its result. */
export interface ToolUse {
  name: string;
  input: string;
  /** Result of the call; null if there is none. */
  output: string | null;
}

/** Largest number of characters of a text that is sent to a page. */
const MOST_CHARACTERS = 200_000;

/** A text for a page, cut with a note on the number of missing characters. */
export const cutText = (text: string): string =>
  text.length <= MOST_CHARACTERS
    ? text
    : `${text.slice(0, MOST_CHARACTERS)}\n… (${text.length - MOST_CHARACTERS} characters more)`;

interface Message {
  role?: unknown;
  content?: unknown;
  tool_calls?: unknown;
  tool_call_id?: unknown;
}

/** Messages of a stored request. A request without messages is shown as its JSON. */
export function messagesOf(request: unknown): Message[] {
  const messages = (request as { messages?: unknown } | null)?.messages;
  if (!Array.isArray(messages)) return [{ role: 'request', content: JSON.stringify(request, null, 2) }];
  return messages.map((message: unknown) =>
    typeof message === 'object' && message !== null ? message : { content: message },
  );
}

/** Number of messages at the beginning of a turn that equal those of the turn before; only later ones are new. */
export function sharedWith(before: readonly Message[], now: readonly Message[]): number {
  const at = now.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(before[index]));
  return at < 0 ? Math.min(before.length, now.length) : at;
}

export const shownMessage = ({ role, content, tool_calls: tools }: Message): ShownMessage => ({
  role: typeof role === 'string' ? role : 'unknown',
  text: cutText([textOf(content), ...callsIn(tools).map(({ name, input }) => `${name} ${input}`)].join('\n').trim()),
});

const textOf = (content: unknown): string => {
  if (content === null || content === undefined) return '';
  return typeof content === 'string' ? content : JSON.stringify(content, null, 2);
};

/** Tool calls in the messages after a turn, each with its result from the same messages. */
export function toolsIn(messages: readonly Message[]): ToolUse[] {
  const answers = new Map(
    messages.flatMap(({ role, tool_call_id: id, content }) =>
      role === 'tool' && typeof id === 'string' ? [[id, textOf(content)] as const] : [],
    ),
  );
  return messages.flatMap(({ tool_calls: tools }) =>
    callsIn(tools).map(({ id, name, input }) => {
      const output = answers.get(id);
      return { name, input: cutText(input), output: output === undefined ? null : cutText(output) };
    }),
  );
}

/** Tool calls in the format of OpenAI endpoints; entries of another form are left out. */
function callsIn(tools: unknown): { id: string; name: string; input: string }[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const { id, function: called } = (tool ?? {}) as {
      id?: unknown;
      function?: { name?: unknown; arguments?: unknown };
    };
    if (typeof id !== 'string' || typeof called?.name !== 'string') return [];
    return [{ id, name: called.name, input: textOf(called.arguments) }];
  });
}
