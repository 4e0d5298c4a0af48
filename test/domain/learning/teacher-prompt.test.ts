import { describe, expect, it } from 'vitest';
import { teacherPromptOf } from '../../../domain/learning/teacher-prompt.ts';
import { answering, rollout } from './rollouts.ts';

const SOLUTIONS = { solutions: true, feedback: {} };
const crashed = answering('lr = 10', { id: 'r/1', reward: -1, status: 'crashed', value: null, reason: 'exit code 1' });
const good = answering('lr = 0.1', { id: 'r/2', reward: 0.4 });
const best = answering('lr = 0.2', { id: 'r/3', reward: 0.6 });

/** Everything that a teacher reads. */
const read = (...of: Parameters<typeof teacherPromptOf>): string =>
  JSON.stringify(teacherPromptOf(...of)?.prompt ?? '').replaceAll('\\n', '\n');

describe('a lesson with solutions', () => {
  it("is the student's messages with the best better answer of its group behind the last one of the user's", () => {
    expect(teacherPromptOf(crashed, [crashed, good, best], SOLUTIONS)).toEqual({
      prompt: {
        form: 'chat',
        messages: [
          { role: 'system', content: 'You set a learning rate.' },
          {
            role: 'user',
            content: 'Which one?\n\nCorrect solution:\n\nlr = 0.2\n\nCorrectly solve the original question.',
          },
        ],
      },
      feedback: null,
    });
  });

  it('never has the own attempt', () => {
    expect(read(crashed, [crashed, good, best], SOLUTIONS)).not.toContain('lr = 10');
    const luckier = answering('lr = 10', { id: 'r/4', reward: 0.9 });
    expect(read(crashed, [crashed, luckier, good], SOLUTIONS)).toContain('lr = 0.1');
  });

  it('is none for the best of a group, and none where all are equal', () => {
    expect(teacherPromptOf(best, [good, best, crashed], SOLUTIONS)).toBeNull();
    const twin = answering('lr = 0.3', { id: 'r/5', reward: 0.6 });
    expect(teacherPromptOf(best, [best, twin], SOLUTIONS)).toBeNull();
    expect(teacherPromptOf(rollout({ sample: null }), [best], SOLUTIONS)).toBeNull();
  });

  it('takes an answer that ran, a copy of one too, and none that did not', () => {
    const stopped = answering('lr = 3', { id: 'r/6', reward: 0.9, status: 'aborted' });
    const copy = answering('lr = 0.5', {
      ...{ id: 'r/7', reward: 0.8, status: 'cached', first: { status: 'completed', failure: null } },
    });
    expect(read(crashed, [stopped, copy, best], SOLUTIONS)).toContain('lr = 0.5');
  });

  it('takes the first of several that are equally good', () => {
    const twin = answering('lr = 0.3', { id: 'r/5', reward: 0.6 });
    expect(read(crashed, [best, twin], SOLUTIONS)).toContain('lr = 0.2');
  });
});

describe('a lesson with feedback', () => {
  const teacher = {
    solutions: false,
    feedback: { failed: 'It failed: {reason}.', completed: '{answer} gave {value}; {unknown} stays.' },
  };

  it('says what the text of the class of its outcome says, filled in', () => {
    expect(teacherPromptOf(crashed, [], teacher)).toMatchObject({ feedback: 'It failed: exit code 1.' });
    expect(teacherPromptOf(good, [], teacher)).toMatchObject({ feedback: 'lr = 0.1 gave 0.25; {unknown} stays.' });
    expect(read(crashed, [], teacher)).toContain('feedback from an earlier attempt:\n\nIt failed: exit code 1.');
  });

  it('goes by the first outcome of a copy', () => {
    const copy = { ...crashed, status: 'cached', first: { status: 'timed_out', failure: 'wall-clock' } } as const;
    expect(teacherPromptOf(copy, [], teacher)?.feedback).toBe('It failed: exit code 1.');
  });

  it('is none for a class without a text, and for what a machine lost', () => {
    expect(teacherPromptOf(rollout({ status: 'rejected' }), [], teacher)).toBeNull();
    expect(teacherPromptOf(rollout({ status: 'lost' }), [], teacher)).toBeNull();
  });

  it('stands behind a solution where there are both', () => {
    const both = { ...teacher, solutions: true };
    expect(read(crashed, [best], both)).toMatch(/Correct solution:\n\nlr = 0\.2\n\nThe following is feedback/);
  });

  it('does not read what it has filled in', () => {
    expect(teacherPromptOf({ ...crashed, reason: '{answer}' }, [], teacher)?.feedback).toBe('It failed: {answer}.');
  });

  it('follows the messages where none of them is the user’s', () => {
    const prompt = { form: 'chat' as const, messages: [] };
    const alone = rollout({ sample: { ...(good.sample ?? expect.fail()), prompt } });
    expect(teacherPromptOf(alone, [], teacher)?.prompt).toMatchObject({ messages: [{ role: 'user' }] });
  });

  it('stands before a text that is gone on with, and its solution is a whole answer', () => {
    const prompt = { form: 'text' as const, text: 'Choose.\n\nlr =', start: 'lr =' };
    const going = (id: string, text: string, reward: number) =>
      rollout({ id, reward, sample: { ...(good.sample ?? expect.fail()), prompt, text } });
    const [own, peer] = [going('r/1', ' 10', -1), going('r/2', ' 0.2', 0.6)];
    expect(teacherPromptOf(own, [own, peer], SOLUTIONS)?.prompt).toEqual({
      ...prompt,
      text: 'Correct solution:\n\nlr = 0.2\n\nCorrectly solve the original question.\n\nChoose.\n\nlr =',
    });
  });
});
