import { expect, test } from 'vitest';
import {
  identityOf,
  joinRequest,
  numberParts,
  partsOf,
  splitRequest,
} from '../../../../domain/gateway/stored/split-request.ts';

const LONG = 'x'.repeat(300);

/** Splits a body, stores its parts in memory, and joins it again. */
function passThrough(body: string): unknown {
  const split = splitRequest({ path: '/v1/x', streams: false, body });
  const texts = partsOf(split);
  const stored = JSON.parse(JSON.stringify(numberParts(split, (text) => texts.indexOf(text)))) as never;
  return joinRequest(stored, (part) => JSON.parse(texts[part] ?? ''));
}

test.each([
  { messages: [{ role: 'user', content: LONG }], model: 'm', stream: true, n: 1.5 },
  { contents: [{ parts: [{ text: LONG }] }], systemInstruction: { parts: [{ text: LONG }] }, tools: [] },
  { input: LONG, tools: [{ name: LONG }, { name: LONG }], short: ['a', null, { b: [1] }], none: null },
  { input: [LONG, null, 7, [LONG]], 'nul\0': `a\0${LONG}`, lone: `\ud800${LONG}` },
  {},
])('a request that is joined again equals the one that was split', (body) => {
  expect(passThrough(JSON.stringify(body))).toEqual(body);
});

test('a key that is special to JavaScript stays a key', () => {
  const body = `{"__proto__": {"a": "${LONG}"}, "constructor": 1}`;
  expect(JSON.stringify(passThrough(body))).toBe(JSON.stringify(JSON.parse(body)));
});

test.each(['', 'no json', '[1]', '"text"', '7', 'null'])('a body that is no JSON object stays text: %s', (body) => {
  expect(passThrough(body)).toBe(body);
});

test('elements of a long list are parts, and equal ones are one part', () => {
  const message = { role: 'user', content: LONG };
  const body = JSON.stringify({ model: 'm', messages: [message, message, { role: 'user' }] });
  const split = splitRequest({ path: '/v1/x', streams: false, body });
  expect(partsOf(split)).toEqual([JSON.stringify(message), '{"role":"user"}']);
  expect(numberParts(split, (text) => text.length)).toMatchObject({
    body: { model: 'm', messages: null },
    parts: { messages: [328, 328, 15] },
  });
});

test('a stream that is repeated as a whole answer is an equal request', () => {
  const identity = (body: object, streams: boolean): string =>
    identityOf(numberParts(splitRequest({ path: '/v1/x', streams, body: JSON.stringify(body) }), () => 0));
  const asked = { model: 'm', input: 'a' };
  expect(identity({ ...asked, stream: true, stream_options: { include_usage: true } }, true)).toBe(
    identity(asked, false),
  );
  expect(identity({ ...asked, input: 'b' }, false)).not.toBe(identity(asked, false));
});
