import {
  contentText,
  fieldsOf,
  inputOf,
  isFilled,
  joinTexts,
  objectsIn,
  stringOr,
  turn,
  type Fields,
  type ProtocolReader,
  type Turn,
} from './turn.ts';

/** Anthropic's Messages. */
export const messages: ProtocolReader = {
  request: ({ system, messages: list }) =>
    [
      turn('system', { text: contentText(system) }),
      ...objectsIn(list).map(({ role, content }) => messageOf(stringOr(role, 'unknown'), content)),
    ].filter(isFilled),
  whole: ({ content }) => (content === undefined ? null : messageOf('assistant', content)),
  streamed: (events) => {
    const blocks = blocksIn(events);
    return blocks.length === 0 ? null : messageOf('assistant', blocks);
  },
};

function messageOf(role: string, content: unknown): Turn {
  if (!Array.isArray(content)) return turn(role, { text: contentText(content) });
  const parts = objectsIn(content);
  const special = ['tool_use', 'tool_result', 'thinking', 'redacted_thinking'];
  const ofType = (...types: unknown[]): Fields[] => parts.filter(({ type }) => types.includes(type));
  return turn(role, {
    text: contentText(parts.filter(({ type }) => !special.includes(stringOr(type, '')))),
    reasoning: joinTexts(ofType('thinking').map(({ thinking }) => stringOr(thinking, ''))),
    calls: ofType('tool_use').map(({ id, name, input }) => ({
      id: stringOr(id, null),
      name: stringOr(name, 'unknown'),
      input: inputOf(input),
    })),
    results: ofType('tool_result').map(({ tool_use_id: id, content: output }) => ({
      id: stringOr(id, null),
      output: contentText(output),
    })),
  });
}

/** Content blocks of a stream, as far as they came. */
function blocksIn(events: readonly Fields[]): Fields[] {
  const blocks = new Map<unknown, { block: Fields; text: string; json: string; thinking: string }>();
  for (const { type, index, content_block: block, delta } of events) {
    if (type === 'content_block_start') blocks.set(index, { block: fieldsOf(block), text: '', json: '', thinking: '' });
    const open = blocks.get(index);
    if (type !== 'content_block_delta' || !open) continue;
    const { text, partial_json: json, thinking } = fieldsOf(delta);
    open.text += stringOr(text, '');
    open.json += stringOr(json, '');
    open.thinking += stringOr(thinking, '');
  }
  return [...blocks.values()].map(({ block, text, json, thinking }) => ({
    ...block,
    text: stringOr(block['text'], '') + text,
    thinking: stringOr(block['thinking'], '') + thinking,
    input: json === '' ? block['input'] : json,
  }));
}
