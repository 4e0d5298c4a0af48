import {
  fieldsOf,
  inputOf,
  isFilled,
  objectsIn,
  stringOr,
  textOf,
  turn,
  type Fields,
  type ProtocolReader,
  type Turn,
} from './turn.ts';

/** Gemini's generateContent. */
export const gemini: ProtocolReader = {
  request: ({ systemInstruction, system_instruction: snake, contents }) => {
    const { parts } = fieldsOf(systemInstruction ?? snake);
    const list = Array.isArray(contents) ? contents.map(fieldsOf) : [fieldsOf(contents)];
    return [
      messageOf('system', objectsIn(parts)),
      ...list.map((content) => messageOf(roleOf(content['role']), objectsIn(content['parts']))),
    ].filter(isFilled);
  },
  whole: (body) => gemini.streamed([body]),
  streamed: (events) => {
    const contents = events.flatMap(({ candidates }) =>
      objectsIn(candidates)
        .slice(0, 1)
        .map(({ content }) => fieldsOf(content)),
    );
    return contents.length === 0
      ? null
      : messageOf(
          'assistant',
          contents.flatMap(({ parts }) => objectsIn(parts)),
        );
  },
};

const roleOf = (role: unknown): string => (role === 'model' ? 'assistant' : stringOr(role, 'user'));

function messageOf(role: string, parts: readonly Fields[]): Turn {
  const called = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [fieldsOf(functionCall)]));
  const answered = parts.flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [fieldsOf(functionResponse)],
  );
  return turn(answered.length > 0 ? 'tool' : role, {
    // The pieces of a streamed text follow each other without a break.
    text: parts.map((part) => (part['thought'] === true ? '' : partText(part))).join(''),
    reasoning: parts.map(({ thought, text }) => (thought === true ? stringOr(text, '') : '')).join(''),
    calls: called.map(({ id, name, args }) => ({
      id: stringOr(id, null),
      name: stringOr(name, 'unknown'),
      input: inputOf(args),
    })),
    results: answered.map(({ id, name, response }) => ({
      id: stringOr(id, null) ?? stringOr(name, null),
      output: textOf(fieldsOf(response)['output'] ?? fieldsOf(response)['result'] ?? response),
    })),
  });
}

function partText(part: Fields): string {
  if (typeof part['text'] === 'string') return part['text'];
  const other = Object.keys(part).find(
    (key) => !['functionCall', 'functionResponse', 'thoughtSignature'].includes(key),
  );
  return other === undefined ? '' : `[${other}]`;
}
