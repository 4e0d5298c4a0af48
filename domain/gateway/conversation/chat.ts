import {
  contentText,
  fieldsOf,
  inputOf,
  objectsIn,
  stringOr,
  turn,
  type Fields,
  type ProtocolReader,
  type ToolCall,
  type Turn,
} from './turn.ts';

/** OpenAI's Chat Completions, and the stored requests of the proposer `llm`. */
export const chat: ProtocolReader = {
  request: ({ messages }) => (Array.isArray(messages) ? messages.map((message) => messageOf(message)) : []),
  whole: ({ choices }) => {
    const [choice] = objectsIn(choices);
    return choice === undefined ? null : messageOf(choice['message'], 'assistant');
  },
  streamed: (events) => {
    const deltas = events.flatMap(({ choices }) =>
      objectsIn(choices)
        .slice(0, 1)
        .map(({ delta }) => fieldsOf(delta)),
    );
    return deltas.length === 0 ? null : messageOf(merge(deltas), 'assistant');
  },
};

function messageOf(message: unknown, otherwise = 'unknown'): Turn {
  if (typeof message === 'string') return turn(otherwise, { text: message });
  const { role, content, refusal, reasoning_content: reasoning, tool_calls: tools, ...rest } = fieldsOf(message);
  const text = contentText(content ?? refusal);
  if (role === 'tool') return turn('tool', { results: [{ id: stringOr(rest['tool_call_id'], null), output: text }] });
  return turn(stringOr(role, otherwise), { text, reasoning: stringOr(reasoning, ''), calls: callsIn(tools) });
}

/** Tool calls; entries without a name are left out. */
const callsIn = (tools: unknown): ToolCall[] =>
  objectsIn(tools).flatMap(({ id, function: called, custom }) => {
    const { name, arguments: input, input: text } = fieldsOf(called ?? custom);
    return typeof name === 'string' ? [{ id: stringOr(id, null), name, input: inputOf(input ?? text) }] : [];
  });

/** Joins the pieces of a streamed message. */
function merge(deltas: readonly Fields[]): Fields {
  const join = (key: string): string => deltas.map((delta) => stringOr(delta[key], '')).join('');
  const tools = new Map<unknown, { id: unknown; name: string; text: string }>();
  for (const piece of deltas.flatMap(({ tool_calls: pieces }) => objectsIn(pieces))) {
    const { name, arguments: text } = fieldsOf(piece['function']);
    const tool = tools.get(piece['index']) ?? { id: piece['id'], name: '', text: '' };
    tool.name += stringOr(name, '');
    tool.text += stringOr(text, '');
    tools.set(piece['index'], tool);
  }
  return {
    content: join('content') || join('refusal'),
    reasoning_content: join('reasoning_content'),
    tool_calls: [...tools.values()].map(({ id, name, text }) => ({ id, function: { name, arguments: text } })),
  };
}
