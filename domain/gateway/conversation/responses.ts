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

/** OpenAI's Responses. */
export const responses: ProtocolReader = {
  request: ({ instructions, input }) => {
    const system = typeof instructions === 'string' ? [turn('system', { text: instructions })] : [];
    if (typeof input === 'string') return [...system, turn('user', { text: input })];
    return [...system, ...mergeAssistant(objectsIn(input).map(itemOf))];
  },
  whole: ({ output }) => mergeAssistant(objectsIn(output).map(itemOf))[0] ?? null,
  streamed: (events) => {
    const last = fieldsOf(
      events.findLast(({ response }) => objectsIn(fieldsOf(response)['output']).length > 0)?.['response'],
    );
    const output = objectsIn(last['output']);
    return responses.whole({ output: output.length > 0 ? output : itemsIn(events) });
  },
};

/** Items of a stream that broke off: those that came whole, and the text of the one that did not. */
function itemsIn(events: readonly Fields[]): Fields[] {
  const done = events.filter(({ type }) => type === 'response.output_item.done');
  const isOpen = ({ output_index: index }: Fields): boolean => !done.some((item) => item['output_index'] === index);
  const open = events.filter((event) => event['type'] === 'response.output_text.delta' && isOpen(event));
  const text = open.map(({ delta }) => stringOr(delta, '')).join('');
  return [...done.map(({ item }) => fieldsOf(item)), ...(text === '' ? [] : [{ role: 'assistant', content: text }])];
}

function itemOf(item: Fields): Turn {
  const { type, role, content, call_id: callId, name } = item;
  const id = stringOr(callId, null);
  const kind = stringOr(type, 'message');
  if (kind === 'reasoning') return turn('assistant', { reasoning: contentText(item['summary']) });
  if (kind === 'message') return turn(stringOr(role, 'unknown'), { text: contentText(content) });
  if (kind.endsWith('_output')) return turn('tool', { results: [{ id, output: contentText(item['output']) }] });
  const input = inputOf(item['arguments'] ?? item['input'] ?? item['action']);
  return turn('assistant', { calls: [{ id, name: stringOr(name, kind), input }] });
}

/** Makes one message of the items that follow each other in an answer. */
function mergeAssistant(items: readonly Turn[]): Turn[] {
  const turns: Turn[] = [];
  for (const item of items.filter(isFilled)) {
    const last = turns.at(-1);
    if (item.role !== 'assistant' || last?.role !== 'assistant') turns.push(item);
    else
      turns[turns.length - 1] = turn('assistant', {
        text: joinTexts([last.text, item.text]),
        reasoning: joinTexts([last.reasoning, item.reasoning]),
        calls: [...last.calls, ...item.calls],
      });
  }
  return turns;
}
