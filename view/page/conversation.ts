/** A message as a page shows it. */
export interface ShownMessage {
  role: string;
  text: string;
}

/** A tool that a model asked for, and what it was told. */
export interface ToolUse {
  name: string;
  input: string;
  /** Null: nobody has answered. */
  output: string | null;
}

/** Characters of a text that a page is sent at most. */
const MOST = 200_000;

/** A text of a page, cut with a word on how much is left out. */
export const cutText = (text: string): string =>
  text.length <= MOST ? text : `${text.slice(0, MOST)}\n… (${text.length - MOST} characters more)`;

interface Message {
  role?: unknown;
  content?: unknown;
  tool_calls?: unknown;
  tool_call_id?: unknown;
}

/** Messages of a stored request; one that has none is shown as it is stored. */
export function messagesOf(request: unknown): Message[] {
  const messages = (request as { messages?: unknown } | null)?.messages;
  if (!Array.isArray(messages)) return [{ role: 'request', content: JSON.stringify(request, null, 2) }];
  return messages.map((message: unknown) =>
    typeof message === 'object' && message !== null ? message : { content: message },
  );
}

/** How many messages at the beginning a turn has in common with the turn before: only what follows is new. */
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

/** Tools that were asked for in messages that follow a turn, each with its answer among them. */
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

/** Tool calls in the form of the OpenAI endpoints; whatever else stands there is left out. */
function callsIn(tools: unknown): { id: string; name: string; input: string }[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const { id, function: asked } = (tool ?? {}) as {
      id?: unknown;
      function?: { name?: unknown; arguments?: unknown };
    };
    if (typeof id !== 'string' || typeof asked?.name !== 'string') return [];
    return [{ id, name: asked.name, input: textOf(asked.arguments) }];
  });
}
