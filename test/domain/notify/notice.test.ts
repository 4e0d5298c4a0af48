import { expect, test } from 'vitest';
import { isOver, needsYou } from '../../../domain/notify/attention.ts';
import { noticeOf } from '../../../domain/notify/notice.ts';

const NOW = new Date('2026-11-24T10:00:00Z');

test.each([
  [['a', 'b'], null],
  [['a'], 'a'],
])('the notices about an entry of the researches %j name them', (researches, researchId) => {
  const entry = { id: '1', researches, title: 'A disk is full', why: null, commands: [], beganAt: NOW };
  for (const [kind, { body }] of [
    ['needs-you', needsYou(entry)],
    ['over', isOver(entry, NOW)],
  ] as const) {
    const messages = [{ id: 'm', kind, researchId, body, createdAt: NOW }];
    expect(noticeOf({ id: 'd', kind, sink: 'team', messages, now: NOW }).researches).toEqual(researches);
  }
});

test('a notice that counts messages names the commands that show them', () => {
  const body = { title: 'A disk is full', lines: [], commands: [] };
  const message = { id: 'm', kind: 'over' as const, researchId: 'toy', body, createdAt: new Date(NOW.getTime() - 5e6) };
  const countOf = (kinds: ('over' | 'needs-you')[]) =>
    noticeOf({ id: 'd', kind: 'rest', sink: 'team', messages: kinds.map((kind) => ({ ...message, kind })), now: NOW });
  expect(countOf(['over'])).toMatchObject({
    title: 'and 1 more in the last 2 hours',
    commands: ['npx perpetua report --since 2h'],
  });
  expect(countOf(['over', 'needs-you']).commands).toEqual(['npx perpetua report --since 2h', 'npx perpetua attention']);
});
