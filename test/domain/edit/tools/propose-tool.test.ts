import { expect, test } from 'vitest';
import { PROPOSE_TOOL, readToolCalls } from '../../../../domain/edit/tools/propose-tool.ts';

const call = (given: unknown, name = 'propose') => ({
  name,
  arguments: typeof given === 'string' ? given : JSON.stringify(given),
});
const edits = [{ action: 'replace', path: 'a.py', search: 'x = 1\n', replace: 'x = 2\n' }];

test('calls of the tool are one proposal, in their order', () => {
  const first = call({ hypothesis: 'faster', expectedDelta: -0.5, edits });
  const second = call({
    hypothesis: 'more',
    edits: [
      { action: 'write', path: 'b.py', content: 'y' },
      { action: 'delete', path: 'c.py' },
    ],
  });
  expect(readToolCalls([first, second])).toEqual({
    ok: true,
    hypothesis: 'faster',
    expectedDelta: -0.5,
    edits: [
      { path: 'a.py', search: 'x = 1', replace: 'x = 2' },
      { path: 'b.py', content: 'y\n' },
      { path: 'c.py', remove: true },
    ],
  });
});

test.each([
  ['{"hypothesis": "x", "edits": [{"action": "wri', 'its arguments are no JSON: they end in the middle, behind'],
  ['', 'its arguments are no JSON: they are empty'],
  ['{"hypothesis": "x" "edits": []}', 'its arguments are no JSON: at character 20, near'],
  [{ hypothesis: 'x' }, 'its arguments do not fit the schema: edits'],
  [{ hypothesis: 'x', edits: [] }, 'its arguments do not fit the schema: edits'],
  [
    { hypothesis: 'x', edits: [{ action: 'replace', path: 'a' }] },
    'its arguments do not fit the schema: edits.0.search',
  ],
  [{ hypothesis: 'x', edits: [{ action: 'move', path: 'a' }] }, 'its arguments do not fit the schema: edits.0.action'],
])('arguments that cannot be used are refused with a reason: %j', (given, reason) => {
  expect(readToolCalls([call(given)])).toMatchObject({
    ok: false,
    reason: expect.stringContaining(reason) as string,
  });
});

test.each([
  ['-0.25', -0.25],
  ['about a tenth', null],
  ['', null],
  [null, null],
  [[1], null],
])('an expected change %j counts as %j, and rejects no answer', (expectedDelta, counted) => {
  expect(readToolCalls([call({ hypothesis: 'x', expectedDelta, edits })])).toMatchObject({
    ok: true,
    expectedDelta: counted,
  });
});

test('another tool is refused by name, and no call is no answer', () => {
  expect(readToolCalls([call({}, 'bash')])).toMatchObject({ reason: expect.stringContaining('got "bash"') as string });
  expect(readToolCalls([])).toMatchObject({ ok: false });
});

test('the schema of the tool describes every key that is read', () => {
  const { properties } = PROPOSE_TOOL.parameters;
  expect(Object.keys(properties)).toEqual(['hypothesis', 'expectedDelta', 'edits', 'memory']);
  const keys = ['action', 'path', 'search', 'replace', 'content'];
  expect(Object.keys(properties.edits.items.properties)).toEqual(keys);
});

test('a call may have the new text of the memory; the last one counts, and a blank one does not', () => {
  const given = (memory: unknown) => call({ hypothesis: 'x', edits, memory });
  expect(readToolCalls([given('wide is bad')])).toMatchObject({ ok: true, memory: 'wide is bad\n' });
  expect(readToolCalls([given('old'), given('new\n'), given(' ')])).toMatchObject({ ok: true, memory: 'new\n' });
  for (const none of [undefined, null, '']) expect(readToolCalls([given(none)])).not.toHaveProperty('memory');
  expect(readToolCalls([given(5)])).toMatchObject({ reason: expect.stringContaining('memory') as string });
});
