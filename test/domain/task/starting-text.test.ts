import { expect, test } from 'vitest';
import { changedTexts, notRun } from '../../../domain/task/starting-text.ts';

const place = { task: '/my task', workspace: '/my task/workspace' };

test('texts that changed or came are named, and none that stayed or went', () => {
  expect(changedTexts({ a: '1', b: '1', gone: '1' }, { new: '1', b: '2', a: '1' })).toEqual(['b', 'new']);
});

test('a new text has the whole commands that try it, and that begin with it', () => {
  expect(notRun('lab', [], place)).toBeUndefined();
  expect(notRun('lab', ['train.py'], place)).toBe(
    `The new starting text of train.py is not run by itself. To try it: node -p 'JSON.stringify({files:{"train.py":fs.readFileSync("/my task/workspace/train.py","utf8")},hypothesis:"the new starting text"})' > inject.json && temporal workflow signal --workflow-id lab --name inject --input-file inject.json. To begin with it under another id: npx perpetua start '/my task' --id lab-2`,
  );
});

test('more texts than an alert has room for are not put into a command', () => {
  expect(notRun('lab', ['a', 'b', 'c', 'd'], place)).toMatch(
    /^The new starting text of a, b, c and 1 more is not run by itself\. To try it: inject these files, as docs\/guides\/steering\.md shows\. /,
  );
});
